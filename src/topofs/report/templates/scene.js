// Where the columns stand: in groups around the selected ones, or as the filtered graph has
// them. Places are in pixels from the middle of the drawing, before it is zoomed.

const canvas = byId("network");
const view = { scale: 1, x: 0, y: 0, width: 0, height: 0, own: false };
const FEW = 60; // up to so many columns, there is room for all names
const MANY = 10; // from so many members, they spiral outwards
let scene = null;

function newScene() {
  return { drawn: [], places: new Float64Array(2 * N), has: new Uint8Array(N), lines: [], heads: new Map(), strip: null, radius: 3 };
}

function put(made, feature, x, y) {
  made.drawn.push(feature);
  made.has[feature] = 1;
  made.places.set([x, y], 2 * feature);
}

// A selected column with its members around it, the nearer the larger the share. The unit is
// the distance between dots.
function star(feature, members) {
  const many = members.length > MANY;
  const dots = members.map(([member, share], at) => {
    const away = 1.1 + 1.6 * (1 - Math.min(1, Math.max(0, share)));
    const distance = many ? Math.max(away, 0.62 * Math.sqrt(at + 3)) : away;
    const angle = many ? at * 2.39996 : (2 * Math.PI * at) / members.length;
    return [member, distance * Math.cos(angle), distance * Math.sin(angle), share];
  });
  const [across, down] = [1, 2].map((axis) => [...dots.map((dot) => dot[axis]), 0]);
  const box = { left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down) };
  return { feature, dots, box, named: 0, wide: box.right - box.left + 1, tall: box.bottom - box.top + 1 };
}

// Stars in rows, as words in lines, or null where they do not fit.
function rowsOf(stars, unit, width, height, beside, above) {
  const rows = [];
  for (const one of stars) {
    const across = Math.max(one.wide * unit + beside, one.named);
    let row = rows.at(-1);
    if (row === undefined || row.across + across > width) {
      row = { stars: [], across: 0, tall: 0 };
      rows.push(row);
    }
    row.stars.push(one);
    row.across += across;
    row.tall = Math.max(row.tall, one.tall * unit + above);
  }
  const tall = rows.reduce((sum, row) => sum + row.tall, 0);
  return tall <= height && rows.every((row) => row.across <= width) ? { rows, left: height - tall } : null;
}

// The largest unit for which they fit; then rows as even as they can be.
function largestRows(stars, width, height, beside, above) {
  for (let unit = 64; unit > 0.2; unit *= 0.96) {
    let fit = rowsOf(stars, unit, width, height, beside, above);
    if (fit === null) continue;
    const number = fit.rows.length;
    for (let narrow = 0.98 * width; narrow > 0; narrow *= 0.98) {
      const even = rowsOf(stars, unit, narrow, height, beside, above);
      if (even === null || even.rows.length > number) break;
      fit = even;
    }
    return { unit, ...fit };
  }
  return null;
}

// The room that the names of stars need, at most some of it.
function nameWidths(stars, most) {
  const context = canvas.getContext("2d");
  context.font = labelFont(true);
  stars.forEach((one) => { one.named = Math.min(most, context.measureText(DATA.names[one.feature]).width + 6); });
}

// As large as they fit, evenly spread; names stand above the selected ones.
function layStars(made, stars, width, height) {
  if (stars.length === 0) return;
  const few = DATA.nodes.length <= FEW;
  const room = Math.sqrt((width * height) / stars.length);
  const beside = few ? Math.min(150, 0.18 * width) : Math.min(14, 0.2 * room);
  const named = room > 30;
  if (named) nameWidths(stars, Math.min(110, 0.21 * width));
  const above = few ? 44 : named ? 20 : Math.min(6, 0.1 * room);
  const found = largestRows(stars, width, height, beside, above);
  if (found === null) return;
  const { unit, rows } = found;
  made.radius = Math.min(7, Math.max(1.3, 0.24 * unit));
  const head = named ? 16 : 0;
  const down = found.left / rows.length;
  let top = -view.height / 2 + 8;
  for (const row of rows) {
    const more = (width - row.across) / row.stars.length;
    let left = -width / 2;
    for (const { feature, dots, box, wide, named: least } of row.stars) {
      const across = Math.max(wide * unit + beside, least) + more;
      const x = left + (across - (box.left + box.right) * unit) / 2;
      const y = top + (row.tall + down + head - (box.top + box.bottom) * unit) / 2;
      put(made, feature, x, y);
      if (head > 0) made.heads.set(feature, [made.radius * 1.3 + 2 - box.top * unit, across]);
      dots.forEach(([member, dx, dy, share]) => {
        put(made, member, x + dx * unit, y + dy * unit);
        if (isRepresented(share)) made.lines.push([feature, member, share]);
      });
      left += across;
    }
    top += row.tall + down;
  }
}

// Columns that no selected one represents, and isolated ones, stand in rows below the others.
function layApart(made, apart, width, height, alone) {
  if (apart.length === 0) return 0;
  const share = Math.min(0.25, Math.max(0.1, apart.length / DATA.nodes.length));
  const room = alone ? height - 34 : Math.max(24, share * height);
  const spacing = apart.length * 120 <= width ? 120 : Math.min(14, Math.sqrt((width * room) / apart.length));
  const inRow = Math.max(1, Math.floor(width / spacing));
  const step = Math.min(spacing, 14);
  const tall = step * Math.ceil(apart.length / inRow) + 30;
  const top = alone ? -height / 2 : height / 2 - tall;
  apart.forEach((feature, at) => put(made, feature, -width / 2 + (at % inRow + 0.5) * spacing, top + 28 + (Math.floor(at / inRow) + 0.3) * step));
  made.strip = { top, number: apart.length, isolated: apart.filter((feature) => ISOLATED.has(feature)).length };
  return tall;
}

function groupsScene() {
  const made = newScene();
  const { groups, alone } = groupsAt(state.k);
  const stars = [];
  const apart = [];
  groups.forEach((members, feature) => {
    if (NODE[feature] < 0) return;
    if (members.length === 0 && ISOLATED.has(feature)) apart.push(feature);
    else stars.push(star(feature, members));
  });
  apart.push(...alone);
  const width = view.width - 24;
  made.radius = 7;
  const strip = layApart(made, apart, width, view.height, stars.length === 0);
  layStars(made, stars, width, view.height - strip - 12);
  return made;
}

// The places that Python found, as large as they fit.
function graphScene() {
  const made = newScene();
  const { drawn, places, edges, weights, correlations } = DATA.graph;
  const far = [0, 1].map((axis) => drawn.reduce((most, _, place) => Math.max(most, Math.abs(places[2 * place + axis])), 0.05 * SCALE));
  const margin = drawn.length <= FEW && view.width > 500 ? 44 : 20;
  const scale = Math.max(10 / SCALE, Math.min((view.width / 2 - margin) / far[0], (view.height / 2 - margin) / far[1]));
  drawn.forEach((feature, place) => put(made, feature, places[2 * place] * scale, places[2 * place + 1] * scale));
  const highest = weights.reduce((most, weight) => Math.max(most, weight), SCALE);
  weights.forEach((weight, edge) => {
    const [i, j] = [edges[2 * edge], edges[2 * edge + 1]];
    if (made.has[i] && made.has[j]) made.lines.push([i, j, weight / highest, correlations !== null && correlations[edge] < 0]);
  });
  made.radius = Math.min(8, Math.max(1.7, 0.11 * Math.sqrt((view.width * view.height) / Math.max(1, drawn.length))));
  return made;
}

function isDrawn(feature) {
  return scene !== null && scene.has[feature] === 1;
}

function onScreen(feature) {
  return [view.x + scene.places[2 * feature] * view.scale, view.y + scene.places[2 * feature + 1] * view.scale];
}

function fitView() {
  Object.assign(view, { scale: 1, x: view.width / 2, y: view.height / 2, own: false });
}

function layScene() {
  if (view.width === 0) return;
  scene = state.view === "groups" ? groupsScene() : graphScene();
  linePaths = makeLinePaths();
}
