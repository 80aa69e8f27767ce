// The search field: a combobox over the names.

const MOST_RESULTS = 12;
let results = [];
let pointed = -1;

// Features whose name holds the text; those that begin with it first, then by rank.
function found(text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const begin = [];
  const hold = [];
  for (const feature of DATA.order) {
    const at = LOWER_NAMES[feature].indexOf(wanted);
    if (at === 0) begin.push(feature);
    else if (at > 0) hold.push(feature);
  }
  return begin.concat(hold);
}

function showResults() {
  const field = byId("search");
  const list = byId("search-results");
  const all = found(field.value);
  results = all.slice(0, MOST_RESULTS);
  pointed = results.length > 0 ? 0 : -1;
  const items = results.map((feature, at) => {
    const item = element("li", { role: "option", id: `result-${at}`, "aria-selected": String(at === 0) });
    item.append(dot(isSelected(feature, state.k), feature), element("span", {}, DATA.names[feature]), ...badge(feature));
    // On pointerdown: a click would come after the field has lost the focus.
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      pick(feature);
    });
    return item;
  });
  if (field.value.trim() !== "" && items.length === 0) {
    items.push(element("li", { class: "quiet" }, "No column has this in its name"));
  } else if (all.length > results.length) {
    items.push(element("li", { class: "quiet small" }, `and ${(all.length - results.length).toLocaleString("en")} more`));
  }
  list.replaceChildren(...items);
  open(items.length > 0);
  update({ matches: all.length > 0 ? all : null });
  point(pointed);
}

function open(shown) {
  byId("search-results").hidden = !shown;
  byId("search").setAttribute("aria-expanded", String(shown));
}

function point(at) {
  pointed = at;
  results.forEach((_, index) => byId(`result-${index}`)?.setAttribute("aria-selected", String(index === at)));
  if (at >= 0) byId("search").setAttribute("aria-activedescendant", `result-${at}`);
  else byId("search").removeAttribute("aria-activedescendant");
  byId(`result-${at}`)?.scrollIntoView({ block: "nearest" });
}

function pick(feature) {
  byId("search").value = DATA.names[feature];
  open(false);
  update({ matches: null });
  choose(feature);
  // On a narrow screen the answer stands below the drawing.
  if (matchMedia("(max-width: 62rem)").matches) {
    requestAnimationFrame(() => byId("details").scrollIntoView({ block: "start" }));
  }
}

function setUpSearch() {
  const field = byId("search");
  field.addEventListener("input", showResults);
  field.addEventListener("blur", () => open(false));
  field.addEventListener("keydown", (event) => {
    const last = results.length - 1;
    if (event.key === "ArrowDown" && last >= 0) point(pointed >= last ? 0 : pointed + 1);
    else if (event.key === "ArrowUp" && last >= 0) point(pointed <= 0 ? last : pointed - 1);
    else if (event.key === "Enter" && pointed >= 0) pick(results[pointed]);
    else if (event.key === "Escape") {
      field.value = "";
      showResults();
    } else return;
    event.preventDefault();
  });
}

setUpSearch();
