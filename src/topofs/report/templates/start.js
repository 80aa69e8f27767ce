// Show all panels, and follow the window.

showAll();

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => panels.forEach((panel) => panel(new Set(["theme"]))));
let resized = 0;
new ResizeObserver(() => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => panels.forEach((panel) => panel(new Set(["size"]))));
}).observe(document.querySelector(".page"));

// The bar stays at the top: what the page scrolls to begins below it.
new ResizeObserver(([{ target }]) => {
  document.documentElement.style.scrollPaddingTop = `${target.offsetHeight + 16}px`;
}).observe(document.querySelector(".toolbar"));

// For those who script the page: where a column is drawn, in the coordinates of the window.
window.topofsReport = Object.freeze({
  placeOf(name) {
    const feature = DATA.names.indexOf(name);
    if (feature < 0 || !isDrawn(feature)) return null;
    const box = canvas.getBoundingClientRect();
    const [x, y] = onScreen(feature);
    return [box.left + x, box.top + y];
  },
});
