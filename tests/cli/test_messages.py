"""Long work without a terminal: a line now and then, and none where nothing is asked for."""

import pytest

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
            clock[0] += 6
            progress(done, 100)
    lines = capsys.readouterr().err.splitlines()
    if quiet:
        assert lines == []
        return
    assert lines[0] == "comparing: 5 of 100 splits, about 10 min left"
    assert lines[-1] == "comparing: 95 of 100 splits, about 1 min left"
    assert len(lines) == 19


def test_quick_work_prints_nothing(capsys, clock):
    with Messages().counting("comparing", "splits") as progress:
        for done in range(1, 101):
            clock[0] += 0.2
            progress(done, 100)
    assert capsys.readouterr().err == ""
