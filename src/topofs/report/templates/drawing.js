// The drawing on its canvas: lines, dots and names, drawn again from the scene.

const LINE_WIDTHS = [0.5, 0.8, 1.3, 2];
const LINE_ALPHAS = [0.22, 0.32, 0.45, 0.65];
const MOST_LABELS = 120;
const MOST_BOXES = 400;
let linePaths = [];
let colors = {};
let waiting = false;

// All lines of a level in one path, in the places of the scene.
function makeLinePaths() {
  // Those of each width, then the same for negative correlations.
  const paths = [...LINE_WIDTHS, ...LINE_WIDTHS].map(() => new Path2D());
  scene.lines.forEach(([i, j, weight, negative]) => {
    const path = paths[(negative ? 4 : 0) + Math.min(3, Math.max(0, Math.floor(weight * 4)))];
    path.moveTo(scene.places[2 * i], scene.places[2 * i + 1]);
    path.lineTo(scene.places[2 * j], scene.places[2 * j + 1]);
  });
  return paths;
}

function dotRadius() {
  return scene.radius * Math.sqrt(Math.max(1, view.scale));
}

// The drawn feature nearest to a point, within reach, or -1.
function featureAt(x, y, reach) {
  let best = -1;
  let least = (dotRadius() + reach) ** 2;
  for (const feature of scene.drawn) {
    const [left, top] = onScreen(feature);
    const distance = (left - x) ** 2 + (top - y) ** 2;
    if (distance < least) {
      least = distance;
      best = feature;
    }
  }
  return best;
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawScene();
  });
}

// The features to show with one: those of its group, or its neighbours in the graph.
function company(feature) {
  if (state.view === "graph") return ADJACENT[feature].map(([other]) => other);
  if (isSelected(feature, state.k)) return membersOf(feature, state.k).map(([member]) => member);
  const by = nearestSelected(feature, state.k);
  return by === null ? [] : [by.feature];
}

function drawScene() {
  if (scene === null) return;
  const began = performance.now();
  const context = fitCanvas(canvas, view.width, view.height);
  context.clearRect(0, 0, view.width, view.height);
  const focus = isDrawn(state.active) ? state.active : isDrawn(state.hovered) ? state.hovered : -1;
  const near = focus >= 0 ? new Set([focus, ...company(focus).filter(isDrawn)]) : null;
  drawStrip(context);
  drawLines(context, near === null ? 1 : 0.35);
  if (near !== null) drawSpokes(context, focus, near);
  drawDots(context, near);
  drawLabels(context, focus, near);
  canvas.dataset.milliseconds = (performance.now() - began).toFixed(1);
}

// A line and a title above the columns that stand apart.
function drawStrip(context) {
  if (scene.strip === null) return;
  const y = view.y + scene.strip.top * view.scale;
  const { number, isolated } = scene.strip;
  context.strokeStyle = colors.rule;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(12, y + 2);
  context.lineTo(view.width - 12, y + 2);
  context.stroke();
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colors.quiet;
  context.textBaseline = "middle";
  const why = view.width < 500 ? "" : ": no other column explains them";
  const others = number > isolated ? `${counted(number - isolated, "column")} not represented` : "";
  const apart = isolated > 0 ? `${counted(isolated, "column")} isolated${why}` : "";
  context.fillText([apart, others].filter(Boolean).join(" · "), 12, y + 14, view.width - 24);
}

function drawLines(context, strength) {
  context.save();
  context.translate(view.x, view.y);
  context.scale(view.scale, view.scale);
  // Many lines on little room make a grey mass: thinner and paler the more there are.
  const crowd = Math.min(1, Math.max(0.3, 30 / Math.sqrt(scene.lines.length)) * Math.sqrt(view.scale));
  linePaths.forEach((path, number) => {
    const level = number % 4;
    context.strokeStyle = number < 4 ? colors.edge : colors.negative;
    context.globalAlpha = LINE_ALPHAS[level] * strength * (0.5 + 0.5 * crowd);
    context.lineWidth = (LINE_WIDTHS[level] * (0.4 + 0.6 * crowd)) / view.scale;
    context.stroke(path);
  });
  context.restore();
}

function drawSpokes(context, focus, near) {
  context.strokeStyle = colors.link;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const other of near) {
    context.moveTo(...onScreen(focus));
    context.lineTo(...onScreen(other));
  }
  context.stroke();
  if (state.view === "graph" && REPRESENTATION !== null) drawWays(context, focus);
}

// In the graph: the way from a column to its representative, or from those that it represents.
function drawWays(context, focus) {
  const from = isSelected(focus, state.k) ? membersOf(focus, state.k).map(([member]) => member) : [focus];
  context.strokeStyle = colors.selected;
  context.lineWidth = 2.5;
  context.beginPath();
  for (const feature of from) {
    const by = nearestSelected(feature, state.k);
    if (by === null) continue;
    const way = [feature, ...wayTo(feature, state.k), by.feature].filter(isDrawn);
    way.forEach((place, at) => context[at === 0 ? "moveTo" : "lineTo"](...onScreen(place)));
  }
  context.stroke();
}

// Whether a column that is not selected is hollow: none of the selected represents it.
function isHollow(feature) {
  if (REPRESENTATION === null) return false;
  const by = nearestSelected(feature, state.k);
  return by === null || !isRepresented(by.similarity);
}

function drawDots(context, near) {
  const radius = dotRadius();
  const layers = new Map(); // pale ones first, selected ones last
  for (const feature of scene.drawn) {
    const selected = isSelected(feature, state.k);
    const bright = near === null || near.has(feature);
    const layer = (bright ? 3 : 0) + (selected ? 2 : isHollow(feature) ? 0 : 1);
    if (!layers.has(layer)) layers.set(layer, []);
    layers.get(layer).push(feature);
  }
  [...layers.keys()].sort().forEach((layer) => {
    const kind = layer % 3;
    context.globalAlpha = layer < 3 ? 0.35 : 1;
    context.fillStyle = [colors.ground, colors.other, colors.selected][kind];
    const size = kind === 2 ? Math.max(3, radius * 1.3) : radius * (kind === 0 ? 0.8 : 1);
    if (RELEVANCE !== null && kind > 0) fillByRelevance(context, layers.get(layer), size);
    else {
      circles(context, layers.get(layer), size, true);
      context.fill();
    }
    if (kind === 1 || radius < 1.2) return;
    context.strokeStyle = kind === 0 ? colors.other : colors.ground;
    context.lineWidth = kind === 0 ? Math.min(1.5, 0.5 * radius) : 1.5;
    context.stroke();
  });
  context.globalAlpha = 1;
  crosses(context, near, radius);
  if (state.matches !== null) ring(context, state.matches, radius + 3, 2);
  if (state.hovered >= 0) ring(context, [state.hovered], radius + 3, 2);
  if (state.active >= 0) ring(context, [state.active], radius + 4, 3);
}

// The less a column says about the target, the paler it is.
function fillByRelevance(context, features, radius) {
  const [color, alpha] = [context.fillStyle, context.globalAlpha];
  for (const feature of features) {
    circles(context, [feature], radius, true);
    context.globalAlpha = 1;
    context.fillStyle = colors.ground;
    context.fill();
    context.globalAlpha = alpha * (0.2 + 0.8 * (RELEVANCE.values[feature] / RELEVANCE.most));
    context.fillStyle = color;
    context.fill();
  }
  context.globalAlpha = alpha;
  circles(context, features, radius, true);
}

// Excluded columns are hollow and crossed out.
function crosses(context, near, radius) {
  for (const feature of DATA.excluded) {
    if (!isDrawn(feature)) continue;
    const [x, y] = onScreen(feature);
    const arm = Math.max(3, radius * 1.1);
    context.globalAlpha = near === null || near.has(feature) ? 1 : 0.35;
    circles(context, [feature], arm);
    context.fillStyle = colors.ground;
    context.fill();
    context.strokeStyle = colors.ink;
    context.lineWidth = 1.5;
    context.moveTo(x - arm * 0.7, y - arm * 0.7);
    context.lineTo(x + arm * 0.7, y + arm * 0.7);
    context.moveTo(x + arm * 0.7, y - arm * 0.7);
    context.lineTo(x - arm * 0.7, y + arm * 0.7);
    context.stroke();
  }
  context.globalAlpha = 1;
}

// Circles around the places of features; with marks, forced ones get a square.
function circles(context, features, radius, marks = false) {
  context.beginPath();
  for (const feature of features) {
    const [x, y] = onScreen(feature);
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue;
    if (marks && isForced(feature)) {
      context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
}

function ring(context, features, radius, width) {
  context.strokeStyle = colors.link;
  context.lineWidth = width;
  circles(context, features.filter(isDrawn), radius);
  context.stroke();
}

function labelFont(strong) {
  return `${strong ? "600 " : ""}${view.width < 500 ? 11 : 12}px system-ui, sans-serif`;
}

// Names: the important ones first, none over another.
function labelCandidates(focus, near) {
  const candidates = [state.active, state.hovered];
  if (near !== null) candidates.push(...near);
  if (state.matches !== null) candidates.push(...state.matches.slice(0, 40));
  if (near === null) {
    candidates.push(...DATA.order.slice(0, Math.min(state.k, 400)));
    const room = Math.sqrt((view.width * view.height) / scene.drawn.length) * view.scale;
    if (room > 55) candidates.push(...DATA.order.slice(state.k));
  }
  return [...new Set(candidates)].filter(isDrawn);
}

function drawLabels(context, focus, near) {
  const radius = dotRadius();
  const dots = dotsInView();
  const taken = dots.map((feature) => dotBox(feature, radius));
  // A name that matters may cover dots that are not selected, but no other name.
  const serious = dots.filter((feature) => isSelected(feature, state.k)).map((feature) => dotBox(feature, radius));
  const most = taken.length + MOST_LABELS;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  for (const feature of labelCandidates(focus, near)) {
    if (taken.length >= most) break;
    const [x, y] = onScreen(feature);
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const selected = isSelected(feature, state.k);
    context.font = labelFont(selected || feature === focus);
    const head = scene.heads.get(feature);
    const wanted = feature === state.active || feature === state.hovered;
    // Above a group is the place of its name; elsewhere it would stand in another group.
    const text = head === undefined || wanted ? shortened(DATA.names[feature], 26) : fitted(context, DATA.names[feature], head[1] * view.scale - 4);
    const width = context.measureText(text).width;
    const gap = radius * 1.3 + 4;
    const places = [
      ...(head === undefined ? [] : [[x - width / 2, y - head[0] * view.scale - 16]]),
      ...(head === undefined || wanted ? placesAround(x, y, gap, width) : []),
    ];
    const box = text === "" ? null : freeBox(places, width, taken) ?? (selected ? freeBox(places, width, serious) : null);
    if (box === null && !wanted) continue;
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

// A name, cut to a width; none where too little of it would be left.
function fitted(context, name, width) {
  let length = 26;
  while (length > 7 && context.measureText(shortened(name, length)).width > width) length -= 1;
  const text = shortened(name, length);
  return context.measureText(text).width > width ? "" : text;
}

// Dots that names keep clear of: all in view, or the selected ones where they are too many.
function dotsInView() {
  const inView = scene.drawn.filter((feature) => {
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

// Eight places around a dot.
function placesAround(x, y, gap, width) {
  return [
    [x + gap, y - 8],
    [x - gap - width, y - 8],
    [x - width / 2, y - gap - 16],
    [x - width / 2, y + gap],
    [x + gap * 0.7, y - gap * 0.7 - 14],
    [x + gap * 0.7, y + gap * 0.7 - 2],
    [x - gap * 0.7 - width, y - gap * 0.7 - 14],
    [x - gap * 0.7 - width, y + gap * 0.7 - 2],
  ];
}

// The first place that is free and on the drawing, or null.
function freeBox(places, width, taken) {
  return places.find(([left, top]) => {
    if (left < 2 || top < 2 || left + width > view.width - 2 || top + 16 > view.height - 2) return false;
    return !taken.some(([l, t, r, b]) => left < r + 3 && left + width > l - 3 && top < b && top + 16 > t);
  }) ?? null;
}
