"""Take the pictures of the page on breast_cancer.csv that README and the tutorial show.

Needs Chromium (Debian's, or that of playwright): python docs/make_screenshots.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = Path(__file__).parent / "images"
PICTURES = {
    "report-light": {"viewport": {"width": 1280, "height": 1120}, "color_scheme": "light"},
    "report-dark": {"viewport": {"width": 1280, "height": 1120}, "color_scheme": "dark"},
    "report-phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run(
            [sys.executable, ROOT / "examples" / "breast_cancer_csv.py"], cwd=folder, check=True
        )
        command = ["topofs.cli", "select", "breast_cancer.csv", "--target", "diagnosis"]
        subprocess.run(
            [sys.executable, "-m", *command, "--report", "report.html"], cwd=folder, check=True
        )
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, how in PICTURES.items():
            page = browser.new_page(**how, device_scale_factor=2)
            page.goto((Path(folder) / "report.html").as_uri())
            page.wait_for_timeout(500)
            page.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
