"""The selection page as a file."""

import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from tests.matrices import factor_table
from tests.report.pages import selection_report
from tests.report.selection_cases import HOSTILE, NAMES, table, tied_selector
from topofs import Centrality, Pearson, TopologicalFeatureSelector
from topofs.io.frames import NamedArray
from topofs.io.types import LeftOutColumn
from topofs.report.selection import (
    summarise_selection,
    write_selection_report,
)
from topofs.report.selection_words import Words
from topofs.text import percent

VOID = {"meta", "input", "br"}


@pytest.fixture(scope="module")
def selector():
    return tied_selector(table())


@pytest.fixture(scope="module")
def page(selector, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_selection_report(
        path,
        selector=selector,
        X=table(),
        table_name=HOSTILE,
        left_out=[LeftOutColumn(HOSTILE, "text"), LeftOutColumn("day", HOSTILE)],
        passed_through=[HOSTILE],
    )
    return path.read_text(encoding="utf-8")


class _Checker(HTMLParser):
    """Collects elements and checks that each one that opens closes."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def data_of(page):
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert len(found) == 1
    return json.loads(found[0])


def test_the_page_is_well_formed_and_stands_alone(page):
    checker = _Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.seen.count("script") == 2
    names = {name for name, _ in checker.attributes}
    assert not names & {"src", "onclick", "onload", "onerror", "style"}
    links = [value for name, value in checker.attributes if name == "href"]
    assert links == ["#ranking"]
    ids = [value for name, value in checker.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    # The name of a namespace, which nothing asks for.
    assert set(re.findall(r"https?://[\w./]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page


def test_every_control_has_a_name(page):
    labelled = re.findall(r'<label for="([\w-]+)"', page)
    controls = re.findall(r"<(?:input|select|canvas|button)\b[^>]*>", page)
    for control in controls:
        named = "aria-label" in control or 'role="img"' in control
        known = re.search(r'id="([\w-]+)"', control)
        assert named or control.startswith("<button") or known.group(1) in labelled, control


def test_hostile_names_never_occur_raw(page):
    for raw in ("<script>window", "<img", 'onerror="', "</script><script>"):
        assert raw not in page
    assert page.count("\\u003c/script\\u003e\\u003cscript\\u003ewindow.hacked") == 1
    assert "&lt;/script&gt;&lt;script&gt;window.hacked = true" in page
    assert "{{ 7 * 7 }}" in page


def test_the_numbers_for_the_scripts(page, selector):
    data = data_of(page)
    summary = summarise_selection(selector, table())
    assert data["names"][: len(NAMES)] == list(NAMES)
    assert data["k"] == selector.support_.sum()
    assert sorted(data["order"]) == list(range(24))
    assert set(data["order"][: data["k"]]) == set(np.flatnonzero(selector.support_).tolist())
    np.testing.assert_allclose(np.array(data["share"]) / 1e4, summary.share, atol=6e-5)
    graph = data["graph"]
    assert len(graph["edges"]) == 2 * len(graph["weights"]) == 2 * selector.graph_.n_edges
    assert len(graph["places"]) == 2 * len(graph["drawn"]) == 48
    assert graph["confidence"] is None
    signed = selector.signed_graph(table())
    np.testing.assert_allclose(
        np.array(graph["correlations"]) / 1e4, signed.correlations, atol=6e-5
    )
    assert 'Negative correlations are <span class="negative">red' in page
    assert data["nearest"]["starts"][-1] == len(data["nearest"]["values"])
    assert len(data["heat"]["values"]) == 24 * 25 // 2
    assert len(data["bars"]["barOf"]) == 24


def test_the_sentences(page, selector):
    words = Words(summarise_selection(selector, table(), table_name="t.csv"))
    k = int(selector.support_.sum())
    assert words.headline == f"{k} of 24 columns selected"
    assert words.headline in page
    assert "Tied at the cut" in page
    assert "variance a column shares" in words.meaning
    assert "squared Pearson correlation over 80 rows. Of 276 pairs" in words.method
    assert "keeps 66 links" in words.method


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"similarity": "spearman"}, "squared Spearman rank correlation"),
        ({"similarity": Pearson(squared=False)}, "by Pearson correlation over"),
        ({"similarity": "energy"}, "speak of a high value, not of shared information"),
        ({"graph": "mst"}, "a maximum spanning tree (MST) keeps 23 links"),
        ({"graph": "pmfg"}, "(PMFG)"),
        ({"rule": "pagerank"}, "ranked by PageRank"),
        ({"rule": "strength"}, "summed strength of their links, equal ones as their"),
        ({"rule": "betweenness"}, "how often they lie between others"),
        ({"rule": Centrality("degree", ties="index")}, "equal ones in the order of the table"),
        ({"similarity": "mutual_information"}, "shared information, on the scale of"),
        ({"n_features_to_select": 1}, "was used"),
        ({"n_features_to_select": 24}, "was used"),
    ],
)
def test_every_setting_gives_a_page(options, phrase, tmp_path):
    options = {"n_features_to_select": 5, "rule": "degree"} | options
    selector = TopologicalFeatureSelector(**options).fit(table())
    path = tmp_path / "page.html"
    write_selection_report(path, selector=selector, X=table())
    text = path.read_text(encoding="utf-8")
    assert phrase in text
    data_of(text)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_columns_give_a_page(n, tmp_path):
    X = factor_table(30, n)
    path = tmp_path / "page.html"
    write_selection_report(path, selector=TopologicalFeatureSelector(1).fit(X), X=X)
    assert f"1 of {n} column" in path.read_text(encoding="utf-8")


def test_the_same_input_gives_the_same_file(page, selector, tmp_path):
    paths = [tmp_path / "a.html", tmp_path / "b.html"]
    for path in paths:
        write_selection_report(path, selector=selector, X=table())
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_text_is_what_is_written(selector, tmp_path):
    names = ("half \ud800 pair", *table().columns[1:])
    X = NamedArray(table().to_numpy(), names)
    named = TopologicalFeatureSelector(5, rule="degree", keep=[names[0]]).fit(X)
    for fitted, given in ((selector, table()), (named, X)):
        write_selection_report(tmp_path / "page.html", selector=fitted, X=given)
        text = selection_report(selector=fitted, X=given)
        assert (tmp_path / "page.html").read_bytes() == text.encode("utf-8")


def test_a_failure_leaves_the_old_page(selector, tmp_path):
    old = tmp_path / "page.html"
    old.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="the same table"):
        write_selection_report(old, selector=selector, X=table()[["a b"]])
    assert old.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.004, "1 %"), (0.5, "50 %"), (0.999, "99 %"), (1.0, "100 %")],
)
def test_percent(share, text):
    assert percent(share) == text


def test_scripts_only_ever_make_text_of_names():
    from importlib.resources import files

    from topofs.report.selection import SCRIPTS

    folder = files("topofs.report") / "templates"
    assert {path.name for path in folder.iterdir() if path.name.endswith(".js")} == set(SCRIPTS)
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function"
    for name in SCRIPTS:
        text = (folder / name).read_text(encoding="utf-8")
        assert not re.search(banned, text), name
        assert "</" not in text, name


def test_only_a_web_page_is_written(tmp_path):
    selector = TopologicalFeatureSelector(1).fit(table())
    with pytest.raises(ValueError, match=r"r\.pdf: a report is a web page; end the name in"):
        write_selection_report(tmp_path / "r.pdf", selector=selector, X=table())
    assert not list(tmp_path.iterdir())
    write_selection_report(tmp_path / "r.HTM", selector=selector, X=table())
    assert (tmp_path / "r.HTM").read_text(encoding="utf-8").startswith("<!")


def test_all_columns_that_took_no_part_are_listed_with_their_reasons():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 3)), columns=["x", "y", "z"])
    X["name"] = [f"n{i}" for i in range(60)]
    X["day"] = pd.date_range("2024-01-01", periods=60)
    X = pd.concat(
        [X, pd.DataFrame(1.0, index=X.index, columns=[f"c{i}" for i in range(300)])], axis=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = TopologicalFeatureSelector(1, similarity="mixed").fit(X)
        page = selection_report(selector=selector, X=X)
    assert "<li><b>names that hardly repeat, as an identifier&#39;s do</b>: name</li>" in page
    assert "<li><b>dates or times</b>: day</li>" in page
    constant = ", ".join(f"c{i}" for i in range(300))
    assert f"<li><b>constant</b>: {constant}</li>" in page
