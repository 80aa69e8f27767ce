// What the reader has chosen. Panels hear of a change once per frame.

const state = { view: DATA.view, k: DATA.k, active: -1, hovered: -1, matches: null };
const panels = [];
let changed = null;

// A panel is a function of the set of changed keys.
function addPanel(panel) {
  panels.push(panel);
}

// A panel that is drawn only while its box is near the window, and catches up later.
function addLazyPanel(box, panel) {
  const missed = new Set();
  let near = true;
  const show = (keys) => {
    keys.forEach((key) => missed.add(key));
    if (!near || missed.size === 0) return;
    const all = new Set(missed);
    missed.clear();
    panel(all);
  };
  new IntersectionObserver(([entry]) => {
    near = entry.isIntersecting;
    show(new Set());
  }, { rootMargin: "300px" }).observe(box);
  window.addEventListener("beforeprint", () => {
    near = true;
    show(new Set());
  });
  addPanel(show);
}

function update(changes) {
  const keys = Object.keys(changes).filter((key) => state[key] !== changes[key]);
  if (keys.length === 0) return;
  Object.assign(state, changes);
  if (changed === null) {
    changed = new Set();
    requestAnimationFrame(() => {
      const keysNow = changed;
      changed = null;
      panels.forEach((panel) => panel(keysNow));
    });
  }
  keys.forEach((key) => changed.add(key));
}

function showAll() {
  const all = new Set(["view", "k", "active", "hovered", "matches", "theme", "size"]);
  panels.forEach((panel) => panel(all));
}

function setSize(k) {
  const least = Math.max(1, DATA.forced);
  if (Number.isFinite(k)) update({ k: Math.min(MOST, Math.max(least, Math.round(k))) });
}
