"""Take the pictures of the report that the README shows: docs/images/report-*.png.

Selects from a dataset that ships with scikit-learn with ``topofs select``, opens the report in
Debian's Chromium and looks at it in light, in the dark and on a phone::

    pip install '.[test]' && apt-get install chromium
    python docs/make_screenshots.py
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
SCREENS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 1120}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 1120}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
SHOWN = "mean area"


def write_report(folder: Path) -> Path:
    """Let topofs choose among the 30 columns of a table, as a reader of the README would."""
    data = load_breast_cancer(as_frame=True)
    table = data.data.assign(diagnosis=data.target_names[data.target])
    table.to_csv(folder / "breast_cancer.csv", index=False)
    report = folder / "report.html"
    command = [sys.executable, "-m", "topofs.cli", "select", "breast_cancer.csv"]
    command += ["--target", "diagnosis", "--report", str(report)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return report


def picture(browser: Any, report: Path, screen: dict[str, Any]) -> bytes:
    """Open the report on a screen with one column chosen."""
    context = browser.new_context(device_scale_factor=2, **screen)
    page = context.new_page()
    page.goto(report.as_uri())
    page.fill("#search", SHOWN)
    page.press("#search", "Enter")
    page.locator("#search").blur()
    if screen.get("is_mobile"):
        page.evaluate("scrollTo(0, document.querySelector('.toolbar').offsetTop)")
    else:
        page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)
    taken: bytes = page.screenshot()
    context.close()
    return taken


def save_small(taken: bytes, path: Path) -> None:
    """Save with 256 colours, which a flat drawing does not miss."""
    image = Image.open(BytesIO(taken)).convert("RGB")
    image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = write_report(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        for name, screen in SCREENS.items():
            save_small(picture(browser, report, screen), IMAGES / f"report-{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
