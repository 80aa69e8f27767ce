"""Everything that can be wrong with a table or its outputs: a reason, a status, no rest."""

import errno
import gzip
import io
import os
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.running import run
from tests.platforms import posix
from topofs.io import write as atomic_write

GOOD = "a,b,c\n1,2,3\n2,1,5\n3,3,1\n5,1,2\n"


def workbook():
    """What tells an Excel workbook from other zip archives."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return content.getvalue()


TABLES = {
    "empty file": (b"", 3, "the file is empty"),
    "blank first line": (b"\n\n", 3, "the first line is empty"),
    "header only": (b"a,b,c\n", 3, "no rows"),
    "one row": (b"a,b,c\n1,2,3\n", 3, "has one row"),
    "duplicate names": (b"a,b,a\n1,2,3\n4,5,6\n", 3, "the column 'a' is there more than once"),
    "two unnamed columns": (b"a,,\n1,2,3\n4,5,6\n", 3, "several columns have no name"),
    "a short row": (b"a,b,c\n1,2,3\n4,5\n6,7,8\n", 3, "line 3 has 2 fields"),
    "a long row": (b"a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n", 3, "line 3 has 4 fields"),
    "an empty row": (b"a,b,c\n1,2,3\n\n6,7,8\n", 3, "line 3 is empty"),
    "an open quotation": (b'a,b,c\n1,"2,3\n4,5,6\n', 3, "line 2 is never closed"),
    "inch marks": (
        b'a,b,c\n1,5",3\n4,6",6\n',
        3,
        'inside a field, such as the inch mark of 5"',
    ),
    "old Mac line ends": (b"a,b\r1,2\r3,5\r4,1\r", 3, "carriage return alone"),
    "commas of thousands or of decimals": (
        b"a;b\n1,500;2,500\n3,500;1,500\n",
        3,
        "may be decimal or set thousands apart; --decimal says which",
    ),
    "latin-1 text": ("a,b,t\n1,2,x\n3,5,é\n4,1,y\n".encode("latin1"), 3, "line 3 is not UTF-8"),
    "latin-1 name": ("é,b\n1,2\n3,5\n".encode("latin1"), 3, "line 1 is not UTF-8"),
    "utf-16": ("a,b\n1,2\n3,5\n".encode("utf-16"), 3, "UTF-16"),
    "one column": (b"a\n1\n2\n3\n", 3, "one column of numbers that varies, 'a'"),
    "all identifiers": (b"a,b\nx,y\nz,w\nu,v\n", 3, "no column to select from (a: "),
    "one name": (b"a,b\nx,y\nx,w\nu,v\n", 3, "one column that can be compared, 'a' (b: "),
    "names of one level": (b"a,b\nx,y\nx,y\nx,y\n", 3, "no column to select from (a: con"),
    "all constant": (b"a,b\n1,2\n1,2\n", 3, "all 2 columns of numbers are constant"),
    "all missing": (b"a,b\n,NA\n,\n", 3, "constant or all missing"),
    "infinite": (b"a,b,c\n1,2,3\n2,-inf,1\n3,1,2\n", 3, "'b' holds an infinite value in row 2"),
    "damaged gzip": (gzip.compress(GOOD.encode() * 99)[:-20], 3, "gzip file is damaged"),
    "a zip archive": (b"PK\x03\x04" + bytes(40), 3, "zip archive; unpack it first"),
    "an Excel workbook": (
        workbook(),
        3,
        "Excel workbook, and CSV, TSV, Parquet, .h5ad, .mat and",
    ),
    "JSON": (
        b'\n[ {"a": 1, "b": 2}]',
        3,
        "this is JSON, and CSV, TSV, Parquet, .h5ad, .mat and",
    ),
    "JSON lines": (b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', 3, "convert it, for example with:"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3", 3, "PDF"),
    "a cut Parquet file": (b"PAR1" + bytes(20), 3, "cannot be read"),
    "a damaged MATLAB file": (b"MATLAB 5.0 MAT-file" + bytes(90), 3, "cut short"),
    "zeros": (bytes(100), 3, "zero bytes"),
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def assert_one_line(result, status, reason):
    assert result.exit_code == status, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("error: ")
    assert reason in lines[0]


@pytest.mark.parametrize("source", ["file", "standard input"])
@pytest.mark.parametrize("name", TABLES)
def test_a_bad_table_gives_one_line_and_its_status(tmp_path, name, source):
    content, status, reason = TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    outputs = ("--out", tmp_path / "o.csv", "--ranking", tmp_path / "r.csv")
    if source == "file":
        result = run("select", path, "-k", "1", *outputs)
    else:
        result = run("select", "-", "-k", "1", *outputs, stdin=content)
    assert_one_line(result, status, reason)
    shown = "table.csv" if source == "file" else "standard input"
    assert f"{shown}: " in result.stderr
    assert os.listdir(tmp_path) == ["table.csv"]


@pytest.mark.parametrize(
    "command", [["select"], ["explain"], ["graph"], ["compare"], ["groups"], ["stability"]]
)
def test_every_command_says_that_a_file_is_not_there(tmp_path, command):
    more = {"explain": ["a"], "graph": ["--out", tmp_path / "g.graphml"]}.get(command[0], [])
    for path, reason in (
        (tmp_path / "nope.csv", "there is no such file"),
        (tmp_path, "is a folder without files"),
    ):
        assert_one_line(run(*command, path, *more), 3, reason)


def test_missing_values_are_used_as_they_are(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b,c\n1,NaN,3\nNA,2,1\n3,4,nan\n4,6,0\n", encoding="utf-8"
    )
    assert run("select", tmp_path / "t.csv", "-k", "2").exit_code == 0


def test_many_columns_and_three_rows(tmp_path):
    frame = pl.DataFrame(
        np.random.default_rng(0).standard_normal((3, 10_000)),
        schema=[f"c{i}" for i in range(10_000)],
    )
    frame.write_csv(tmp_path / "wide.csv")
    result = run("select", tmp_path / "wide.csv", "-k", "5")
    assert result.exit_code == 0, result.output
    assert "with 3 rows columns look alike by chance" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["-k", "4"], 2, "-k 4: there are 3 columns to select from; give at most 3"),
        (["--target", "cc"], 2, "--target: there is no column 'cc'; did you mean 'c'?"),
        (["--id", "zzz"], 2, "there are 'a', 'b', 'c'"),
        (["--drop", "zzz"], 2, "--drop: there is no column"),
        (["--keep", "zzz"], 2, "--keep: there is no column"),
        (["--target", "a", "--drop", "a"], 2, "given to both --target and --drop"),
        (["--drop", "a", "--keep", "a"], 2, "given to both --drop and --keep"),
        (["--drop", "a", "--drop", "b"], 3, "at least two are needed"),
        (["-k", "1", "--keep", "a", "--keep", "b"], 2, "raise -k"),
        (["--out", "x.xlsx"], 2, "end the name in .csv, .tsv or .parquet"),
        (["--ranking", "ranking"], 2, "a file without an ending"),
        (["--graph-out", "g.png"], 2, "end the name in .graphml, .csv, .tsv or .parquet"),
        (["--graph-out", "graph"], 2, "a file without an ending"),
        (["--out", "nowhere/x.csv"], 3, "the folder nowhere does not exist"),
        (["--out", "."], 3, "is a folder"),
        (["--out", "x.csv", "--ranking", "x.csv"], 2, "two different files"),
        (["--out", "x.csv", "--ranking", "X.csv"], 2, "not that of x.csv in another case"),
        (["--similarity", "energy"], 2, "choose --rule degree, or another similarity"),
        (["--alpha", "0.3"], 2, "--alpha 0.3 is for --similarity energy; choose that"),
        (["--no-squared", "--similarity", "mixed"], 2, "is for --similarity auto, pearson or"),
        (["--n-bins", "8", "--graph", "mst"], 2, "is for --similarity mutual_information"),
        (["--similarity", "mutual_information", "--n-bins", "1"], 2, "--n-bins 1: it must be"),
        (["--memory", "much"], 2, "--memory much: give a number of bytes, or text such as"),
        (
            ["--memory", "9", "--graph", "mst", "--rule", "degree"],
            2,
            "and --graph mst needs it whole: use 'links', 'tmfg', ",
        ),
        (["--memory", "9", "--graph", "mst", "--rule", "degree"], 2, "allow more --memory"),
        (["--rule", "degree", "--reach", "edges"], 2, "--reach edges is for --rule coverage"),
        (["--rule", "pagerank", "--isolated", "keep"], 2, "is for --rule coverage"),
        (["--rule", "degree", "-k", "auto"], 2, "-k auto needs --rule coverage"),
        (
            ["--rule", "variance", "--graph", "tmfg"],
            2,
            "--rule variance ranks columns without a graph, and --graph tmfg was given: leave "
            "--graph out",
        ),
        (
            ["--min-share", "0.9", "--graph", "mst"],
            2,
            "--min-share ranks columns without a graph, and --graph mst was given: leave "
            "--graph out, or choose another size",
        ),
        (["--rule", "degree", "--strongest", "3"], 2, "--strongest 3 is for --graph links"),
        (["--graph", "mst", "--strongest", "3"], 2, "--strongest 3 is for --graph links"),
        (["--strongest", "0"], 2, "--strongest 0: give a whole number of at least 1"),
        (["--paper", "-k", "auto"], 2, "-k auto needs --rule coverage"),
        (["--paper", "--graph", "mst"], 2, "--paper settles --graph"),
        (["--paper", "--rule", "degree"], 2, "--paper settles --rule"),
        (["--paper", "--ties", "index"], 2, "--paper settles --ties"),
        (["--paper", "--threshold", "none"], 2, "--paper settles --threshold"),
        (["--paper", "--n-bins", "3"], 2, "is for --similarity mutual_information"),
    ],
)
def test_wrong_options(table, monkeypatch, arguments, status, reason):
    monkeypatch.chdir(table.parent)
    assert_one_line(run("select", table, *arguments), status, reason)
    assert os.listdir(table.parent) == ["table.csv"]


@pytest.mark.parametrize(
    "size",
    [
        *("0", "-1", "1.5", "0.0", "many", "101%", "nan", "", "sNaN", "sNaN%", "NaN%", "inf%"),
        *("%", "1e9999999%", "1e-9999999", "1e-400"),
    ],
)
def test_a_size_that_is_none(table, size):
    result = run("select", table, "-k", size)
    assert result.exit_code == 2
    assert "neither a number of columns" in result.stderr
    assert result.stderr.count("\n") == 2


@pytest.mark.parametrize("value", ["2", "-0.1", "much"])
def test_an_alpha_that_is_none(table, value):
    energy = ("--similarity", "energy", "--rule", "degree")
    result = run("select", table, *energy, "--alpha", value)
    assert result.exit_code == 2
    said = "'much' is not a number" if value == "much" else "it must be a number in [0, 1]"
    assert said in result.stderr


def test_an_option_that_is_gone(table):
    result = run("select", table, "--centrality", "pagerank")
    assert result.exit_code == 2
    assert "No such option" in result.stderr


@pytest.mark.parametrize(
    "name",
    [
        "same",
        "spelling",
        *(
            pytest.param(link, marks=posix)
            for link in ("symlink", "hard link", "table is a link")
        ),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ["select", "--out"],
        ["select", "--ranking"],
        ["select", "--graph-out"],
        ["select", "--report"],
        ["graph", "--out"],
        ["compare", "--target", "c", "--report"],
    ],
)
def test_no_output_overwrites_the_table(table, command, name):
    other = table.parent / "other.csv"
    paths = {
        "same": table,
        "spelling": table.parent / "." / ".." / table.parent.name / "table.csv",
    }
    if name == "hard link":
        other.hardlink_to(table)
    elif name not in paths:
        other.symlink_to(table)
    source, out = (
        (other, table) if name == "table is a link" else (table, paths.get(name, other))
    )
    result = run(command[0], source, *command[1:], out)
    assert_one_line(result, 2, f"{out}: is the table that is read")
    assert table.read_text(encoding="utf-8") == GOOD


def test_the_table_on_standard_input_is_not_overwritten_either(table):
    command = [sys.executable, "-m", "topofs.cli", "select", "-", "-k", "2", "--out", table]
    with table.open(encoding="utf-8") as stream:
        process = subprocess.run(
            command, stdin=stream, capture_output=True, text=True, check=False
        )
    assert process.returncode == 2
    assert "is the table that is read" in process.stderr
    assert table.read_text(encoding="utf-8") == GOOD


def old_outputs(folder):
    """Files of an earlier run, and the options that write them again."""
    files = {"--out": "o.csv", "--ranking": "r.parquet", "--graph-out": "g.graphml"}
    for name in files.values():
        (folder / name).write_text("old", encoding="utf-8")
    return [argument for pair in files.items() for argument in (pair[0], folder / pair[1])]


def assert_untouched(folder):
    assert sorted(os.listdir(folder)) == ["g.graphml", "o.csv", "r.parquet", "table.csv"]
    for name in ("o.csv", "r.parquet", "g.graphml"):
        assert (folder / name).read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_full_disk_leaves_every_earlier_file(table, monkeypatch, failing):
    arguments = old_outputs(table.parent)
    created = []
    real = os.open

    def full(path, flags, *mode, **options):
        if flags & os.O_EXCL and Path(path).parent == table.parent:
            if len(created) == failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "temporary")
            created.append(path)
        return real(path, flags, *mode, **options)

    monkeypatch.setattr(atomic_write.os, "open", full)
    result = run("select", table, "-k", "2", *arguments)
    assert_one_line(result, 3, "No space left on device")
    assert "temporary" not in result.stderr
    assert_untouched(table.parent)


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_file_that_cannot_be_moved_leaves_every_earlier_file(table, monkeypatch, failing):
    arguments = old_outputs(table.parent)
    real, name = os.replace, ("o.csv", "r.parquet", "g.graphml")[failing]

    def refuse(source, target):
        if str(target).endswith(name) and not str(source).endswith(".old"):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(source))
        real(source, target)

    monkeypatch.setattr(atomic_write.os, "replace", refuse)
    result = run("select", table, "-k", "2", *arguments)
    said = f"{name}: cannot be written (Operation not permitted); nothing was changed"
    assert_one_line(result, 3, said)
    assert_untouched(table.parent)


def test_an_interruption_leaves_every_earlier_file(table, monkeypatch):
    arguments = old_outputs(table.parent)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("topofs.graphs.filtered_graph.graphml_document", interrupt)
    result = run("select", table, "-k", "2", *arguments)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr.splitlines()[-1] == "interrupted"
    assert_untouched(table.parent)


@contextmanager
def small_files():
    """No file may grow beyond 200 bytes: for one command, since pytest may write to a file, too."""
    resource = pytest.importorskip("resource", reason="there are no such limits")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("full", "first"), [("o.csv", 0), ("r.parquet", 2), ("g.graphml", 4)])
def test_a_disk_that_fills_up_while_writing(tmp_path, full, first):
    table = tmp_path / "table.csv"
    table.write_text(GOOD + "1,2,4\n" * 50, encoding="utf-8")
    arguments = old_outputs(tmp_path)
    with small_files():
        result = run("select", table, "-k", "2", *arguments[first:])
    assert_one_line(
        result, 3, f"{full}: cannot be written (File too large); nothing was changed"
    )
    assert_untouched(tmp_path)


def test_an_output_that_cannot_be_written_names_it(table):
    if not os.path.isdir("/proc"):  # noqa: PTH112
        pytest.skip("needs a folder that refuses files even to root")
    result = run("select", table, "-k", "2", "--out", "/proc/reduced.csv")
    assert_one_line(result, 3, "/proc/reduced.csv: cannot be written")


def test_a_column_that_csv_cannot_hold(tmp_path):
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [2, 1, 5], "list": [[1], [2], [3]]})
    frame.write_parquet(tmp_path / "t.parquet")
    arguments = ("select", tmp_path / "t.parquet", "-k", "1", "--id", "list", "--out")
    assert_one_line(
        run(*arguments, tmp_path / "o.csv"), 3, "o.csv: the table cannot be written"
    )
    assert os.listdir(tmp_path) == ["t.parquet"]
    assert run(*arguments, tmp_path / "o.parquet").exit_code == 0


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_reader_that_has_seen_enough(table, arguments):
    with subprocess.Popen(
        [sys.executable, "-m", "topofs.cli", "select", table, "-k", "2", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        errors = process.stderr.read()
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "Broken" not in errors


def test_a_reader_that_has_seen_enough_of_a_file(table, monkeypatch):
    def closed(*_, **__):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    monkeypatch.setattr(pl.LazyFrame, "sink_csv", closed)
    result = run("select", table, "-k", "2", "--out", table.parent / "o.csv", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert os.listdir(table.parent) == ["table.csv"]


def test_the_traceback_is_shown_on_demand(tmp_path):
    result = run("--debug", "select", tmp_path / "nope.csv")
    assert result.exit_code == 3
    assert "Traceback" in result.stderr


def test_memory_that_does_not_suffice(table, monkeypatch):
    def refuse(*_):
        raise MemoryError("Unable to allocate 99 TiB")

    monkeypatch.setattr(sys.modules["topofs.io.comparable"], "_read", refuse)
    assert_one_line(run("select", table), 3, "memory is too small for this (Unable to allocate")

    def say_nothing(*_):
        raise MemoryError

    monkeypatch.setattr(sys.modules["topofs.io.comparable"], "_read", say_nothing)
    assert_one_line(run("select", table), 3, "memory is too small for this")


def test_all_text_among_numbers_tells_of_mixed(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\nx,y\nz,w\nx,y\n", encoding="utf-8")
    result = run("select", tmp_path / "t.csv", "--similarity", "pearson")
    assert_one_line(result, 3, "no column of numbers to select from (a: text, such as 'x'; b: ")
    assert "; --similarity auto or mixed compares names" in result.stderr


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t.ndjson", "t.jsonl.gz"])
def test_json_is_told_by_the_name_too(tmp_path, name):
    content = b"[1, 2, 3]"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    reader = "read_json(" if name == "t.json" else "read_ndjson("
    assert_one_line(run("select", tmp_path / name), 3, f"polars.{reader}")


def test_a_header_in_brackets_is_no_json(tmp_path):
    (tmp_path / "t.csv").write_text("[a],{b},c\n1,2,3\n2,1,4\n3,3,1\n", encoding="utf-8")
    assert run("select", tmp_path / "t.csv").exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        ["select"],
        ["stability"],
        ["compare", "--target", "c"],
        ["panel", "--panel", "a"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("name", ["r.pdf", "report", "r.html.gz"])
def test_a_report_is_a_web_page(tmp_path, command, name):
    result = run(command[0], tmp_path / "none.csv", *command[1:], "--report", tmp_path / name)
    # Before any work: the table is not even looked for.
    assert_one_line(result, 2, "a report is a web page; end the name in .html or .htm")
    assert not list(tmp_path.iterdir())
