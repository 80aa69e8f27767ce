// How often columns were chosen on data drawn anew.

function frequencyItem(feature) {
  return element("li", {}, nameButton(feature), meter(frequency(feature), isSelected(feature, state.k)), element("span", { class: "value" }, percent(frequency(feature))));
}

function showFrequencies() {
  const often = [...DATA.order].sort((a, b) => DATA.resampled.frequency[b] - DATA.resampled.frequency[a] || rankOf(a) - rankOf(b));
  const selected = often.filter((feature) => isSelected(feature, state.k));
  const others = often.filter((feature) => !isSelected(feature, state.k) && frequency(feature) > 0);
  byId("unsure").replaceChildren(...selected.slice(-5).reverse().map(frequencyItem));
  byId("near-misses").replaceChildren(...(others.length ? others.slice(0, 5).map(frequencyItem) : [element("li", { class: "quiet" }, "none")]));
  drawFrequencies(often);
}

function drawFrequencies(often) {
  const shown = often.slice(0, Math.min(N, Math.max(20, 2 * state.k))).filter((feature, at) => at < 20 || frequency(feature) > 0);
  const { svg, right, bottom } = newChart(byId("stability-chart"), `How often the ${shown.length} columns that were chosen most often were chosen in ${DATA.resampled.n} draws.`);
  const tall = (share) => share * (bottom - MARGIN.top);
  [0, 0.25, 0.5, 0.75, 1].forEach((share) => {
    svg.append(drawing("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom - tall(share), y2: bottom - tall(share) }));
    svg.append(drawing("text", { x: MARGIN.left - 6, y: bottom - tall(share) + 4, "text-anchor": "end" }, `${share * 100} %`));
  });
  const slot = (right - MARGIN.left) / shown.length;
  shown.forEach((feature, at) => {
    const high = tall(frequency(feature));
    const bar = drawing("rect", { class: isSelected(feature, state.k) ? "bar-selected" : "bar-other", x: MARGIN.left + at * slot + slot * 0.1, width: Math.max(0.5, slot * 0.8), y: bottom - high, height: high });
    bar.append(drawing("title", {}, `${DATA.names[feature]}: ${percent(frequency(feature))}`));
    svg.append(bar);
  });
  svg.append(drawing("text", { x: (MARGIN.left + right) / 2, y: bottom + 20, "text-anchor": "middle" }, "columns, most often chosen first; coloured: selected"));
}

function setUpStability() {
  if (DATA.resampled === null) return;
  addLazyPanel(byId("stability-chart"), (keys) => {
    if (keys.has("k") || keys.has("size")) showFrequencies();
  });
}

setUpStability();
