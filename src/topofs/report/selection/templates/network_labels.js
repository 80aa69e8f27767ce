// Names beside the dots: the important ones first, none over another.

const MOST_LABELS = 120;

function labelCandidates(focus, near) {
  const candidates = [];
  if (state.active >= 0) candidates.push(state.active);
  if (state.hovered >= 0) candidates.push(state.hovered);
  if (near !== null) candidates.push(...company(focus));
  if (state.matches !== null) candidates.push(...state.matches.slice(0, 40));
  if (near === null) {
    candidates.push(...DATA.order.slice(0, Math.min(state.k, 400)));
    const room = Math.sqrt((view.width * view.height) / N_DRAWN) * (view.scale / view.fit);
    if (room > 55) candidates.push(...DATA.order.slice(state.k));
  }
  return candidates.filter((feature) => PLACE[feature] >= 0);
}

function drawLabels(context, focus, near) {
  const radius = dotRadius();
  const taken = N_DRAWN <= 150 ? DATA.drawn.map((feature) => dotBox(feature, radius)) : [];
  const most = taken.length + MOST_LABELS;
  const seen = new Set();
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const feature of labelCandidates(focus, near)) {
    if (taken.length >= most) break;
    if (seen.has(feature)) continue;
    seen.add(feature);
    const [x, y] = onScreen(feature);
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const selected = isSelected(feature, state.k);
    context.font = `${selected || feature === focus ? "600 " : ""}12px system-ui, sans-serif`;
    const text = shortened(DATA.names[feature], 26);
    const box = freeBox(x, y, radius * 1.3 + 4, context.measureText(text).width, taken);
    if (box === null && feature !== state.active && feature !== state.hovered) continue;
    const [left, top] = box ?? [x + radius * 1.3 + 4, y - 8];
    taken.push([left, top, left + context.measureText(text).width, top + 16]);
    context.strokeStyle = colors.ground;
    context.lineWidth = 3.5;
    context.strokeText(text, left, top + 8);
    context.fillStyle = selected ? colors["selected-ink"] : colors.ink;
    context.fillText(text, left, top + 8);
  }
}

function dotBox(feature, radius) {
  const [x, y] = onScreen(feature);
  return [x - radius, y - radius, x + radius, y + radius];
}

// The first of four places around a dot that is free and on the drawing, or null.
function freeBox(x, y, gap, width, taken) {
  const places = [
    [x + gap, y - 8],
    [x - gap - width, y - 8],
    [x - width / 2, y - gap - 16],
    [x - width / 2, y + gap],
  ];
  return places.find(([left, top]) => {
    if (left < 2 || top < 2 || left + width > view.width - 2 || top + 16 > view.height - 2) return false;
    return !taken.some(([l, t, r, b]) => left < r + 3 && left + width > l - 3 && top < b && top + 16 > t);
  }) ?? null;
}
