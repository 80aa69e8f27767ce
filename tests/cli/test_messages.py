"""Long work without a terminal: a line now and then, and none where nothing is asked for."""

import io
import json
import time

import pytest
from rich.console import Console

from topofs.cli import messages
from topofs.cli.messages import Messages


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test turns."""
    now = [1000.0]
    monkeypatch.setattr(messages.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("quiet", [False, True])
def test_a_log_gets_a_line_now_and_then(capsys, clock, quiet):
    with Messages(quiet=quiet).counting("comparing", "splits") as progress:
        for done in range(1, 101):
            clock[0] += 2
            progress(done, 100)
    lines = capsys.readouterr().err.splitlines()
    if quiet:
        assert lines == []
        return
    assert lines[0] == "comparing: 5 of 100 splits, about 3 min left"
    assert lines[-1] == "comparing: 95 of 100 splits, less than a minute left"
    assert len(lines) == 19


def test_what_came_before_does_not_count_for_the_time_left(capsys, clock):
    with Messages().counting("comparing", "pairs") as progress:
        clock[0] += 600
        progress(0, 100)
        clock[0] += 6
        progress(10, 100)
        clock[0] += 6
        progress(20, 100)
        clock[0] += 6
        progress(30, 100)
    assert capsys.readouterr().err.splitlines() == [
        "comparing: 10 of 100 pairs, about 1 min left",
        "comparing: 30 of 100 pairs, about 1 min left",
    ]


def test_the_first_hundredth_tells_no_time_left(capsys, clock):
    with Messages().counting("comparing", "pairs") as progress:
        clock[0] += 10
        progress(5, 1000)
        clock[0] += 10
        progress(500, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "comparing: 5 of 1,000 pairs",
        "comparing: 500 of 1,000 pairs, less than a minute left",
    ]


def test_quick_work_prints_nothing(capsys, clock):
    with Messages().counting("comparing", "splits") as progress:
        for done in range(1, 101):
            clock[0] += 0.09
            progress(done, 100)
    assert capsys.readouterr().err == ""


def test_a_bar_says_no_number_before_it_is_known(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    said = Messages()
    said.console = Console(force_terminal=True, file=io.StringIO(), width=100)
    with said.counting("selecting again", "resamples") as progress:
        time.sleep(0.25)  # the bar is drawn ten times a second
        progress(1, 1200)
        time.sleep(0.25)
    drawn = said.console.file.getvalue()
    assert "selecting again" in drawn
    assert "None" not in drawn
    assert "1 of 1,200 resamples" in drawn


def test_lines_are_printed_as_they_are_and_not_wrapped(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    name = "a[bold]b[/bold]\\"
    long = "word " * 40 + "end"
    table = messages.new_table({"column": messages.FOLD}, [(name,)])
    Messages().result(dict, [name, long, table, "bell\a"], {"out": "a[bold]"})
    done = capsys.readouterr()
    assert done.out.splitlines()[:2] == [name, long]
    assert done.out.splitlines()[3].rstrip() == name
    assert done.out.splitlines()[4] == "bell\ufffd"
    assert done.err == "written: a[bold]\n"


@pytest.mark.parametrize("quiet", [False, True])
def test_json_is_printed_also_where_notes_are_not(capsys, quiet):
    said = Messages(quiet=quiet, as_json=True)
    said.note("odd")
    said.result(lambda: {"é": [1]}, ["a line"], {})
    done = capsys.readouterr()
    assert json.loads(done.out) == {"é": [1]}
    assert bool(done.err) is not quiet
