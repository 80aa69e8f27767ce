"""Closed streams, links that lead in a circle, terminals without a width, graphs without links."""

import os
import subprocess
import sys

import polars as pl
import pytest

from tests.cli.running import run
from tests.platforms import posix
from topofs.cli import main

GOOD = "a,b,c\n1,2,3\n2,1,5\n3,3,1\n5,1,2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(GOOD, encoding="utf-8")
    return tmp_path


def ended(monkeypatch, *arguments):
    """The status that ``topofs ARGUMENTS`` ends with, in this process but from its beginning."""
    monkeypatch.setattr(sys, "argv", ["topofs", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.mark.parametrize("options", [(), ("--json",), ("--out", "o.csv")])
@pytest.mark.parametrize("closed", [("stdout",), ("stderr",), ("stdout", "stderr")])
def test_a_closed_stream_gets_nothing_and_harms_nothing(folder, monkeypatch, options, closed):
    monkeypatch.chdir(folder)
    for stream in closed:
        monkeypatch.setattr(sys, stream, None)
    assert ended(monkeypatch, "select", "t.csv", "-k", "2", *options) == 0
    for stream in closed:
        getattr(sys, stream).close()
    assert (folder / "o.csv").exists() == bool("--out" in options)


@posix
def test_a_closed_stream_of_a_real_process(folder):
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m topofs.cli select t.csv -k 2 --out o.csv >&-'],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    assert (folder / "o.csv").read_text(encoding="utf-8").splitlines()[0].count(",") == 1


@posix
@pytest.mark.parametrize("arguments", [["select", "--out"], ["graph", "--out"]])
def test_a_link_that_leads_to_itself_is_named(folder, arguments):
    one, two = folder / "one.csv", folder / "two.csv"
    one.symlink_to(two)
    two.symlink_to(one)
    result = run(arguments[0], folder / "t.csv", *arguments[1:], one)
    assert result.exit_code == 3
    assert f"error: {one}: is a link that leads back to itself; give another" in result.stderr
    assert sorted(os.listdir(folder)) == ["one.csv", "t.csv", "two.csv"]


@pytest.mark.parametrize("width", ["0", "3", "80"])
def test_a_width_that_nobody_knows(folder, monkeypatch, capsys, width):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", width)
    assert ended(monkeypatch, "select", "t.csv", "-k", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 of 3 columns of t.csv")
    assert ["rank", "column"] in [line.split()[:2] for line in lines]
    assert len(lines) == 5


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "graphml"])
def test_a_network_of_one_column_has_no_links(tmp_path, ending):
    (tmp_path / "t.csv").write_text("a,b\n1,5\n2,5\n3,5\n4,5\n", encoding="utf-8")
    out = tmp_path / f"g.{ending}"
    result = run("select", tmp_path / "t.csv", "--keep", "b", "--graph-out", out)
    assert result.exit_code == 0, result.output
    if ending == "parquet":
        assert dict(pl.read_parquet_schema(out)) == {
            "source": pl.String,
            "target": pl.String,
            "weight": pl.Float64,
        }
    elif ending != "graphml":
        assert out.read_text(encoding="utf-8").split() in (
            ["source,target,weight"],
            ["source", "target", "weight"],
        )
