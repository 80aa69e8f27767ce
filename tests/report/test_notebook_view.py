import json
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser

import pandas as pd
import pytest

from tests.messages import assert_tells
from tests.report.selection_cases import HOSTILE, chained_table, mixed_table, table
from topofs import TopologicalFeatureSelector, view

pytest.importorskip("jinja2")


class Tags(HTMLParser):
    """Every tag with its attributes, as a browser reads them."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def frame_of(html):
    (frame,) = [given for tag, given in Tags(html).found if tag == "iframe"]
    return frame


def data_of(html):
    page = frame_of(html)["srcdoc"]
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    )


@pytest.fixture(scope="module")
def selector():
    return TopologicalFeatureSelector(4).fit(table())


def test_a_cell_holds_one_frame_that_cannot_reach_the_notebook(selector):
    html = view(selector)._repr_html_()
    tags = [tag for tag, _ in Tags(html).found]
    assert not {"script", "link", "img", "object", "embed"} & set(tags)
    assert not [
        name for _, given in Tags(html).found for name in given if name.startswith("on")
    ]
    frame = frame_of(html)
    assert frame["sandbox"] == "allow-scripts"
    assert "src" not in frame
    assert "default-src 'none'" in unescape(frame["srcdoc"])


def test_the_numbers_are_those_of_the_selector(selector):
    data = data_of(view(selector).html)
    assert data["k"] == 4
    assert [data["names"][i] for i in data["order"][:4]] == [g.name for g in selector.groups_]
    assert data["share"][4] == round(10_000 * selector.explained_.mean())


def test_the_table_changes_only_what_needs_it(selector):
    without, given = data_of(view(selector).html), data_of(view(selector, table()).html)
    assert without["heat"]["features"] == []
    assert len(given["heat"]["features"]) == 24
    assert without | {"heat": None} == given | {"heat": None}


def test_names_stay_text_below_the_frame_too():
    X = chained_table()
    html = view(TopologicalFeatureSelector(12, keep=[HOSTILE]).fit(X)).html
    _, _, below = html.partition("</iframe>")
    assert HOSTILE in unescape(below)
    assert "<script" not in below
    assert "<img" not in below


def test_the_text_names_the_selected_columns(selector):
    names = [group.name for group in selector.groups_]
    assert_tells(repr(view(selector)), "4 of 24 columns", *names)


def test_equal_fits_give_equal_views(selector):
    again = TopologicalFeatureSelector(4).fit(table())
    assert view(again).html == view(selector).html


def test_half_a_surrogate_pair_can_be_written():
    X = table()
    X.columns = pd.Index(["half \ud800", *X.columns[1:]], dtype=object)
    assert view(TopologicalFeatureSelector(3).fit(X)).html.encode("utf-8")


def test_mixed_tables_have_a_view():
    X = mixed_table().drop(columns=["id", "constant"])
    selector = TopologicalFeatureSelector().fit(X)
    assert data_of(view(selector).html)["nominal"] is None
    assert data_of(view(selector, X).html)["nominal"]


def test_a_rule_without_groups_asks_for_the_table():
    X = table()
    by_degree = TopologicalFeatureSelector(3, rule="degree").fit(X)
    with pytest.raises(ValueError, match="X") as refused:
        view(by_degree)
    assert_tells(str(refused.value), "X", "degree")
    assert data_of(view(by_degree, X).html)["representation"] is None


def test_an_unfitted_selector_is_refused():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        view(TopologicalFeatureSelector())


def test_a_fit_does_not_import_the_view():
    code = (
        "import sys, numpy as np, topofs\n"
        "topofs.TopologicalFeatureSelector(2).fit(np.eye(9)[:, :4]).__repr__()\n"
        "print(sorted(m for m in sys.modules if m.startswith('topofs.report') or m == 'jinja2'))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
