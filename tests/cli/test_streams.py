"""Folders and patterns of files: read in batches, written in batches, all or nothing."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from tests.cli.running import run
from tests.platforms import posix

pytest.importorskip("pyarrow", reason="the extra arrow is not installed")


def assert_one_line(result, status, *facts):
    assert result.exit_code == status, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note:")]
    assert len(lines) == 1, result.stderr
    assert all(fact in lines[0] for fact in facts), lines[0]


def frame_of(n_rows, seed):
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, 3))
    X = hidden @ np.random.default_rng(9).normal(size=(3, 8)) + rng.normal(size=(n_rows, 8)) / 2
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(8)])
    return frame.with_columns(
        c2=pl.when(pl.Series(rng.random(n_rows)) < 0.1).then(None).otherwise("c2"),
        churn=pl.Series(np.where(hidden[:, 0] > 0, "yes", "no")),
        day=pl.date(2024, 1, 1) + pl.duration(days=pl.int_range(n_rows)),
        number=pl.int_range(n_rows, dtype=pl.Int32),
    )


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for k in range(3):
        frame_of(200, k).write_parquet(data / f"{k}.parquet", row_group_size=50)
    return data


def whole(folder):
    return pl.concat([pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])


def selected(*arguments):
    result = run("select", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_folder_gives_what_one_file_gives(folder, tmp_path):
    whole(folder).write_parquet(tmp_path / "one.parquet")
    options = ("--target", "churn", "--drop", "number")
    here = selected(tmp_path / "one.parquet", *options)
    for source in (folder, f"{folder}/*.parquet"):
        there = selected(source, *options)
        assert there["n_samples"] == here["n_samples"] == 600
        assert [c["name"] for c in there["selected"]] == [c["name"] for c in here["selected"]]
        assert there["left_out"] == here["left_out"]
        for mine, others in zip(there["groups"], here["groups"], strict=True):
            assert [m["name"] for m in mine["members"]] == [
                m["name"] for m in others["members"]
            ]


def test_the_smaller_table_keeps_values_and_types(folder, tmp_path):
    small = tmp_path / "smaller"
    found = selected(folder, "--target", "churn", "--id", "day", "-k", 3, "--out", small)
    names = {column["name"] for column in found["selected"]} | {"churn", "day"}
    expected = whole(folder)
    expected = expected.select([name for name in expected.columns if name in names])
    assert sorted(path.name for path in small.iterdir()) == [
        f"part-{k:05}.parquet" for k in range(3)
    ]
    assert pl.read_parquet(small).equals(expected)
    for name, read in (("s.parquet", pl.read_parquet), ("s.csv", pl.read_csv)):
        run(
            "select",
            folder,
            "--target",
            "churn",
            "--id",
            "day",
            "-k",
            3,
            "--out",
            tmp_path / name,
        )
        assert read(tmp_path / name).shape == expected.shape


def test_a_partitioned_table(tmp_path):
    for year in (2023, 2024):
        part = tmp_path / "sales" / f"year={year}"
        part.mkdir(parents=True)
        frame_of(150, year).write_parquet(part / "part.parquet")
    found = selected(tmp_path / "sales", "--target", "churn", "--drop", "number")
    assert found["n_samples"] == 300
    assert found["n_columns"] == 12
    (tmp_path / "sales" / "_SUCCESS").write_text("", encoding="utf-8")
    assert selected(tmp_path / "sales", "--drop", "number")["n_samples"] == 300


def test_a_folder_of_csv(folder, tmp_path):
    text = tmp_path / "text"
    text.mkdir()
    for path in folder.glob("*.parquet"):
        pl.read_parquet(path).write_csv(text / f"{path.stem}.csv")
    options = ("--target", "churn", "--drop", "number")
    here, there = selected(folder, *options), selected(text, *options)
    assert [c["name"] for c in there["selected"]] == [c["name"] for c in here["selected"]]
    small = tmp_path / "small.csv"
    selected(text, *options, "-k", 2, "--out", small)
    written, given = pl.read_csv(small), pl.read_csv(text / "0.csv")
    assert written.head(200).equals(given.select(written.columns))
    result = run("select", text, *options, "--out", tmp_path / "small.parquet")
    assert_one_line(result, 2, "end the name in .csv or .tsv")


def test_marks_of_missing_names_in_csv(tmp_path):
    rng = np.random.default_rng(0)
    text = tmp_path / "text"
    text.mkdir()
    frame = frame_of(300, 0).drop("number", "day")
    kinds = rng.choice(["oak", "elm", "NA", " fir", "n/a", ""], 300)
    frame = frame.with_columns(kind=pl.Series(kinds))
    frame.write_csv(tmp_path / "one.csv")
    frame[:200].write_csv(text / "0.csv")
    frame[200:].write_csv(text / "1.csv")
    here, there = selected(tmp_path / "one.csv", "-k", 9), selected(text, "-k", 9)
    for mine, others in zip(there["selected"], here["selected"], strict=True):
        assert (mine["name"], mine["score"]) == (others["name"], pytest.approx(others["score"]))


def test_the_decimal_mark_is_that_of_the_option(tmp_path):
    rng = np.random.default_rng(0)
    text = tmp_path / "text"
    text.mkdir()
    X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 4)) + rng.normal(size=(200, 4)) / 2
    thousandths = np.rint(X * 1000) / 1000 + 5
    frame = pl.DataFrame(thousandths, schema=list("abcd"))
    written = frame.select(pl.all().map_elements(lambda v: f"{v:.3f}", pl.String))
    written = written.select(pl.all().str.replace(".", ",", literal=True))
    for k in range(2):
        written[100 * k : 100 * k + 100].write_csv(text / f"{k}.csv", separator=";")
    here = selected(text, "--decimal", ",", "-k", 2)
    frame.write_csv(tmp_path / "plain.csv")
    plain = selected(tmp_path / "plain.csv", "-k", 2)
    assert [c["name"] for c in here["selected"]] == [c["name"] for c in plain["selected"]]
    assert_one_line(run("select", text, "--layer", "counts"), 2, "--layer counts")


def test_other_commands(folder, tmp_path):
    saved = tmp_path / "s.json"
    page, ranking = tmp_path / "r.html", tmp_path / "ranking.csv"
    files = ("--save", saved, "--report", page, "--ranking", ranking)
    assert run("select", folder, "--drop", "number", "-k", 2, *files).exit_code == 0
    assert "<html" in page.read_text(encoding="utf-8")
    assert run("apply", saved, folder, "--out", tmp_path / "applied").exit_code == 0
    assert pl.read_parquet(tmp_path / "applied").shape == (600, 2)
    for command in (
        ["groups", folder],
        ["explain", folder, "c3"],
        ["panel", folder, "--panel", "c1"],
    ):
        assert run(*command, "--drop", "number").exit_code == 0
    result = run("stability", folder, "--drop", "number", "--resamples", 3)
    assert result.exit_code == 0


def test_commands_that_draw_rows_take_a_sample(folder, tmp_path):
    numbers = ("--drop", "number", "--drop", "churn", "--drop", "day", "--drop", "c2")
    out = tmp_path / "g.graphml"
    result = run("graph", folder, *numbers, "--bootstrap", 20, "--out", out)
    assert result.exit_code == 0, result.output
    assert "bootstrap" in result.stdout
    assert run("panel", folder, *numbers, "--panel", "c1", "--same", 0.2).exit_code == 0


def test_ranks_and_names(folder):
    mixed = selected(folder, "--drop", "number")
    assert "mixed" in json.dumps(mixed["settings"])
    assert {"name": "churn", "reason": "text, such as 'yes'"} not in mixed["left_out"]
    ranks = selected(folder, "--drop", "number", "--similarity", "spearman")
    assert any(one["name"] == "churn" for one in ranks["left_out"])
    dates = selected(folder, "--drop", "number", "--dates", "numbers")
    assert dates["left_out"] == [] or all(o["name"] != "day" for o in dates["left_out"])


def test_a_truncated_file_is_named_and_nothing_is_written(folder, tmp_path):
    damaged = folder / "1.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-200])
    result = run("select", folder, "--out", tmp_path / "small", "--ranking", tmp_path / "r.csv")
    assert_one_line(result, 3, "1.parquet", "damaged")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_damaged_group_of_rows_is_named(folder, tmp_path):
    import pyarrow.parquet as pq

    damaged = folder / "1.parquet"
    column = pq.read_metadata(damaged).row_group(2).column(0)
    content = bytearray(damaged.read_bytes())
    first = column.dictionary_page_offset or column.data_page_offset
    content[first : first + 30] = b"\xff" * 30
    damaged.write_bytes(bytes(content))
    result = run("select", folder, "--drop", "number", "--out", tmp_path / "small")
    assert_one_line(result, 3, "1.parquet", "row group 3 of 4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_files_with_other_columns_are_named(folder):
    frame_of(20, 5).drop("c3").write_parquet(folder / "2.parquet")
    assert_one_line(run("select", folder), 3, "2.parquet", "'c3'")
    frame_of(20, 5).with_columns(pl.col("c3").cast(pl.String)).write_parquet(
        folder / "2.parquet"
    )
    assert_one_line(run("select", folder), 3, "2.parquet", "type")


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["--time", "number"], "--time"),
        (["--target", "churn", "--relevance", "target"], "--relevance"),
        (["--out", "small.xlsx"], ".xlsx"),
    ],
)
def test_what_needs_rows_in_memory_is_refused(folder, arguments, fact):
    result = run("select", folder, *arguments)
    assert result.exit_code in (2, 3)
    assert fact in result.stderr


def test_sources_that_are_no_table(tmp_path):
    assert_one_line(run("select", tmp_path), 3, "is a folder without files")
    assert_one_line(run("select", f"{tmp_path}/*.parquet"), 3, "no file")
    (tmp_path / "a.parquet").write_bytes(b"no table")
    (tmp_path / "b.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert_one_line(run("select", tmp_path), 3, "one format")
    assert_one_line(run("select", "nowhere://bucket/table"), 3, "nowhere://bucket/table")


def test_a_large_file_is_read_in_batches(folder, tmp_path, monkeypatch):
    path = tmp_path / "one.parquet"
    whole(folder).write_parquet(path)
    here = selected(path, "--drop", "number", "--target", "churn")
    there = selected(path, "--drop", "number", "--target", "churn", "--memory", "50KB")
    assert [c["name"] for c in there["selected"]] == [c["name"] for c in here["selected"]]


@posix
def test_a_process_that_is_killed_leaves_no_half_output(folder, tmp_path):
    small = tmp_path / "smaller"
    code = (
        "import time\n"
        "from topofs.io import batches\n"
        "own = batches._writer\n"
        "from contextlib import contextmanager\n"
        "@contextmanager\n"
        "def slow(path, ending, schema):\n"
        "    with own(path, ending, schema) as write:\n"
        "        yield write\n"
        "    print('written', flush=True)\n"
        "    time.sleep(60)\n"
        "batches._writer = slow\n"
        "from topofs.cli import main\n"
        "main()\n"
    )
    arguments = ["select", str(folder), "-k", "2", "--drop", "number", "--out", str(small)]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
    )
    assert process.stdout.readline() == b"written\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    time.sleep(0.1)
    assert not small.exists()
    left = [path.name for path in tmp_path.iterdir() if path != folder]
    assert all(name.startswith(".smaller-") for name in left)
    # What is left is hidden from the next run, which succeeds.
    assert run("select", folder, "-k", 2, "--drop", "number", "--out", small).exit_code == 0
    assert pl.read_parquet(small).height == 600
    assert selected(f"{tmp_path}/smaller", "--similarity", "pearson")["n_samples"] == 600


def test_commands_that_need_rows_take_a_sample_and_say_so(folder, monkeypatch):
    from topofs.cli import streams

    monkeypatch.setattr(streams, "SAMPLED_ROWS", 150)
    for command in (
        ["stability", folder, "--resamples", 3],
        ["compare", folder, "--target", "churn", "--sizes", "2", "--repeats", "1"],
    ):
        result = run(*command, "--drop", "number", "--drop", "day")
        assert result.exit_code == 0, result.output
        assert "150 of the 600 rows" in result.stderr


@pytest.mark.parametrize("source", ["data", "data/*.parquet"])
def test_an_output_is_no_file_of_the_table(folder, monkeypatch, source):
    monkeypatch.chdir(folder.parent)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out in ("data/1.parquet", "data/new.parquet"):
        result = run("select", source, "--drop", "number", "-k", 2, "--out", out)
        assert_one_line(result, 2, out)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_values_that_cannot_be_compared_are_left_out(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    frame.with_columns(nested=pl.Series([[1, 2]] * 50)).write_parquet(data / "0.parquet")
    assert {one["name"] for one in selected(data)["left_out"]} == {"nested"}


def test_a_file_takes_no_place_of_a_folder(folder, tmp_path):
    (tmp_path / "smaller").write_text("mine", encoding="utf-8")
    result = run("select", folder, "--drop", "number", "-k", 2, "--out", tmp_path / "smaller")
    assert_one_line(result, 2, "smaller")
    assert (tmp_path / "smaller").read_text(encoding="utf-8") == "mine"
