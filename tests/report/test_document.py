import base64
import hashlib
import json
import re
import sys

import pytest

from tests.report.pages import selection_report
from tests.report.selection_cases import table
from topofs import TopologicalFeatureSelector
from topofs.errors import MissingExtraError
from topofs.report.document import embedded_json, render, write_document

NASTY = "</script><script>alert(1)</script><!-- & \u2028 \u2029 é \ud800"


def test_embedded_json_is_plain_ascii_and_comes_back():
    text = embedded_json({NASTY: [NASTY, 1.5, None]})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == {NASTY: [NASTY, 1.5, None]}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_embedded_json_refuses_what_json_has_not(value):
    with pytest.raises(ValueError, match="JSON"):
        embedded_json([value])


def test_the_policy_names_style_and_script_by_their_hash():
    X = table()
    page = selection_report(selector=TopologicalFeatureSelector(2).fit(X), X=X)
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page).group(1)
    for kind in ("style", "script"):
        body = re.search(f"<{kind}>(.*?)</{kind}>", page, flags=re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src &#39;sha256-{digest}&#39;" in policy
    assert policy.startswith("default-src &#39;none&#39;")


def test_half_a_surrogate_pair_does_not_stop_the_writing(tmp_path):
    write_document(tmp_path / "page.html", "a \ud800 b é")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "a ? b é"


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"topofs\[report\]"):
        render("x", {})
