"""Every relative link of the pages leads to a file that is there, and to a heading in it."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("docs.make_outputs", reason="the repository alone has the pages")

PAGES = sorted(
    page
    for folder in (".", "docs", "paper", "study", "recipe", ".github", "tests/data")
    for page in (ROOT / folder).glob("**/*.md" if folder == "docs" else "*.md")
)
FENCE = re.compile(r"^(?P<mark>`{3,}|~{3,}).*?^(?P=mark)`*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(
    r"\]\(\s*<?(?P<to>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"(?P<raw>[^\"]+)\""
)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
GENERATED = "docs/gallery/"  # sphinx-gallery writes these pages from examples/


@cache
def anchors_of(page):
    """The anchors of the headings of a page, as hosting sites and MyST make them."""
    found, text = [], FENCE.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.append(f"{slug}-{n}" if (n := found.count(slug)) else slug)
    return {*found, *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


def broken_links(page, root=ROOT):
    """The links of a page that lead nowhere."""
    text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    for found in LINK.finditer(text):
        link = re.sub(r"\\(\W|_)", r"\1", found["to"] or found["raw"])
        if ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target.is_relative_to(root) and str(target.relative_to(root)).startswith(GENERATED):
            continue
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in anchors_of(target)
        ):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    assert list(broken_links(page)) == []


def test_a_broken_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text("# One `two`: three\n", encoding="utf-8")
    page.write_text(
        "[a](other.md) [b](other.md#one-two-three) [c](https://x.org/) [d](#here) `[e](gone.md)`\n"
        '## Here\n```\n[f](gone.md)\n```\n[g](gone.md) [h](other.md#gone) <img src="gone.png">\n',
        encoding="utf-8",
    )
    assert list(broken_links(page, tmp_path)) == ["gone.md", "other.md#gone", "gone.png"]
