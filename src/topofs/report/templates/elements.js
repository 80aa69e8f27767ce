// Elements and texts. Names of columns only ever become text nodes.

function byId(id) {
  return document.getElementById(id);
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

function drawing(tag, attributes = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text) made.textContent = text;
  return made;
}

function nameButton(feature, ...children) {
  const content = children.length ? children : [DATA.names[feature]];
  const button = element("button", { type: "button", class: "name-button" }, ...content);
  button.addEventListener("click", () => choose(feature));
  return button;
}

// The mark of a column as the drawing has it.
function dot(selected, feature = -1) {
  const kind = feature < 0 ? "" : isForced(feature) ? " forced" : isExcluded(feature) ? " excluded" : "";
  return element("span", { class: `dot ${selected ? "selected" : "other"}${kind}`, "aria-hidden": "true" });
}

// A badge for a forced or excluded column, or nothing: to be spread.
function badge(feature) {
  if (isForced(feature)) return [element("span", { class: "badge forced" }, "forced")];
  return isExcluded(feature) ? [element("span", { class: "badge excluded" }, "excluded")] : [];
}

function statusTag(feature, k, other = SAID.other) {
  const status = statusOf(feature, k);
  const kinds = { Forced: "status selected forced", Excluded: "status excluded", [SAID.status]: "status selected", [SAID.added]: "status selected" };
  return element("span", { class: kinds[status] ?? "status" }, status === SAID.other ? other : status);
}

function meter(share, selected) {
  const fill = element("i");
  fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return element("span", { class: selected ? "meter selected" : "meter", "aria-hidden": "true" }, fill);
}

// Show a feature in every panel and bring it into view.
function choose(feature) {
  update({ active: feature });
  if (isDrawn(feature)) bringIntoView(feature);
}

function percent(share) {
  let rounded = Math.round(100 * share);
  if (share > 0 && share < 1) rounded = Math.min(99, Math.max(1, rounded));
  return `${rounded} %`;
}

// What two columns share; it is more than nothing, however it is rounded.
function sharedText(share) {
  return share < 0.01 ? "less than 1 %" : percent(share);
}

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function similarityText(value) {
  return value.toFixed(2);
}

function scoreText(score) {
  return Number.isInteger(score) ? score.toLocaleString("en") : String(Number(score.toPrecision(4)));
}

// A score with what it counts, as "1 link", or by itself.
function scoreWithUnit(score) {
  return DATA.words.unit ? counted(score, DATA.words.unit) : scoreText(score);
}

// What a column adds to what those before it represent.
function addsOf(feature) {
  return REPRESENTATION.adds[feature];
}

function addsText(feature) {
  return isOpen(feature) ? addsOf(feature).toFixed(2) : "–";
}

// The score of a column as its rule counts: what it adds, to two digits, or any other number.
function ownScoreText(feature) {
  return SCORE_ADDS ? addsText(feature) : scoreText(DATA.scores[feature]);
}

function shortened(name, length) {
  const letters = Array.from(name);
  return letters.length <= length ? name : `${letters.slice(0, length - 1).join("")}…`;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function fitCanvas(canvas, width, height) {
  const density = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  return context;
}

function showTooltip(tooltip, x, y, lines) {
  const box = tooltip.parentElement.getBoundingClientRect();
  tooltip.replaceChildren(element("b", {}, lines[0]), ...lines.slice(1).map((line) => element("div", {}, line)));
  tooltip.hidden = false;
  const left = Math.min(x + 14, box.width - tooltip.offsetWidth - 4);
  const below = y + 14 + tooltip.offsetHeight <= box.height;
  tooltip.style.left = `${Math.max(0, left)}px`;
  tooltip.style.top = `${below ? y + 14 : Math.max(0, y - 14 - tooltip.offsetHeight)}px`;
}
