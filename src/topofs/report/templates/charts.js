// The curve of what is covered, and the bars of the scores.

const MARGIN = { left: 44, right: 14, top: 18, bottom: 38 };
const CHART_HEIGHT = 240;

function newChart(box, label) {
  const width = Math.max(220, box.clientWidth);
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${CHART_HEIGHT}`, role: "img", "aria-label": label });
  box.replaceChildren(svg);
  return { svg, width, right: width - MARGIN.right, bottom: CHART_HEIGHT - MARGIN.bottom };
}

function drawCoverage() {
  const k = state.k;
  const chart = newChart(byId("coverage-chart"), `Share covered by the first k columns. At ${k}: ${percent(covered(k))}; ${randomText(k)}.`);
  const { svg, right, bottom } = chart;
  const across = (size) => MARGIN.left + (size / MOST) * (right - MARGIN.left);
  const up = (share) => bottom - Math.max(0, share) * (bottom - MARGIN.top);
  [0, 0.25, 0.5, 0.75, 1].forEach((share) => {
    svg.append(drawing("line", { class: "axis", x1: MARGIN.left, x2: right, y1: up(share), y2: up(share) }));
    svg.append(drawing("text", { x: MARGIN.left - 6, y: up(share) + 4, "text-anchor": "end" }, `${share * 100} %`));
  });
  // No more points than there is room for.
  const step = Math.max(1, Math.floor(MOST / (2 * (right - MARGIN.left))));
  const sizes = [];
  for (let size = 0; size < MOST; size += step) sizes.push(size);
  sizes.push(MOST);
  const line = (height, at = sizes) => at.map((size) => `${across(size).toFixed(1)},${up(height(size)).toFixed(1)}`);
  const points = line(covered);
  svg.append(drawing("path", { class: "under", d: `M${across(0)},${bottom}L${points.join("L")}L${across(MOST)},${bottom}Z` }));
  const reversed = [...sizes].reverse();
  svg.append(drawing("polygon", { class: "random-range", points: [...line((size) => randomAt(size, "low")), ...line((size) => randomAt(size, "high"), reversed)].join(" ") }));
  svg.append(drawing("polyline", { class: "random", points: line((size) => randomAt(size)).join(" ") }));
  svg.append(drawing("path", { class: "curve", d: `M${points.join("L")}` }));
  svg.append(drawing("line", { class: "mark", x1: across(k), x2: across(k), y1: up(covered(k)), y2: bottom }));
  if (DATA.end !== null) markStop(svg, across(DATA.end), up(covered(DATA.end)), bottom);
  if (k !== DATA.k) svg.append(drawing("circle", { class: "run", cx: across(DATA.k), cy: up(covered(DATA.k)), r: 4 }));
  svg.append(drawing("circle", { class: "point", cx: across(k), cy: up(covered(k)), r: 6 }));
  const late = k > 0.55 * MOST;
  const below = Math.min(bottom - 26, Math.max(up(covered(k)), up(randomAt(k))) + 22);
  const beside = { x: across(k) + (late ? -10 : 10), "text-anchor": late ? "end" : "start" };
  svg.append(drawing("text", { class: "strong on-chart", y: below, ...beside }, `${counted(k, "column")}: ${percent(covered(k))}`));
  svg.append(drawing("text", { class: "on-chart", y: below + 16, ...beside }, randomText(k)));
  [[1, "start"], [MOST, "end"]].forEach(([size, anchor]) => {
    svg.append(drawing("text", { x: across(size), y: bottom + 16, "text-anchor": anchor }, size.toLocaleString("en")));
  });
  svg.append(drawing("text", { x: (MARGIN.left + right) / 2, y: bottom + 32, "text-anchor": "middle" }, `columns ${SAID.adjective}`));
  svg.addEventListener("pointerdown", (event) => {
    const box = svg.getBoundingClientRect();
    setSize(((event.clientX - box.left - MARGIN.left) / (right - MARGIN.left)) * MOST);
  });
}

// Where the selection stops by itself.
function markStop(svg, x, y, bottom) {
  svg.append(drawing("line", { class: "stop", x1: x, x2: x, y1: MARGIN.top - 6, y2: bottom }));
  svg.append(drawing("path", { class: "stop-mark", d: `M${x - 5},${y}L${x},${y - 5}L${x + 5},${y}L${x},${y + 5}Z` }));
  const late = x > svg.viewBox.baseVal.width * 0.6;
  svg.append(drawing("text", { class: "stop-text", x: x + (late ? -6 : 6), y: MARGIN.top - 6, "text-anchor": late ? "end" : "start" }, `stops by itself at ${DATA.end.toLocaleString("en")}`));
}

function barCounts(features) {
  const counts = new Array(DATA.bars.labels.length).fill(0);
  features.forEach((feature) => { counts[DATA.bars.barOf[NODE[feature]]] += 1; });
  return counts;
}

function drawScores() {
  const k = state.k;
  const ties = tiesAt(k);
  const all = barCounts(DATA.nodes);
  const selected = barCounts(DATA.nodes.filter((feature) => isSelected(feature, k)));
  const text = tiesText(ties, k);
  byId("ties-text").textContent = text;
  const chart = newChart(byId("scores-chart"), `${DATA.words.score} of the columns, in ${counted(all.length, "bar")}. ${text}`);
  const { svg, right, bottom } = chart;
  const slot = (right - MARGIN.left) / all.length;
  const highest = Math.max(...all);
  const tall = (count) => (count === 0 ? 0 : Math.max(2, (count / highest) * (bottom - MARGIN.top - 8)));
  const every = Math.ceil((Math.max(...DATA.bars.labels.map((label) => label.length)) * 7 + 8) / slot);
  svg.append(drawing("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }));
  all.forEach((count, bar) => {
    const x = MARGIN.left + bar * slot + slot * 0.1;
    const [high, lower] = [tall(count), tall(selected[bar])];
    const group = drawing("g");
    group.append(drawing("title", {}, `${DATA.bars.labels[bar]}: ${counted(count, "column")}, ${selected[bar].toLocaleString("en")} selected`));
    group.append(drawing("rect", { class: "bar-other", x, width: slot * 0.8, y: bottom - high, height: Math.max(0, high - lower) }));
    group.append(drawing("rect", { class: "bar-selected", x, width: slot * 0.8, y: bottom - lower, height: lower }));
    if (ties !== null && DATA.bars.barOf[NODE[ties.features[0]]] === bar) {
      group.append(drawing("rect", { class: "tied", x: x - 3, width: slot * 0.8 + 6, y: bottom - high - 18, height: high + 18, rx: 4 }));
    }
    if (count > 0 && slot > 7 * String(count).length) {
      group.append(drawing("text", { x: x + slot * 0.4, y: bottom - high - 5, "text-anchor": "middle" }, count.toLocaleString("en")));
    }
    if (bar % every === 0) group.append(drawing("text", { x: x + slot * 0.4, y: bottom + 16, "text-anchor": "middle" }, DATA.bars.labels[bar]));
    svg.append(group);
  });
  svg.append(drawing("text", { x: (MARGIN.left + right) / 2, y: bottom + 32, "text-anchor": "middle" }, DATA.words.axis));
}

function tiesText(ties, k) {
  if (k >= N) return "All columns are selected: there is no cut.";
  if (k >= MOST) return "No more columns can be selected beside these: there is no cut.";
  if (ties === null) return "The cut falls between two scores: no tie had to be broken.";
  const score = scoreWithUnit(DATA.scores[ties.features[0]]);
  return `The cut goes through the dashed bar: ${counted(ties.features.length, "column")} with ${score}, ${ties.inside.toLocaleString("en")} selected and ${ties.outside.toLocaleString("en")} not, decided by ${DATA.words.ties}.`;
}

function setUpCharts() {
  const shown = (draw) => (keys) => {
    if (keys.has("k") || keys.has("size")) draw();
  };
  addLazyPanel(byId("coverage-chart"), shown(drawCoverage));
  addLazyPanel(byId("scores-chart"), shown(REPRESENTATION === null ? drawScores : drawGains));
}

setUpCharts();
