"""What Windows and macOS do otherwise, as far as it can be had on any system."""

import errno
import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from tests.cli.running import run
from tests.matrices import factor_table
from tests.platforms import posix
from topofs.cli import app, messages
from topofs.cli.signals import EndedBySignal, ending_by_exception

NAMES = ["λ", "特徴", "größe", "a→b", "plain"]
OURS = rb"topofs[/\\]\w[\w/\\]*\.py:\d+: EncodingWarning"
# A system whose own encoding is not UTF-8.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    rows = [NAMES, *np.round(factor_table(40, 5), 3).tolist()]
    lines = "".join(",".join(map(str, row)) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8", newline="\n")
    return path


def process(*arguments, python=(), **environment):
    """Run ``topofs ARGUMENTS`` in a process of its own; its outputs are bytes."""
    return subprocess.run(
        [sys.executable, *python, "-m", "topofs.cli", *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "--help"),
        ("select", "T"),
        ("explain", "T", "λ"),
    ],
    ids=" ".join,
)
def test_a_terminal_of_windows_shows_a_question_mark(table, arguments):
    given = [table if argument == "T" else argument for argument in arguments]
    done = process(*given, PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    text = done.stdout.decode("cp1252")
    if "--help" not in arguments:
        assert "?" in text


def test_json_keeps_every_name_in_any_encoding(table):
    done = process("select", table, "-k", "5", "--json", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    found = json.loads(done.stdout)
    assert sorted(one["name"] for one in found["selected"]) == sorted(NAMES)
    same = process("select", table, "-k", "5", "--json", PYTHONIOENCODING="utf-8")
    assert json.loads(same.stdout) == found
    assert "特徴".encode() in same.stdout


def test_nothing_is_read_or_written_in_the_encoding_of_the_system(table):
    outputs = ["out.csv", "ranking.csv", "graph.graphml", "report.html", "saved.topofs.json"]
    options = ["--out", "--ranking", "--graph-out", "--report", "--save"]
    keep = table.with_name("keep.txt")
    keep.write_text("λ\n", encoding="utf-8")
    given = [
        word
        for pair in zip(options, map(table.with_name, outputs), strict=True)
        for word in pair
    ]
    words = ["select", table, "-k", "2", "--keep", f"@{keep}", *given]
    done = process(*words, python=["-X", "warn_default_encoding"], **ASCII)
    assert done.returncode == 0, done.stderr
    assert not re.findall(OURS, done.stderr)
    for name in outputs:
        raw = table.with_name(name).read_bytes()
        assert "λ".encode() in raw or b"\\u03bb" in raw
        assert b"\r\n" not in raw


def test_a_closed_stream_takes_any_character():
    code = (
        "import sys; sys.stdout = None\n"
        "from topofs.cli import _open_closed_streams as opened\n"
        "opened(); print('\\u03bb \\u2192', flush=True); sys.stderr.write(sys.stdout.encoding)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | ASCII, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"utf-8")


def test_outputs_that_differ_in_case_only_are_refused(table):
    out = [table.with_name(name) for name in ("Out.csv", "out.CSV")]
    result = run("select", table, "--out", out[0], "--ranking", out[1])
    assert result.exit_code == 2
    assert "Out.csv" in result.stderr
    assert "out.CSV" in result.stderr
    assert os.listdir(table.parent) == ["table.csv"]


@pytest.mark.parametrize(("on_windows", "status"), [(True, 0), (False, 3)])
def test_windows_calls_a_closed_pipe_an_invalid_argument(
    table, monkeypatch, on_windows, status
):
    def closed(*_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(app, "_ON_WINDOWS", on_windows)
    monkeypatch.setattr(messages.Messages, "result", closed)
    result = run("select", table)
    assert result.exit_code == status
    assert ("error" in result.stderr) == bool(status)


def test_an_invalid_argument_of_a_file_is_an_error_on_windows(monkeypatch, table):
    def refused(*_):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), "CON")

    monkeypatch.setattr(app, "_ON_WINDOWS", True)
    monkeypatch.setattr(messages.Messages, "result", refused)
    assert run("select", table).exit_code == 3


@posix
def test_signals_that_a_system_lacks_or_has_besides(monkeypatch):
    monkeypatch.delattr(signal, "SIGHUP")
    monkeypatch.setattr(signal, "SIGBREAK", signal.SIGUSR1, raising=False)
    with pytest.raises(EndedBySignal), ending_by_exception():
        os.kill(os.getpid(), signal.SIGBREAK)
    assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
