"""The pass over the bytes against the csv module, at every way of cutting into blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.delimited import fields_per_record
from topofs.errors import TableError
from topofs.io import delimited as records
from topofs.io.delimited import Records, check_records

plain = st.text(st.sampled_from("ab1 é€😀"), min_size=1, max_size=4)
quoted = st.text(st.sampled_from('a,;\n"é'), max_size=5).map(
    lambda text: '"' + text.replace('"', '""') + '"'
)
tables = st.lists(
    st.lists(st.one_of(plain, quoted), min_size=1, max_size=4), min_size=1, max_size=6
)


def checked(tmp_path_factory, content, separator, n_columns, block):
    path = tmp_path_factory.mktemp("records") / "t.csv"
    path.write_bytes(content)
    before, records._BLOCK = records._BLOCK, block
    try:
        return check_records(
            path, separator=separator, n_columns=n_columns, name="t.csv", take=lambda rows: None
        )
    except TableError as error:
        return str(error)
    finally:
        records._BLOCK = before


@given(
    table=tables,
    separator=st.sampled_from(",;"),
    newline=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
    block=st.sampled_from([1, 2, 3, 7, 1 << 20]),
)
def test_every_record_is_counted_as_the_csv_module_counts_it(
    tmp_path_factory, table, separator, newline, last, block
):
    text = newline.join(separator.join(record) for record in table) + newline * last
    expected = fields_per_record(text, separator)
    n_columns = expected[0][1]
    found = checked(tmp_path_factory, text.encode(), separator, n_columns, block)
    wrong = next(((line, n) for line, n in expected if n != n_columns), None)
    if wrong is None:
        n_rows = len(expected) - 1
        assert found == Records(n_rows, blank_at_end=False)
    else:
        fields = "1 field" if wrong[1] == 1 else f"{wrong[1]} fields"
        assert found.startswith(f"t.csv: line {wrong[0]} has {fields} and line 1 names")


@given(table=tables, last=st.booleans(), block=st.sampled_from([1, 2, 3, 7, 1 << 20]))
def test_the_records_below_the_names_are_handed_on_whole(tmp_path_factory, table, last, block):
    width = len(table[0])
    lines = [",".join((record * width)[:width]) for record in table]
    path = tmp_path_factory.mktemp("records") / "t.csv"
    path.write_text("\n".join(lines) + "\n" * last, encoding="utf-8", newline="")
    taken: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_BLOCK", block)
        check_records(path, separator=",", n_columns=width, name="t.csv", take=taken.append)
    assert b"\n".join(taken).decode() == "\n".join(lines[1:])


@given(lines=st.lists(st.text(st.sampled_from('a", x'), min_size=1, max_size=9), max_size=4))
def test_marks_in_odd_places_give_one_answer_however_the_blocks_fall(tmp_path_factory, lines):
    content = "\n".join(["h,k", *lines, ""]).encode()
    answers = {
        checked(tmp_path_factory, content, ",", 2, block) for block in (1, 2, 5, 1 << 20)
    }
    assert len(answers) == 1


@pytest.mark.parametrize("block", [1, 3, 1 << 20])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,2\n\n\n", Records(1, blank_at_end=True)),
        (b"a,b\r\n1,2\r\n\r\n", Records(1, blank_at_end=True)),
        (b"a,b\n1,2", Records(1, blank_at_end=False)),
        (b"a,b\n", Records(0, blank_at_end=False)),
        (b"a,b\n\n1,2\n", "line 2 is empty"),
        (b"a,b\n\n1,2", "line 2 is empty"),
        (b"a,b\r\n1,2\r\n\r\n3,4\r\n", "line 3 is empty"),
        (b'a,b\n"1\n2",3\n4\n', "line 4 has 1 field "),
        (b'a,b\n1,"2\n3,4\n', "a quotation mark in line 2 is never closed"),
        (b'a,b\n1,5"\n2,6\n', "line 2 has a quotation mark inside a field"),
        (b'a,b\n1,2\n5",1\n6",2\n', "line 3 has a quotation mark inside a field"),
        (b'a,b\n1,5" x 3"\n2,6" x\n3,7"\n', "line 3 has a quotation mark inside a field"),
        (b'a,b\n"5" pipe",1\n"6" pipe",2\n', "line 2 has a quotation mark inside a field"),
        (b'a,b\n1,5"', "line 2 has a quotation mark inside a field"),
        (b'a,b\n1, "2,3"\n', "line 2 has a quotation mark inside a field"),
        (b'a,b"\n1,2\n', "line 1 has a quotation mark inside a field"),
        (b'a,b\n1,5" x 3"\n2,6""\n', Records(2, blank_at_end=False)),
        (b'a,b\n1,"5"""\n2,"6"" x, ""7"\n', Records(2, blank_at_end=False)),
        (b'\xef\xbb\xbf"a, b",c\n1,2\n', Records(1, blank_at_end=False)),
        (b"a,b\n1,2\n\xe9,3\n", "line 3 is not UTF-8 (byte 0xe9)"),
        ("a,b\n1,é\n2,".encode() + b"\xc3\n", "line 3 is not UTF-8 (byte 0xc3)"),
    ],
)
def test_where_it_goes_wrong(tmp_path_factory, content, expected, block):
    found = checked(tmp_path_factory, content, ",", 2, block)
    if isinstance(expected, Records):
        assert found == expected
    else:
        assert expected in found
