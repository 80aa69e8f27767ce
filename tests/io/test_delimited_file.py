import gzip

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topofs.errors import TableError
from topofs.io import delimited, open_table, write_columns


def opened(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with open_table(path) as table:
        return table, table.rows.collect()


@pytest.mark.parametrize(
    ("column", "dtype", "values"),
    [
        (["1", "2"], pl.Int64, [1, 2]),
        (["1", "2.5"], pl.Float64, [1.0, 2.5]),
        (["true", "false"], pl.Boolean, [True, False]),
        (["1", "NA"], pl.Int64, [1, None]),
        ([" 1", "+2"], pl.Int64, [1, 2]),
        (["1e3", "-Infinity"], pl.Float64, [1000.0, float("-inf")]),
        (["?", "-0.5"], pl.Float64, [None, -0.5]),
        (["", ""], pl.Float64, [None, None]),
        (["NA", "n/a"], pl.Float64, [None, None]),
        (["9" * 50, "1"], pl.Float64, [1e50, 1.0]),
        (["9" * 18, "-1"], pl.Int64, [10**18 - 1, -1]),
        (["9223372036854775807", "1"], pl.Int64, [2**63 - 1, 1]),
        (["x", "1"], pl.String, ["x", "1"]),
        (["NA", "x"], pl.String, ["NA", "x"]),
        # Digits that polars takes for some, and cannot read.
        (["0.5", "３"], pl.String, ["0.5", "３"]),
        (["1", "-٣"], pl.String, ["1", "-٣"]),
        (["2020-01-01", "2020-01-02"], pl.String, ["2020-01-01", "2020-01-02"]),
    ],
)
def test_what_a_column_holds(tmp_path, column, dtype, values):
    lines = "\n".join(f"{i},{value},end" for i, value in enumerate(column))
    table, frame = opened(tmp_path, f"i,c,e\n{lines}\n")
    assert table.schema["c"] == frame.schema["c"] == dtype
    assert frame["c"].to_list() == pytest.approx(values)
    assert ("c" in table.not_numbers) == (dtype == pl.String)


def test_a_word_in_the_last_of_many_lines_is_found(tmp_path):
    table, _ = opened(tmp_path, "a,b\n" + "1,2\n" * 20_000 + "1,word\n")
    assert table.not_numbers == {"b": "numbers with text among them, such as 'word'"}


numbers = ("7", "007", "-12", " 5", "5 ", "1.5", "1e3", "1,5", "1.234", "9" * 20, "9" * 50)
others = ("", '""', "NA", "?", "nan", "NaN", "inf", "true", "x", "12 kg", "2020-01-01", "３")
cells = st.sampled_from((*numbers, *others))
columns = st.lists(cells, min_size=4, max_size=4)


@given(table=st.lists(columns, min_size=1, max_size=3), repeats=st.integers(1, 3))
def test_the_answer_does_not_depend_on_the_blocks(tmp_path_factory, table, repeats):
    names = [f"c{i}" for i in range(len(table))]
    lines = [";".join(["0", *row]) for row in zip(*table, strict=True) for _ in range(repeats)]
    text = "\n".join([";".join(["first", *names]), *lines, ""])
    path = tmp_path_factory.mktemp("blocks")
    found = []
    for block in (1, 11, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(delimited, "_BLOCK", block)
            table_of_block, frame = opened(path, text)
        about = table_of_block.not_numbers, table_of_block.notes, table_of_block.dates
        found.append((dict(table_of_block.schema), str(frame.to_dict(as_series=False)), about))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *{"1,5": 1.5, "-0,25": -0.25, ",5": 0.5, "1.234,5": 1234.5, "1,5e-3": 0.0015}.items(),
        *dict.fromkeys(("a,5", "1,5 m", "1;2", ","), None).items(),
    ],
)
def test_decimal_commas_are_read(tmp_path, value, number):
    table, frame = opened(tmp_path, f'a;b\n1;"{value}"\n2;"3,5"\n')
    if number is None:
        assert table.not_numbers == {"b": f"text, such as {value!r}"}
        near = f"text such as {value!r} in 'b' is taken for names; write plain numbers to have"
        assert table.notes == (f"{near} amounts compared",) * (value == "1,5 m")
    else:
        assert frame["b"].to_list() == pytest.approx([number, 3.5])
        assert "numbers with decimal commas in 'b', such as '" in table.notes[0]


def test_text_that_begins_as_packed_bytes_do_is_text(tmp_path):
    table, frame = opened(tmp_path, "a,b\nx^2,1\nx^3,2\n")
    assert frame.rows() == [("x^2", 1), ("x^3", 2)]
    assert table.not_numbers == {"a": "text, such as 'x^2'"}
    _, frame = opened(tmp_path, '"x^2",b\n4,1\n9,2\n')
    assert frame.columns == ["x^2", "b"]
    with pytest.raises(TableError, match="quotation marks"):
        opened(tmp_path, "x^2,b\n4,1\n9,2\n")


def test_long_words_are_shortened(tmp_path):
    table, _ = opened(tmp_path, "a,b\n1,abcdefghijklmnopqrstuvwxyz\n2,x\n")
    assert table.not_numbers == {"b": "text, such as 'abcdefghijklmnopqrs…'"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,2\n3,4\n", ("a", "b")),
        ("a;b\n1,5;2\n3;4,0\n", ("a", "b")),
        ("a|b\n1|2\n3|4\n", ("a", "b")),
        ("a\tb c\n1\t2\n3\t4\n", ("a", "b c")),
        ('"a;b;c",d\n1,2\n3,4\n', ("a;b;c", "d")),
        ("a, b\n1, 2\n3, 4\n", ("a", " b")),
        ("\ufeffa,b\n1,2\n3,4\n", ("a", "b")),
        ("a,b\r\n1,2\r\n3,4\r\n", ("a", "b")),
        ('a,"b\nc"\n1,2\n3,4\n', ("a", "b\nc")),
        (",b\n1,2\n3,4\n", ("", "b")),
        ('a,"q""uote"\n1,2\n3,4\n', ("a", 'q"uote')),
        ('"^q""$","*"""\n1,2\n3,4\n', ('^q"$', '*"')),
        ('"q""""","q"""\n1,2\n3,4\n', ('q""', 'q"')),
        ('\ufeff"a""b",c\n1,2\n3,4\n', ('a"b', "c")),
    ],
)
def test_separators_and_names(tmp_path, text, columns):
    table, frame = opened(tmp_path, text)
    assert table.columns == tuple(frame.columns) == columns
    assert frame.height == table.n_samples == 2
    assert frame[columns[1]].to_list() == pytest.approx([2, 4]) or table.not_numbers


def test_a_doubled_mark_in_a_name_comes_back_as_it_was(tmp_path):
    text = '"5"" pipe",kind,"3"" pipe"\n1.50,oak,NA\n2,elm, 7\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with open_table(tmp_path / "t.csv") as table:
        assert dict(table.schema) == {
            '5" pipe': pl.Float64,
            "kind": pl.String,
            '3" pipe': pl.Int64,
        }
        write_columns(table, table.columns, tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text(encoding="utf-8") == text


def test_blank_lines_at_the_end_are_no_rows(tmp_path):
    table, frame = opened(tmp_path, "a,b\n1,2\n3,4\n\n\r\n")
    assert table.n_samples == frame.height == 2
    assert table.as_written.collect().height == 2


def test_notes(tmp_path):
    assert "has no name" in opened(tmp_path, ",b\n1,2\n3,4\n")[0].notes[0]
    assert "all of them are numbers" in opened(tmp_path, "1,2.5\n1,2\n3,4\n")[0].notes[0]
    assert opened(tmp_path, "1,b\n1,2\n3,4\n")[0].notes == ()


def test_gzip_needs_no_ending(tmp_path):
    table, frame = opened(tmp_path, gzip.compress(b"a,b\n1,2\n3,4\n"), name="packed")
    assert (table.name, frame.columns) == ("packed", ["a", "b"])


@pytest.mark.parametrize("bad", [b"a,\xff\n1,2\n", b"a,b\n1,\xff\n"])
def test_bytes_that_are_no_text(tmp_path, bad):
    with pytest.raises(TableError, match="iconv"):
        opened(tmp_path, bad)


@pytest.mark.parametrize("text", ["a,b\r1,2\r3,4\r", 'a,"b"\r1,2', "a,b\r1,2\n3,4\n"])
def test_lines_that_end_in_carriage_returns(tmp_path, text):
    with pytest.raises(TableError, match=r"carriage return alone.* tr '\\r' '\\n'"):
        opened(tmp_path, text)


def test_a_carriage_return_inside_a_name_ends_no_line(tmp_path):
    assert opened(tmp_path, 'a,"b\rc"\n1,2\n3,4\n')[0].columns == ("a", "b\rc")


def test_a_name_without_end(tmp_path):
    with pytest.raises(TableError, match="the column names cannot be read"):
        opened(tmp_path, "a," + "b" * 200_000 + "\n1,2\n3,4\n")
