"""A page in Debian's Chromium, watched: what it asks for, and what goes wrong in it."""

from contextlib import contextmanager
from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")
# As root there is no sandbox, and the browser itself is to ask no host for anything.
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


class Watched:
    """A page of a browser with everything it asked for and complained of."""

    def __init__(self, page):
        self.page, self.requests, self.complaints = page, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._heard)
        page.on("dialog", self._dialog)

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _dialog(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def asked_only_for(self, path):
        return self.requests == [path.as_uri()]

    def settle(self):
        """Let two frames pass: panels draw in the one after a change."""
        self.page.evaluate(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def color_at(self, name):
        """The colour of the middle of a column's dot, as drawn on the canvas."""
        return self.page.evaluate(
            """(name) => {
                const canvas = document.getElementById("network");
                const box = canvas.getBoundingClientRect();
                const [x, y] = window.topofsReport.placeOf(name);
                const scale = canvas.width / box.width;
                const often = { willReadFrequently: true };
                const copy = new OffscreenCanvas(1, 1).getContext("2d", often);
                copy.drawImage(canvas, -(x - box.left) * scale, -(y - box.top) * scale);
                return Array.from(copy.getImageData(0, 0, 1, 1).data);
            }""",
            name,
        )

    def click_dot(self, name):
        self.page.locator("#network").scroll_into_view_if_needed()
        self.settle()
        x, y = self.page.evaluate("(name) => window.topofsReport.placeOf(name)", name)
        self.page.mouse.click(x, y)
        self.settle()


@contextmanager
def opened(browser, path, **options):
    """Open a file in a fresh window, and close it."""
    options = {"viewport": {"width": 1280, "height": 900}} | options
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(10_000)
    try:
        watched = Watched(context.new_page())
        watched.page.goto(path.as_uri())
        watched.settle()
        yield watched
    finally:
        context.close()
