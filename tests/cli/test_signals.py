"""A process that is asked to end cleans up as after Ctrl-C."""

import gzip
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")

SLOW = """
import sys, time
import topofs.cli.graph as graph
from topofs.cli import main

def slow(found, path, **options):
    path.write_text("half")
    print("ready", flush=True)
    time.sleep(60)

graph.write_graph = slow
sys.argv = ["topofs", *sys.argv[1:]]
main()
"""
TABLE = "a,b,c\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_behind(tmp_path, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored by whoever runs the tests (nohup)")
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    (work / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    arguments = ["select", "t.csv.gz", "--graph-out", "g.graphml", "--out", "o.csv"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments],
        cwd=work,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        assert [path.name[:7] for path in temporary.iterdir()] == ["topofs-"]
        assert len(os.listdir(work)) > 1
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    said = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert errors.splitlines()[-1] == said
    assert "Traceback" not in errors
    assert os.listdir(work) == ["t.csv.gz"]
    assert os.listdir(temporary) == []


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    ignore = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    code = ignore + SLOW.replace("time.sleep(60)", "time.sleep(1)")
    with subprocess.Popen(
        [sys.executable, "-c", code, "graph", "t.csv", "--out", "g.graphml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        process.communicate(timeout=20)
    assert process.returncode == 0
    assert (tmp_path / "g.graphml").read_text() == "half"
