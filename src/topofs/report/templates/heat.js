// The heat map of the selected columns.

const heatCanvas = byId("heat");
const heatState = { shown: [], left: 0, top: 8, cell: 1 };

function heatValue(row, column) {
  const [low, high] = row < column ? [row, column] : [column, row];
  return DATA.heat.values[(high * (high + 1)) / 2 + low] / SCALE;
}

function channels(text) {
  const digits = text.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

function heatColor(value, low, high, negative) {
  const end = value < 0 ? negative : high;
  const share = Math.min(1, Math.abs(value));
  const mixed = low.map((channel, at) => Math.round(channel + (end[at] - channel) * share));
  return `rgb(${mixed.join(" ")})`;
}

function drawHeat() {
  const shown = DATA.heat.features.map((feature, row) => row).filter((row) => isSelected(DATA.heat.features[row], state.k));
  const width = heatCanvas.parentElement.clientWidth;
  const nameLength = width < 500 ? 13 : 28;
  const names = shown.map((row) => shortened(DATA.names[DATA.heat.features[row]], nameLength));
  let context = heatCanvas.getContext("2d");
  context.font = "12px system-ui, sans-serif";
  const labels = Math.min(width * 0.4, Math.max(0, ...names.map((name) => context.measureText(name).width)) + 10);
  const cell = Math.max(2, Math.min(44, (width - labels - 4) / Math.max(1, shown.length)));
  const height = Math.ceil(cell * shown.length) + 16;
  heatCanvas.style.height = `${height}px`;
  context = fitCanvas(heatCanvas, width, height);
  context.clearRect(0, 0, width, height);
  context.font = `${Math.min(12, Math.max(8, cell - 1))}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const [low, high, negative] = ["heat-low", "heat-high", "heat-negative"].map((name) => channels(color(name)));
  const ink = color("ink");
  const everyName = Math.ceil(9 / cell);
  shown.forEach((row, at) => {
    const y = 8 + at * cell;
    context.fillStyle = ink;
    if (at % everyName === 0) context.fillText(names[at], labels - 6, y + cell / 2);
    shown.forEach((column, across) => {
      context.fillStyle = heatColor(heatValue(row, column), low, high, negative);
      const gap = cell > 8 ? 1 : 0;
      context.fillRect(labels + across * cell, y, cell - gap, cell - gap);
    });
  });
  Object.assign(heatState, { shown, left: labels, cell });
  describeHeat(shown);
}

function describeHeat(shown) {
  const pairs = [];
  shown.forEach((row, at) => shown.slice(at + 1).forEach((column) => pairs.push([heatValue(row, column), row, column])));
  pairs.sort((a, b) => b[0] - a[0]);
  const items = pairs.slice(0, 5).map(([value, row, column]) => element(
    "li", {},
    nameButton(DATA.heat.features[row]), " and ", nameButton(DATA.heat.features[column]),
    element("b", {}, ` ${similarityText(value)}`),
  ));
  byId("alike").replaceChildren(...items);
  byId("heat-note").textContent = state.k > shown.length ? `the first ${shown.length} of ${state.k.toLocaleString("en")}` : "";
  const best = pairs[0];
  heatCanvas.setAttribute("aria-label", best === undefined
    ? "One column: nothing to compare."
    : `Similarity between ${shown.length} ${SAID.columns}. Most alike: ${DATA.names[DATA.heat.features[best[1]]]} and ${DATA.names[DATA.heat.features[best[2]]]}, ${similarityText(best[0])}.`);
}

function setUpHeat() {
  const tooltip = byId("heat-tooltip");
  heatCanvas.addEventListener("pointermove", (event) => {
    const column = Math.floor((event.offsetX - heatState.left) / heatState.cell);
    const row = Math.floor((event.offsetY - heatState.top) / heatState.cell);
    const [a, b] = [heatState.shown[row], heatState.shown[column]];
    tooltip.hidden = a === undefined || b === undefined;
    if (tooltip.hidden) return;
    showTooltip(tooltip, event.offsetX, event.offsetY, [similarityText(heatValue(a, b)), DATA.names[DATA.heat.features[a]], DATA.names[DATA.heat.features[b]]]);
  });
  heatCanvas.addEventListener("pointerleave", () => { tooltip.hidden = true; });
  addLazyPanel(heatCanvas.parentElement, (keys) => {
    if (keys.has("k") || keys.has("size") || keys.has("theme")) drawHeat();
  });
}

setUpHeat();
