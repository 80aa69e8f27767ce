"""A table with all that misleads: every reason and every line that is printed is right."""

import html

import pytest

from tests.cli.running import run, run_json
from topofs.io.types import HARDLY_REPEATS

made = pytest.importorskip(
    "benchmarks.business_table", reason="the repository alone has the benchmarks"
)


@pytest.fixture(scope="module", params=[0, 1])
def frame(request):
    return made.business_table(2000, 60, seed=request.param)


@pytest.fixture(scope="module")
def business_csv(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("business") / "t.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="module")
def found(business_csv):
    return run_json("select", business_csv, "--target", made.TARGET)


def test_every_reason_is_right(found):
    reasons = {column["name"]: column["reason"] for column in found["left_out"]}
    assert set(reasons) == {
        *made.HARDLY_REPEAT,
        *made.DATES,
        made.CONSTANT,
        made.STRAY_TEXT,
        made.TARGET,
    }
    assert {reasons[name] for name in made.HARDLY_REPEAT} == {HARDLY_REPEATS}
    for name in made.DATES:
        assert reasons[name].startswith("dates, such as '20")
    assert reasons[made.CONSTANT] == "constant"
    assert reasons[made.STRAY_TEXT] == "numbers with text among them, such as 'n/a*'"
    assert reasons[made.TARGET] == "target"


def test_nothing_is_silent_and_nothing_more_is_said(found, frame):
    notes = list(found["notes"])

    def said(*parts):
        (note,) = [note for note in notes if all(part in note for part in parts)]
        notes.remove(note)

    for column, way in made.WAYS_OF_WRITING.items():
        said(f"numbers with {way} in {column!r}, such as ")
    said("numbers with thousands set apart in 'revenue', such as '€")
    said(f"'n/a*' among the numbers of {made.STRAY_TEXT!r}: left out")
    said(f" kg' in {made.NEAR_NUMBERS!r} is taken for names")
    said(f"in {made.PADDED!r} begin with zeros, as identifiers and codes do")
    which = f"{made.IDENTIFIER!r}, {made.PADDED!r}"
    said(f"{which} look like identifiers: if they are, leave them out with --drop")
    for column, where in zip(made.CODES, ("far from all", "the only value below"), strict=True):
        times = (frame[column] == -99).sum()
        said(f"-99 appears {times} times in {column!r} and is {where}")
    # Nothing more, but for what is said of leaks.
    assert [note for note in notes if made.LEAK not in note] == []


def test_who_represents_whom_is_right(found):
    shares = {c["name"]: (c["representative"], c["share"]) for c in found["representatives"]}

    def alike(*columns):
        """One of them represents the others."""
        by = {shares[column][0] or column for column in columns}
        assert len(by) == 1, (columns, by)

    for pair in made.NEAR_COPIES:
        alike(*pair)
    # Percentages and amounts of money are amounts: the same wealth is behind them.
    alike("net", "gross", "revenue", "discount")
    assert min(shares[name][1] for name in ("gross", "revenue", "discount")) > 0.95
    alike("tenant", "region")
    for name in (made.IDENTIFIER, made.PADDED, made.NEARLY_CONSTANT, made.NEAR_NUMBERS):
        assert shares[name][0] is None


def test_the_page_says_how_columns_were_read(business_csv, found, tmp_path):
    page = tmp_path / "r.html"
    run("select", business_csv, "--target", made.TARGET, "--report", page)
    text = html.unescape(page.read_text(encoding="utf-8"))
    for note in found["notes"]:
        assert note in text


def test_compare_says_in_json_what_was_left_out_and_how_columns_were_read(business_csv, found):
    arguments = ("--target", made.TARGET, "--sizes", 3, "--folds", 2, "--repeats", 1)
    compared = run_json("compare", business_csv, *arguments)
    assert compared["notes"] == found["notes"]
    assert compared["left_out"] == found["left_out"]


def test_each_line_is_printed_once(business_csv, found):
    result = run("select", business_csv, "--target", made.TARGET)
    assert "Warning" not in result.stderr
    assert "6 columns left out: email (names that hardly" in result.stderr
    for note in found["notes"]:
        assert result.stderr.count(f"note: {note}\n") == 1
