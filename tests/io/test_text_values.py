"""What text means: numbers in every way of writing, dates, names; the same for files and frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.messages import assert_tells
from topofs import ColumnReadingWarning, TopologicalFeatureSelector
from topofs.io import open_table
from topofs.io.text_columns import _number, _seen, numbers_in_text
from topofs.io.text_values import as_number, seen_in, shape_of, text_kind
from topofs.io.types import read_columns

pieces = st.sampled_from(
    [*"0123456789.,-+eE '/: aT%€$kKM<", "12", "345", "2024", "\u00a0", "kg", "CHF", "kr"]
)
texts = st.lists(pieces, max_size=9).map("".join)


ODD = [
    "12.3%",
    "€50",
    "50 €",
    "-$5",
    "$-5k",
    "1e3k",
    "1,2M",
    "00",
    "007",
    "$1-$5",
    "1_000",
    "inf",
]


@settings(max_examples=60, deadline=None)
@given(values=st.lists(texts, min_size=1, max_size=30))
@example(values=[*ODD, "-Infinity", "1 234", "1'234,5", "NA", " 7 "])
def test_files_and_frames_see_the_same_shapes(values):
    assert _seen(pl.LazyFrame({"c": values}), ["c"])["c"] == seen_in(values)


@settings(max_examples=100, deadline=None)
@given(text=texts, decimal=st.sampled_from([".", ","]))
def test_what_is_taken_for_a_number_is_one(text, decimal):
    """The shape alone promises that a file and a frame read a value, and read it alike."""
    seen = seen_in([text])
    kind = text_kind(seen, decimal=decimal)
    if kind.holds == "numbers" and seen.total:
        frame = pl.DataFrame({"c": [text]})
        read = frame.select(_number("c", kind.decimal, seen).cast(float)).item()
        assert str(read) == str(as_number(text.strip(), kind.decimal))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1,724.62", "1,234.5"),
        ("1.724,62", "1.234,5"),
        ("1,724,000", "1,234.5"),
        ("1.724", "1.234"),
        ("0,123", "1,5"),
        ("1,5e-3", "1,5"),
        ("1\u202f724", "whole"),
        ("2024-02-30", "date"),
        ("2024-02", "date"),
        ("31.12.2024 12:30", "date"),
        ("12/31/2024 1:30 PM", "date"),
        ("2024-01-31T10:00:00.5+01:00", "date"),
        ("3.11.9", "text"),
        ("1,23,4", "text"),
        ("192.168.0.1", "text"),
        ("030 123 456", "text"),
    ],
)
def test_shapes(text, shape):
    assert shape_of(text) == shape


WAYS = {
    "thousands": (["1,724.62", "98.1", "NA"], [1724.62, 98.1, np.nan]),
    "decimal commas": (["1,5", "2", "?"], [1.5, 2.0, np.nan]),
    "both": (["1.724,62", "2.000", "7"], [1724.62, 2000.0, 7.0]),
    "apostrophes": (["1'724.5", "3", "1.25"], [1724.5, 3.0, 1.25]),
    "spaces": (["1 724,5", "3", "10 000"], [1724.5, 3.0, 10000.0]),
    "plain": ([" 1.5", "+2", "1e3"], [1.5, 2.0, 1000.0]),
    "powers of ten": (["1,5", "1e3", "2E-1"], [1.5, 1000.0, 0.2]),
    "nothing": (["NA", "", "-"], [np.nan] * 3),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_of_writing_numbers(way):
    text, numbers = WAYS[way]
    found = numbers_in_text(pl.LazyFrame({"c": text}), ["c"])
    rows = pl.LazyFrame({"c": text}).select(found.expressions).collect()["c"]
    np.testing.assert_array_equal(rows.cast(float).fill_null(np.nan).to_numpy(), numbers)
    for frame in (pd.DataFrame({"c": text}), pl.DataFrame({"c": text})):
        (column,) = read_columns(frame)
        assert not column.nominal
        np.testing.assert_array_equal(column.values, numbers)


def test_a_comma_that_may_be_either():
    kind = text_kind(seen_in(["1,234", "2,500"]))
    assert (kind.holds, kind.settled_by_mark) == ("unclear", True)
    assert text_kind(seen_in(["1,234"]), likely=",").decimal == ","
    assert text_kind(seen_in(["1,234"]), decimal=".").decimal == "."
    # A power of ten has no decimal mark that would tell.
    assert text_kind(seen_in(["1,234", "1e3"])).settled_by_mark
    assert as_number("1,234", ",") == 1.234
    # The other columns of the file decide.
    other = {"d": ["0,5", "1,5"]}
    found = numbers_in_text(pl.LazyFrame({"c": ["1,234", "2,500"]} | other), ["c", "d"])
    assert set(found.types) == {"c", "d"}
    frame = pd.DataFrame({"c": ["1,234", "2,500"], "d": [0.5, 1.5]})
    np.testing.assert_array_equal(read_columns(frame)[0].values, [1234, 2500])
    # Where they disagree, floats of a frame say nothing about a column of text.
    frame = frame.assign(e=["0,5", "1,5"], f=["€0.5", "€2.5"])
    assert "whose comma may be decimal" in str(read_columns(frame)[0].why)
    text = pl.from_pandas(frame.astype(str)).lazy()
    assert "whose comma may be decimal" in numbers_in_text(text, list("cdef")).not_numbers["c"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1.5", "1,5"], "numbers with decimal points and with decimal commas, such as '1.5'"),
        (["1", "2", "x"], "numbers with text among them, such as 'x'"),
        (["2024-01-01", "2024-01-02", "x"], "dates with text among them, such as 'x'"),
        (["2024-01-01", "31.12.2023"], "dates, such as '2024-01-01'"),
        (["x", "1"], "text, such as 'x'"),
    ],
)
def test_what_is_no_number(values, words):
    assert text_kind(seen_in(values)).words.startswith(words)
    assert (
        numbers_in_text(pl.LazyFrame({"c": values}), ["c"]).not_numbers["c"].startswith(words)
    )


def test_points_set_thousands_apart_where_commas_are_decimal(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a;b;c;d\n1,5;1.724;0.123;7\n2,5;12.000;1.250;8\n", encoding="utf-8"
    )
    with open_table(tmp_path / "t.csv") as table:
        rows = table.rows.collect()
    assert rows["b"].to_list() == [1724, 12000]
    assert rows["c"].to_list() == [0.123, 1.25]
    assert rows["d"].to_list() == [7, 8]


def strange(n=60):
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((n, 2))
    numbers = 2000 + 300 * (factor[:, [0, 0, 1, 1]] + 0.4 * rng.standard_normal((n, 4)))
    return pd.DataFrame(
        {
            "price": [f"{value:,.2f}" for value in numbers[:, 0]],
            "cost": [f"{value:,.2f}" for value in numbers[:, 1]],
            "day": [f"2024-0{i % 6 + 1}-01" for i in range(n)],
            "width": numbers[:, 2].round(3),
            "odd": [str(i % 3) if i % 4 else "x" for i in range(n)],
            "town": np.where(factor[:, 0] > 0, "Ulm", "Bonn"),
            "depth": numbers[:, 3].round(3),
        }
    )


def test_the_same_table_gives_the_same_columns_from_every_form(tmp_path):
    from tests.cli.running import run_json

    frame = strange()
    frame.to_csv(tmp_path / "t.csv", index=False)
    pl.DataFrame(frame.to_dict("list")).write_parquet(tmp_path / "t.parquet")
    found = {}
    for name, table in (("pandas", frame), ("polars", pl.DataFrame(frame.to_dict("list")))):
        with pytest.warns(ColumnReadingWarning) as caught:
            selector = TopologicalFeatureSelector().fit(table)
        found[name] = (
            sorted(selector.get_feature_names_out()),
            sorted(frame.columns[selector.nodes_]),
        )
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2
    assert "numbers: price (thousands set apart, such as '" in said[0]
    assert "2 of 7 columns hold neither" in said[1]
    assert "day (dates, such as '2024-01-01')" in said[1]
    assert "odd (numbers with text among them, such as 'x')" in said[1]
    for name in ("t.csv", "t.parquet"):
        answer = run_json("select", tmp_path / name)
        reasons = {column["name"] for column in answer["left_out"]}
        assert reasons == {"day", "odd"}
        found[name] = (
            sorted(column["name"] for column in answer["selected"]),
            sorted(set(frame.columns) - reasons),
        )
    assert len(set(map(str, found.values()))) == 1, found


def test_parsed_dates_take_no_part_either():
    frame = strange().drop(columns=["odd", "price", "cost"])
    text, parsed = frame, frame.assign(day=pd.to_datetime(frame["day"]))
    fits = []
    for table in (text, parsed, pl.from_pandas(parsed) if pl else None):
        with pytest.warns(ColumnReadingWarning, match=r"1 of 4 columns .*: day \(dates"):
            fits.append(TopologicalFeatureSelector().fit(table))
    assert len({tuple(fit.get_feature_names_out()) for fit in fits}) == 1
    with pytest.raises(ValueError, match="column 'day' holds timestamps: turn it into a"):
        TopologicalFeatureSelector(similarity="pearson").fit(parsed.drop(columns="town"))


def test_an_example_of_how_numbers_are_written_is_one():
    text = pl.LazyFrame({"a": ["7", "1.234", "8"], "b": ["2,5", "3", "1,5"]})
    (note,) = numbers_in_text(text, ["a", "b"], decimal=",").notes
    assert "in 'a', 'b', such as '1.234', are read" in note
    spaced = pl.LazyFrame({"a": ["1 724.6", "1.234", "2.5"]})
    assert numbers_in_text(spaced, ["a"]).notes == ()


def test_notes_name_some_columns():
    text = pl.LazyFrame({name: ["1%", "2%"] for name in "abcdefgh"})
    (note,) = numbers_in_text(text, list("abcdefgh")).notes
    assert_tells(note, "'a', 'b', 'c', 'd', 'e', 'f'", "2 more", "'1%'")


def test_whole_numbers_beside_decimal_commas_are_nothing_unusual():
    frame = pd.DataFrame({"a": ["1,5", "2", "3"], "b": ["1", "2", "3"]})
    a, b = read_columns(frame)
    assert (a.written, b.written) == ("decimal commas, such as '1,5'", None)
    np.testing.assert_array_equal(b.values, [1, 2, 3])


WITH_UNITS = {
    "percent": (["12.3%", "5 %", "NA", "-0.5%"], [12.3, 5, np.nan, -0.5], "percent signs"),
    "euros": (["€50.10", "-€3", "€ 1,200.00"], [50.1, -3, 1200], "currencies"),
    "dollars": (["$1,200.00", "$-5", "+$0.99"], [1200, -5, 0.99], "currencies"),
    "after": (["1.200,50 €", "3,5 €", "-7 €"], [1200.5, 3.5, -7], "currencies"),
    "codes": (["CHF 1'200.50", "CHF 3", "20 CHF"], [1200.5, 3, 20], "currencies"),
    "thousands": (["1.2k", "3M", "950", "-1.005K"], [1200, 3e6, 950, -1005], "k or M for"),
    "both": (["$1.2k", "$3M", "$950"], [1200, 3e6, 950], "currencies"),
}


@pytest.mark.parametrize("way", WITH_UNITS)
def test_numbers_with_units_are_numbers_and_it_is_said(tmp_path, way):
    text, numbers, words = WITH_UNITS[way]
    pl.DataFrame({"a": range(len(text)), "c": text}).write_csv(
        tmp_path / "t.csv", separator=";"
    )
    with open_table(tmp_path / "t.csv") as table:
        rows = table.rows.collect()["c"]
        assert any(f"numbers with {words}" in note and "'c'" in note for note in table.notes)
    np.testing.assert_array_equal(rows.cast(float).fill_null(np.nan).to_numpy(), numbers)
    forms = (
        pd.DataFrame({"c": text}),
        pl.DataFrame({"c": text}),
        np.array([text], dtype=object).T,
    )
    for form in forms:
        (column,) = read_columns(form)
        assert not column.nominal
        assert words in column.written
        np.testing.assert_array_equal(column.values, numbers)


@pytest.mark.parametrize(
    ("values", "holds", "words"),
    [
        (
            ["12%", "5", "7%"],
            "unclear",
            "numbers with and without a percent sign, such as '12%'",
        ),
        (
            ["€5", "5", "€7"],
            "unclear",
            "numbers with and without a currency, such as '€5' and '5'",
        ),
        (["€5", "$6"], "unclear", "amounts in 2 currencies, such as '€5'"),
        (["10%", "5%", "none"], "unclear", "numbers with text among them, such as 'none'"),
        (["4K", "8K", "HD"], "names", "text, such as 'HD'"),
        (["3M", "Bayer", "BASF"], "names", "text"),
        (["0-10%", "10-20%"], "names", "text"),
        (["12 kg", "7.5 kg"], "names", "text, such as '12 kg'"),
    ],
)
def test_units_that_are_not_clear(values, holds, words):
    kind = text_kind(seen_in(values))
    assert kind.holds == holds
    assert kind.words.startswith(words)


@pytest.mark.parametrize(
    ("values", "taken"),
    [
        (["12 kg", "7.5 kg", "on order"], "'12 kg'"),
        (["<5", "17", "unknown", "~9"], "'<5'"),
        (["18-25", "26-35", "36+"], None),
        (["oak", "elm", "3 oaks"], None),
        (["A1", "B2"], None),
        (["1st", "2nd"], "'1st'"),
    ],
)
def test_what_is_nearly_a_number_is_named(tmp_path, values, taken):
    pl.DataFrame({"a": range(len(values)), "c": values}).write_csv(tmp_path / "t.csv")
    with open_table(tmp_path / "t.csv") as table:
        notes = [note for note in table.notes if "taken for names" in note]
    (column,) = read_columns(pd.DataFrame({"c": values}))
    assert column.nominal
    if taken is None:
        assert notes == []
        assert column.hint is None
    else:
        assert notes[0].startswith(
            f"text such as {taken} in 'c' is taken for names; write plain"
        )
        assert column.hint == f"{taken} is taken for a name"


def test_stray_text_among_numbers_has_a_line_of_its_own(tmp_path):
    score = [str(i % 9) if i % 30 else "n/a*" for i in range(300)]
    frame = pl.DataFrame({"a": range(300), "b": [i % 7 for i in range(300)], "score": score})
    frame.write_csv(tmp_path / "t.csv")
    with open_table(tmp_path / "t.csv") as table:
        (note,) = table.notes
    assert note.startswith("text such as 'n/a*' among the numbers of 'score': left out; leave")
