import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from study.tests.paper.made_up_study import made_up, nothing
from topofs_study.paper.claims import recompute_claims
from topofs_study.report.page import Grid, grid_of_frame, number, p_value
from topofs_study.report.reproduction import contents, sections, summarise, write_reproduction
from topofs_study.report.scores import balanced_accuracy_section

HOSTILE = "<script>alert(1)</script>|**x**\n# [y](http://z) &amp;"
TABLES = ["cells.csv", "tuned.csv", "p_values.csv", "claims.csv"]
VOID = {"meta", "img", "br"}


@pytest.fixture(scope="module")
def study():
    frames = made_up(["PCMAC", "colon", "GLIOMA"])
    wine = made_up(["lung"], ["corrected"])
    wine = replace(
        wine,
        scores=wine.scores[wine.scores["n_features"].le(50)].assign(dataset=HOSTILE),
        tuned=wine.tuned.assign(dataset=HOSTILE),
        pairs=wine.pairs.assign(dataset=HOSTILE),
        splits=wine.splits.assign(dataset=HOSTILE, **{"class": "<i>"}),
    )
    names = ("scores", "tuned", "pairs", "splits")
    joined = {
        name: pd.concat([getattr(frames, name), getattr(wine, name)], ignore_index=True)
        for name in names
    }
    return replace(frames, **joined)


@pytest.fixture(scope="module")
def summary(study):
    return summarise(study, n_draws=50)


@pytest.fixture(scope="module")
def folder(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduction") / "made" / "on the way"
    paths = write_reproduction(study, out, n_draws=50)
    assert [path.name for path in paths[:4]] == TABLES
    assert [path.name for path in paths[-2:]] == ["report.md", "report.html"]
    assert sorted(paths) == sorted(out.iterdir())
    return out


class _Checker(HTMLParser):
    """Collects tags and checks that each one that opens closes."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.links, self.ids = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        known = dict(attrs)
        self.links += [known[name] for name in ("href", "src") if name in known]
        self.ids += [known["id"]] if "id" in known else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def markdown(folder):
    return (folder / "report.md").read_text(encoding="utf-8")


def test_the_page_is_well_formed_and_stands_alone(html):
    checker = _Checker()
    checker.feed(html)
    assert checker.open == []
    assert "script" not in checker.seen
    assert all(link.startswith(("#", "data:image/svg+xml")) for link in checker.links)
    targets = {link[1:] for link in checker.links if link.startswith("#")}
    assert targets <= set(checker.ids)
    assert len(checker.ids) == len(set(checker.ids))
    assert "url(" not in html
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html


def test_hostile_names_are_escaped_in_html(html):
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&amp;amp;" in html
    assert "&lt;i&gt;" in html


def test_hostile_names_are_escaped_in_markdown(markdown):
    assert not re.search(r"(?<!\\)<", markdown)
    assert r"\<script\>alert(1)\</script\>\|\*\*x\*\* \# \[y\](http://z) \&amp;" in markdown


def test_markdown_tables_have_as_many_cells_as_heads(markdown):
    blocks = re.findall(r"(?:^\|.*\n)+", markdown, flags=re.MULTILINE)
    assert len(blocks) > 10
    for block in blocks:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block[:200]


@pytest.mark.parametrize("page", ["html", "markdown"])
def test_every_section_is_there(page, request):
    text = request.getfixturevalue(page)
    for title in (
        "What was run",
        "Agreement with the published numbers",
        "Balanced accuracy",
        "All features",
        "Errata and their effect",
        "recomputed",
        "Random subsets and other rivals",
        "Methods across datasets",
        "P-values by cell",
        "Class counts of the splits",
        "Balanced accuracy, F1 and MCC",
    ):
        assert title in text
    for number_ in range(1, 9):
        assert f"E{number_} " in text


def test_tables_come_back_as_they_were_written(folder):
    cells = pd.read_csv(folder / "cells.csv")
    head = ["dataset", "classifier", "n_features", "method", "metric", "published", "paper"]
    assert cells.columns.tolist() == [*head, "corrected"]
    assert HOSTILE in set(cells["dataset"])
    claims = pd.read_csv(folder / "claims.csv", keep_default_na=False)
    assert len(claims) == len(recompute_claims({}))
    assert (claims["paper"] != "").any()


DRAWN = """
import pandas as pd
from types import SimpleNamespace
from topofs_study.report.page import critical_difference_svg

names = ["tfs", "inf_fs", "all", "random", "variance"]
ranks = pd.Series([1.2, 1.9, 3.0, 3.8, 5.1], index=names)
far = (ranks.to_numpy()[:, None] - ranks.to_numpy())
nemenyi = pd.DataFrame(1.0 * (abs(far) < 2), index=names, columns=names)
print(critical_difference_svg(
    SimpleNamespace(average_ranks=ranks, nemenyi=nemenyi, alpha=0.05)
))
"""


def test_a_drawing_does_not_follow_the_hash_seed():
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAWN],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in range(2)
    }
    assert len(drawn) == 1
    assert drawn.pop().startswith("<svg")


def test_drawings_are_svg_of_their_own(folder):
    drawings = sorted(path.name for path in folder.glob("*.svg"))
    kinds = ("corrected", "paper", "published")
    assert drawings == [f"critical_difference_{kind}.svg" for kind in kinds]
    for name in drawings:
        root = ET.fromstring((folder / name).read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")


def test_the_same_frames_give_the_same_files(summary, folder):
    # The summary was computed a second time, from the same frames.
    for name, text in contents(summary).items():
        assert text == (folder / name).read_text(encoding="utf-8"), name


def test_nothing_run_still_shows_the_published_study(tmp_path):
    paths = {path.name: path for path in write_reproduction(nothing(), tmp_path, n_draws=50)}
    text = paths["report.md"].read_text(encoding="utf-8")
    assert "Nothing was run" in text
    assert "Agreement with" not in text
    assert "critical_difference_paper.svg" not in paths
    assert "GISETTE" in text


def test_a_failure_leaves_the_old_report(tmp_path):
    old = tmp_path / "report.html"
    old.write_text("old", encoding="utf-8")
    broken = replace(nothing(), scores=pd.DataFrame({"no": [1]}))
    with pytest.raises(KeyError):
        write_reproduction(broken, tmp_path)
    assert old.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.fixture(scope="module")
def one_protocol():
    frames = made_up(["colon"], ["paper"])
    scores = frames.scores[frames.scores["classifier"] == "KNN"].reset_index(drop=True)
    at = scores["metric"].eq("balanced_accuracy") & scores["method"].eq("tfs")
    scores.loc[at, "value"] += [0.02, 0.04, 0.0, 0.0, 0.0]
    return summarise(replace(frames, scores=scores), n_draws=50)


def _row(grid, name):
    return next(row for row in grid.rows if row[0].lines[0].text == name)


def test_differences_are_marked(one_protocol):
    section = balanced_accuracy_section(
        one_protocol.cells, one_protocol.studies, one_protocol.sources
    )
    knn = next(grid for grid in section.grids if grid.caption == "KNN")
    lines = [cell.lines for cell in _row(knn, "colon")[1:]]
    assert [line.source for line in lines[0]] == ["published", "paper"]
    assert [pair[1].mark for pair in lines] == ["", "≠", "", "≠≠", "", "", "", "", "", ""]
    # Inf-FS at 150 features is the best of the dataset in both.
    assert [pair[0].strong for pair in lines].index(True) == 6
    assert lines[6][1].strong


def test_the_layout_is_the_papers(one_protocol):
    section = balanced_accuracy_section(
        one_protocol.cells, one_protocol.studies, one_protocol.sources
    )
    assert [grid.caption for grid in section.grids] == ["LinearSVM", "KNN", "Decision Tree"]
    grid = section.grids[2]
    assert grid.columns[:3] == ("Dataset", "Inf-FS", "TFS")
    assert [label for label, _ in grid.groups][1:] == [
        f"{size} features" for size in (10, 50, 100, 150, 200)
    ]
    assert len(grid.rows) == 17
    bests = [cell.lines[0].text for cell in grid.rows[-1][1:]]
    assert bests == ["5", "11", "5", "11", "5", "11", "7", "9", "5", "11"]
    assert [cell.lines[1].text for cell in grid.rows[-1][1:]] == ["·"] * 10
    assert grid.heads[1] == "10 features Inf-FS"


def test_every_grid_is_rectangular(one_protocol, summary):
    def grids(page) -> list[Grid]:
        return [g for s in page for g in (*s.grids, *grids(s.parts))]

    for numbers in (one_protocol, summary):
        for grid in grids(sections(numbers)):
            assert {len(row) for row in grid.rows} == {len(grid.columns)}, grid.caption
            assert len(grid.heads) == len(grid.columns)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.125, "0.12"),
        (-0.004, "0.00"),
        (None, "·"),
        (float("nan"), "·"),
        (7, "7"),
        (7.0, "7.00"),
    ],
)
def test_number(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "<0.001"), (0.0999, "0.100"), (0.1, "0.10"), (1.0, "1.00"), (None, "·")],
)
def test_p_value(value, expected):
    assert p_value(value) == expected


def test_grid_of_frame_writes_names_out():
    frame = pd.DataFrame({"method": ["inf_fs"], "p": [0.0004], "n": [3]})
    grid = grid_of_frame(frame, "c", p_values=["p"])
    assert [cell.lines[0].text for cell in grid.rows[0]] == ["Inf-FS", "<0.001", "3"]
