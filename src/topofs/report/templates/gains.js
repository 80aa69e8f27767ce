// What each column adds to what is represented, and where that falls to itself alone.

// As many columns as tell the story: some beyond the cut and beyond the end of the rule.
function gainsShown() {
  return Math.min(DATA.nodes.length, Math.max(20, Math.ceil(1.6 * Math.max(state.k, DATA.end ?? 0))));
}

function gainScale(most) {
  const wide = most > 15; // then each step up is a doubling
  const floor = 0.25;
  const up = wide
    ? (gain) => Math.log(Math.max(gain, floor) / floor) / Math.log(most / floor)
    : (gain) => gain / most;
  const ticks = wide ? [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter((tick) => tick <= most) : evenTicks(most);
  return { up, ticks };
}

function evenTicks(most) {
  const step = most > 8 ? 2 : most > 3 ? 1 : 0.5;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

function drawGains() {
  const ranked = DATA.order.filter((feature) => NODE[feature] >= 0 && isOpen(feature)).slice(0, gainsShown());
  const text = gainsText();
  byId("ties-text").textContent = text;
  const { svg, right, bottom } = newChart(byId("scores-chart"), `What each of the first ${ranked.length} columns adds. ${text}`);
  const { up, ticks } = gainScale(Math.max(1.2, ...ranked.map(addsOf)));
  const high = (gain) => up(gain) * (bottom - MARGIN.top);
  ticks.forEach((tick) => {
    svg.append(drawing("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom - high(tick), y2: bottom - high(tick) }));
    svg.append(drawing("text", { x: MARGIN.left - 6, y: bottom - high(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en")));
  });
  const slot = (right - MARGIN.left) / ranked.length;
  ranked.forEach((feature, at) => {
    const tall = Math.max(1, high(addsOf(feature)));
    const bar = drawing("rect", { class: isSelected(feature, state.k) ? "bar-selected" : "bar-other", x: MARGIN.left + at * slot + slot * 0.1, width: Math.max(0.5, slot * 0.8), y: bottom - tall, height: tall });
    bar.append(drawing("title", {}, `${DATA.names[feature]} adds ${addsText(feature)}`));
    svg.append(bar);
  });
  const one = bottom - high(1);
  svg.append(drawing("line", { class: "one", x1: MARGIN.left, x2: right, y1: one, y2: one }));
  svg.append(drawing("text", { class: "strong", x: right, y: one - 6, "text-anchor": "end" }, "1: no more than itself"));
  [[1, "start"], [ranked.length, "end"]].forEach(([rank, anchor]) => {
    svg.append(drawing("text", { x: anchor === "start" ? MARGIN.left : right, y: bottom + 16, "text-anchor": anchor }, rank.toLocaleString("en")));
  });
  svg.append(drawing("text", { x: (MARGIN.left + right) / 2, y: bottom + 32, "text-anchor": "middle" }, "columns, best first"));
}

function gainsText() {
  const scale = "A column adds what it explains beyond those before it: 1 is the variance of one column.";
  return `${scale} ${DATA.words.end}`.trimEnd();
}
