"""Take the pictures of the reports that how-to pages write: docs/images/report-NAME.png.

Runs the examples and opens the pages they write in Debian's Chromium::

    pip install '.[test,docs-data]' && apt-get install chromium
    python docs/make_how_to_pictures.py
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

CHROMIUM = "/usr/bin/chromium"
IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURES = {
    "gene-panel": ("gene_panel.py", "panel.html"),
    "business-table": ("customer_table.py", "customers.html"),
    "assets": ("representative_assets.py", "assets.html"),
}


def take(page: Path, picture: Path) -> None:
    """Look at the upper part of a page."""
    taken = page.with_suffix(".png")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--window-size=1280,1120", f"--screenshot={taken}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    image = Image.open(BytesIO(taken.read_bytes())).convert("RGB")
    image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        picture, optimize=True
    )


def main() -> None:
    """Take all pictures."""
    for name, (example, page) in PICTURES.items():
        with TemporaryDirectory() as folder:
            command = [sys.executable, str(EXAMPLES / example)]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            take(Path(folder) / page, IMAGES / f"report-{name}.png")


if __name__ == "__main__":
    main()
