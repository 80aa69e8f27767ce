// Names beside the dots: the important ones first, none over another.

const MOST_LABELS = 120;
const MOST_BOXES = 400;

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
  const dots = dotsInView();
  const taken = dots.map((feature) => dotBox(feature, radius));
  // A name that matters may cover dots that are not selected, but no other name.
  const serious = dots.filter((feature) => isSelected(feature, state.k)).map((feature) => dotBox(feature, radius));
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
    const width = context.measureText(text).width;
    const gap = radius * 1.3 + 4;
    const box = freeBox(x, y, gap, width, taken) ?? (selected ? freeBox(x, y, gap, width, serious) : null);
    if (box === null && feature !== state.active && feature !== state.hovered) continue;
    const [left, top] = box ?? [x + gap, y - 8];
    taken.push([left, top, left + width, top + 16]);
    serious.push(taken.at(-1));
    context.strokeStyle = colors.ground;
    context.lineWidth = 3.5;
    context.strokeText(text, left, top + 8);
    context.fillStyle = selected ? colors["selected-ink"] : colors.ink;
    context.fillText(text, left, top + 8);
  }
}

// Dots that names keep clear of: all in view, or the selected ones where they are too many.
function dotsInView() {
  const inView = DATA.drawn.filter((feature) => {
    const [x, y] = onScreen(feature);
    return x >= 0 && y >= 0 && x <= view.width && y <= view.height;
  });
  if (inView.length <= MOST_BOXES) return inView;
  return inView.filter((feature) => isSelected(feature, state.k)).slice(0, MOST_BOXES);
}

function dotBox(feature, radius) {
  const [x, y] = onScreen(feature);
  return [x - radius, y - radius, x + radius, y + radius];
}

// The first of eight places around a dot that is free and on the drawing, or null.
function freeBox(x, y, gap, width, taken) {
  const places = [
    [x + gap, y - 8],
    [x - gap - width, y - 8],
    [x - width / 2, y - gap - 16],
    [x - width / 2, y + gap],
    [x + gap * 0.7, y - gap * 0.7 - 14],
    [x + gap * 0.7, y + gap * 0.7 - 2],
    [x - gap * 0.7 - width, y - gap * 0.7 - 14],
    [x - gap * 0.7 - width, y + gap * 0.7 - 2],
  ];
  return places.find(([left, top]) => {
    if (left < 2 || top < 2 || left + width > view.width - 2 || top + 16 > view.height - 2) return false;
    return !taken.some(([l, t, r, b]) => left < r + 3 && left + width > l - 3 && top < b && top + 16 > t);
  }) ?? null;
}
