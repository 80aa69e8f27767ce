// Hand, wheel and keyboard on the drawing, and the two views.

const pointers = new Map();
let dragged = false;
let pinch = 0;

function pointOf(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function onPointerDown(event) {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, pointOf(event));
  dragged = pointers.size > 1;
  pinch = pinchLength();
}

function onPointerMove(event) {
  const [x, y] = pointOf(event);
  const before = pointers.get(event.pointerId);
  if (before === undefined) {
    hover(x, y);
    return;
  }
  const [dx, dy] = [x - before[0], y - before[1]];
  if (!dragged && Math.hypot(dx, dy) < 4) return;
  dragged = true;
  canvas.classList.add("dragging");
  byId("tooltip").hidden = true;
  pointers.set(event.pointerId, [x, y]);
  if (pointers.size === 2) {
    const length = pinchLength();
    const [[ax, ay], [bx, by]] = [...pointers.values()];
    if (pinch > 0) zoomAt((ax + bx) / 2, (ay + by) / 2, length / pinch);
    pinch = length;
  } else {
    move(dx, dy);
  }
}

function onPointerUp(event) {
  const [x, y] = pointOf(event);
  if (pointers.delete(event.pointerId) && !dragged && event.type === "pointerup") {
    const touch = event.pointerType === "touch";
    update({ active: featureAt(x, y, touch ? 16 : 7) });
  }
  pinch = 0;
  if (pointers.size === 0) canvas.classList.remove("dragging");
}

function pinchLength() {
  if (pointers.size !== 2) return 0;
  const [[ax, ay], [bx, by]] = [...pointers.values()];
  return Math.hypot(ax - bx, ay - by);
}

function move(dx, dy) {
  view.x += dx;
  view.y += dy;
  view.own = true;
  redraw();
}

function hover(x, y) {
  const feature = featureAt(x, y, 5);
  canvas.classList.toggle("on-node", feature >= 0);
  update({ hovered: feature });
  const tooltip = byId("tooltip");
  tooltip.hidden = feature < 0;
  if (feature < 0) return;
  const lines = [DATA.names[feature], `${statusOf(feature, state.k)} · rank ${rankOf(feature)}`];
  if (!SCORE_ADDS) lines.push(`${DATA.words.score}: ${ownScoreText(feature)}`);
  lines.push(...representativeLine(feature));
  if (DATA.resampled !== null) lines.push(`Chosen in ${percent(frequency(feature))} of the draws`);
  showTooltip(tooltip, canvas.offsetLeft + x, canvas.offsetTop + y, lines);
}

// The selected column that represents one, or is most like it: a line, or none.
function representativeLine(feature) {
  const nearest = nearestSelected(feature, state.k);
  if (REPRESENTATION === null) return nearest === null ? [] : [`Nearest selected: ${DATA.names[nearest.feature]}, ${similarityText(nearest.similarity)}`];
  if (isSelected(feature, state.k)) return [`Represents ${counted(parted(membersOf(feature, state.k))[0].length, "other")}`];
  if (nearest === null) return [ISOLATED.has(feature) ? "Isolated" : "Not represented"];
  if (!isRepresented(nearest.similarity)) return [`Shares ${percent(nearest.similarity)} with ${DATA.names[nearest.feature]}`];
  return [`${DATA.names[nearest.feature]} represents it, ${percent(nearest.similarity)}`];
}

function zoomAt(x, y, factor) {
  const scale = Math.min(60, Math.max(0.5, view.scale * factor));
  const ratio = scale / view.scale;
  Object.assign(view, { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, own: true });
  redraw();
}

function bringIntoView(feature) {
  const [x, y] = onScreen(feature);
  const wanted = Math.max(view.scale, Math.min(6, Math.max(1, Math.sqrt(scene.drawn.length) / 12)));
  const far = x < 40 || y < 40 || x > view.width - 40 || y > view.height - 40;
  if (wanted === view.scale && !(far && view.own)) return;
  Object.assign(view, {
    scale: wanted,
    x: view.width / 2 - scene.places[2 * feature] * wanted,
    y: view.height / 2 - scene.places[2 * feature + 1] * wanted,
    own: true,
  });
  redraw();
}

function onWheel(event) {
  // An unfocused drawing lets the page scroll; a pinch on a touch pad arrives with ctrl.
  const wanted = event.ctrlKey || event.metaKey || document.activeElement === canvas;
  byId("hint").hidden = wanted;
  if (!wanted) {
    clearTimeout(onWheel.timer);
    onWheel.timer = setTimeout(() => { byId("hint").hidden = true; }, 1500);
    return;
  }
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : 1;
  zoomAt(...pointOf(event), Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 120 : 400)));
}

function zoomMiddle(factor) {
  zoomAt(view.width / 2, view.height / 2, factor);
}

const KEYS = {
  ArrowLeft: () => move(50, 0),
  ArrowRight: () => move(-50, 0),
  ArrowUp: () => move(0, 50),
  ArrowDown: () => move(0, -50),
  "+": () => zoomMiddle(1.3),
  "=": () => zoomMiddle(1.3),
  "-": () => zoomMiddle(1 / 1.3),
  0: () => { fitView(); redraw(); },
  Escape: () => update({ active: -1 }),
};

// Which of the two views is shown, and the words below it.
function showView() {
  document.querySelectorAll("[data-view]").forEach((box) => {
    if (box.localName === "button") box.setAttribute("aria-pressed", String(box.dataset.view === state.view));
    else box.hidden = box.dataset.view !== state.view;
  });
}

function setUpDrawing() {
  canvas.addEventListener("pointerdown", onPointerDown);
  canvas.addEventListener("pointermove", onPointerMove);
  canvas.addEventListener("pointerup", onPointerUp);
  canvas.addEventListener("pointercancel", onPointerUp);
  canvas.addEventListener("pointerleave", () => {
    update({ hovered: -1 });
    byId("tooltip").hidden = true;
  });
  canvas.addEventListener("wheel", onWheel, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  byId("zoom-in").addEventListener("click", () => zoomMiddle(1.5));
  byId("zoom-out").addEventListener("click", () => zoomMiddle(1 / 1.5));
  byId("zoom-fit").addEventListener("click", () => { fitView(); redraw(); });
  document.querySelectorAll("button[data-view]").forEach((button) => button.addEventListener("click", () => update({ view: button.dataset.view })));
  addPanel((keys) => {
    if (keys.has("theme")) {
      ["ground", "ink", "quiet", "rule", "selected", "selected-ink", "other", "edge", "link", "negative"].forEach((name) => { colors[name] = color(name); });
    }
    if (keys.has("size")) Object.assign(view, { width: canvas.clientWidth, height: canvas.clientHeight });
    if (keys.has("view")) showView();
    if (keys.has("view") || (keys.has("size") && !view.own)) fitView();
    if (keys.has("size") || keys.has("view") || (keys.has("k") && state.view === "groups")) layScene();
    drawScene();
  });
}

setUpDrawing();
