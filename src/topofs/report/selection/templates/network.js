// The drawing of the network: a canvas, redrawn from the numbers.

const view = { scale: 1, x: 0, y: 0, width: 0, height: 0, fit: 1, own: false };
const canvas = byId("network");
const PLACES = Float64Array.from(DATA.places, (value) => value / SCALE);
const N_DRAWN = DATA.drawn.length;
const EDGE_WIDTHS = [0.5, 0.8, 1.3, 2];
const EDGE_ALPHAS = [0.22, 0.32, 0.45, 0.65];
const edgePaths = makeEdgePaths();
let colors = {};
let spread = null; // half of the width and of the height of the places

function edgeLevel(weight) {
  return Math.min(3, Math.max(0, Math.floor(weight * 4)));
}

// All edges of a level in one path, in the units of the places: redrawn, never rebuilt.
function makeEdgePaths() {
  const paths = EDGE_WIDTHS.map(() => new Path2D());
  const highest = DATA.weights.reduce((most, weight) => Math.max(most, weight), 1) / SCALE;
  for (let edge = 0; edge < DATA.weights.length; edge += 1) {
    const i = PLACE[DATA.edges[2 * edge]];
    const j = PLACE[DATA.edges[2 * edge + 1]];
    if (i < 0 || j < 0) continue;
    const path = paths[edgeLevel(DATA.weights[edge] / SCALE / highest)];
    path.moveTo(PLACES[2 * i], PLACES[2 * i + 1]);
    path.lineTo(PLACES[2 * j], PLACES[2 * j + 1]);
  }
  return paths;
}

function fitView() {
  if (spread === null) {
    spread = [0.05, 0.05];
    for (let place = 0; place < N_DRAWN; place += 1) {
      spread[0] = Math.max(spread[0], Math.abs(PLACES[2 * place]));
      spread[1] = Math.max(spread[1], Math.abs(PLACES[2 * place + 1]));
    }
  }
  const margin = N_DRAWN <= 60 && view.width > 500 ? 44 : 20;
  view.fit = Math.max(10, Math.min((view.width / 2 - margin) / spread[0], (view.height / 2 - margin) / spread[1]));
  Object.assign(view, { scale: view.fit, x: view.width / 2, y: view.height / 2, own: false });
}

function onScreen(feature) {
  const place = PLACE[feature];
  return [view.x + PLACES[2 * place] * view.scale, view.y + PLACES[2 * place + 1] * view.scale];
}

function zoomAt(x, y, factor) {
  const scale = Math.min(view.fit * 60, Math.max(view.fit * 0.5, view.scale * factor));
  const ratio = scale / view.scale;
  Object.assign(view, { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, own: true });
  redraw();
}

function bringIntoView(feature) {
  const [x, y] = onScreen(feature);
  const wanted = Math.max(view.scale, view.fit * Math.min(6, Math.max(1, Math.sqrt(N_DRAWN) / 12)));
  const far = x < 40 || y < 40 || x > view.width - 40 || y > view.height - 40;
  if (!far && wanted === view.scale) return;
  const place = PLACE[feature];
  Object.assign(view, {
    scale: wanted,
    x: view.width / 2 - PLACES[2 * place] * wanted,
    y: view.height / 2 - PLACES[2 * place + 1] * wanted,
    own: true,
  });
  redraw();
}

// The size of a dot: some of the room there is for each, growing slowly with the zoom.
function dotRadius() {
  const room = Math.sqrt((view.width * view.height) / Math.max(1, N_DRAWN));
  return Math.min(8, Math.max(1.7, 0.11 * room)) * Math.sqrt(Math.max(1, view.scale / view.fit));
}

// The drawn feature nearest to a point, within reach, or -1.
function featureAt(x, y, reach) {
  let best = -1;
  let least = (dotRadius() + reach) ** 2;
  for (let place = 0; place < N_DRAWN; place += 1) {
    const dx = view.x + PLACES[2 * place] * view.scale - x;
    const dy = view.y + PLACES[2 * place + 1] * view.scale - y;
    const distance = dx * dx + dy * dy;
    if (distance < least) {
      least = distance;
      best = DATA.drawn[place];
    }
  }
  return best;
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawNetwork();
  });
}

function drawNetwork() {
  if (view.width === 0) return;
  const began = performance.now();
  const context = fitCanvas(canvas, view.width, view.height);
  context.clearRect(0, 0, view.width, view.height);
  const focus = state.active >= 0 && PLACE[state.active] >= 0 ? state.active : state.hovered;
  const near = focus >= 0 ? new Set([focus, ...company(focus)]) : null;
  drawEdges(context, near === null ? 1 : 0.35);
  if (near !== null) {
    drawSpokes(context, focus);
    drawWays(context, focus);
  }
  drawDots(context, near);
  drawLabels(context, focus, near);
  canvas.dataset.milliseconds = (performance.now() - began).toFixed(1);
}

function drawEdges(context, strength) {
  context.save();
  context.translate(view.x, view.y);
  context.scale(view.scale, view.scale);
  context.strokeStyle = colors.edge;
  // Many edges on little room make a grey mass: thinner and paler the more there are.
  const crowd = Math.min(1, Math.max(0.3, 30 / Math.sqrt(DATA.weights.length)) * Math.sqrt(view.scale / view.fit));
  edgePaths.forEach((path, level) => {
    context.globalAlpha = EDGE_ALPHAS[level] * strength * (0.5 + 0.5 * crowd);
    context.lineWidth = (EDGE_WIDTHS[level] * (0.4 + 0.6 * crowd)) / view.scale;
    context.stroke(path);
  });
  context.restore();
}

function drawSpokes(context, focus) {
  const [x, y] = onScreen(focus);
  context.strokeStyle = colors.link;
  ADJACENT[focus].forEach(([other, weight]) => {
    if (PLACE[other] < 0) return;
    context.lineWidth = 1 + 2.5 * Math.max(0, weight);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...onScreen(other));
    context.stroke();
  });
}

function drawDots(context, near) {
  const radius = dotRadius();
  const layers = [[], [], [], []]; // pale, pale selected, plain, selected
  for (const feature of DATA.drawn) {
    const bright = near === null || near.has(feature);
    layers[(bright ? 2 : 0) + (isSelected(feature, state.k) ? 1 : 0)].push(feature);
  }
  layers.forEach((features, layer) => {
    const selected = layer % 2 === 1;
    context.globalAlpha = layer < 2 ? 0.35 : 1;
    context.fillStyle = selected ? colors.selected : colors.other;
    const size = selected ? radius * 1.3 : radius;
    circles(context, features, size, true);
    context.fill();
    if (selected && radius > 2.2) {
      context.strokeStyle = colors.ground;
      context.lineWidth = 1.5;
      context.stroke();
    }
  });
  context.globalAlpha = 1;
  crosses(context, near, radius);
  if (state.matches !== null) ring(context, state.matches, radius + 3, 2);
  if (state.hovered >= 0) ring(context, [state.hovered], radius + 3, 2);
  if (state.active >= 0) ring(context, [state.active], radius + 4, 3);
}

// Excluded columns are hollow and crossed out.
function crosses(context, near, radius) {
  for (const feature of DATA.excluded) {
    if (PLACE[feature] < 0) continue;
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
  circles(context, features.filter((feature) => PLACE[feature] >= 0), radius);
  context.stroke();
}
