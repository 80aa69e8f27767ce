"""A process that is asked to end cleans up as after Ctrl-C."""

import ctypes
import gzip
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from topofs.cli.signals import EndedBySignal, ending_by_exception

if not hasattr(signal, "SIGHUP"):
    pytest.skip("there are no such signals", allow_module_level=True)

SLOW = """
import sys, time
import topofs.cli.graph as graph
from topofs.cli import main

def wait():
    print("ready", flush=True)
    time.sleep(60)

def slow(exported, path):
    path.write_text("half")
    wait()

graph.Exported.write = slow
sys.argv = ["topofs", *sys.argv[1:]]
main()
"""

# A C library that calls back into Python while the signal comes.
IN_A_CALLBACK = """
import ctypes

def wait():
    def called_back():
        print("ready", flush=True)
        for _ in range(20):
            time.sleep(0.05)
        return 0

    ctypes.CFUNCTYPE(ctypes.c_int)(called_back)()
    time.sleep(60)
"""

# What is cleaned up takes its time.
SLOW_TO_CLEAN_UP = """
def wait():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("cleaning up", flush=True)
        time.sleep(60)
"""

# One call of C, in which no handler of Python runs.
IN_C = """
import hashlib, threading

def wait():
    threading.Timer(0.5, print, ["ready"], {"flush": True}).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**28)
"""

# An exception between the start of a thread and what would end it later.
BESIDE_A_THREAD = """
import threading

def wait():
    threading.Thread(target=time.sleep, args=[60]).start()
    print("ready", flush=True)
    time.sleep(60)
"""
TABLE = "a,b,c\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30))


@pytest.fixture
def waiting(tmp_path):
    """Start a command on a packed table that waits while it writes; look for what it leaves."""
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    (work / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    arguments = ["select", "t.csv.gz", "--graph-out", "g.graphml", "--out", "o.csv"]

    @contextmanager
    def start(wait=""):
        code = SLOW.replace("\ngraph.Exported.write", f"{wait}\ngraph.Exported.write")
        with subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=work,
            env={**os.environ, "TMPDIR": str(temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout.readline() == "ready\n"
            assert [path.name[:7] for path in temporary.iterdir()] == ["topofs-"]
            assert len(os.listdir(work)) > 1
            try:
                yield process
            finally:
                process.kill()
        assert os.listdir(work) == ["t.csv.gz"]
        assert os.listdir(temporary) == []

    return start


def assert_it_ends(process, number, *, saying=True):
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in errors
    assert "ignored" not in errors
    if saying:
        said = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
        assert errors.splitlines()[-1] == said


def skip_if_ignored(number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored by whoever runs the tests (nohup)")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_behind(waiting, number):
    skip_if_ignored(number)
    with waiting() as process:
        process.send_signal(number)
        assert_it_ends(process, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_callback_from_c_swallows_comes_again(waiting, number):
    skip_if_ignored(number)
    with waiting(IN_A_CALLBACK) as process:
        process.send_signal(number)
        assert_it_ends(process, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_thread_is_waited_for(waiting, number):
    skip_if_ignored(number)
    with waiting(BESIDE_A_THREAD) as process:
        process.send_signal(number)
        assert_it_ends(process, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_process_that_is_cleaning_up(waiting, number):
    skip_if_ignored(number)
    with waiting(SLOW_TO_CLEAN_UP) as process:
        process.send_signal(number)
        assert process.stdout.readline() == "cleaning up\n"
        process.send_signal(number)
        assert_it_ends(process, number, saying=False)


def test_a_second_signal_ends_a_process_that_is_in_a_library_of_c(waiting):
    with waiting(IN_C) as process:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert_it_ends(process, signal.SIGTERM, saying=False)


def test_a_swallowed_signal_is_told_at_the_end_of_the_block(capsys):
    skip_if_ignored(signal.SIGTERM)

    def called_back():
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    before = signal.getsignal(signal.SIGTERM), sys.unraisablehook
    with pytest.raises(EndedBySignal, match="SIGTERM"), ending_by_exception():
        ctypes.CFUNCTYPE(ctypes.c_int)(called_back)()
    assert (signal.getsignal(signal.SIGTERM), sys.unraisablehook) == before
    assert capsys.readouterr().err == ""


def test_a_compiler_is_left_before_the_exception_is_raised():
    skip_if_ignored(signal.SIGTERM)
    compiler = {"__name__": "llvmlite.binding.executionengine", "os": os, "signal": signal}
    code = "def compile():\n    os.kill(os.getpid(), signal.SIGTERM)\n    return 'whole'\n"
    exec(code, compiler)
    found = []
    with pytest.raises(EndedBySignal), ending_by_exception():
        found.append(compiler["compile"]())
        time.sleep(10)
    assert found == ["whole"]


def test_what_else_is_swallowed_is_said_as_ever(monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: said.append(error.exc_value))
    with ending_by_exception():
        ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1 // 0)()
    assert [type(error) for error in said] == [ZeroDivisionError]


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
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
    assert (tmp_path / "g.graphml").read_text(encoding="utf-8") == "half"
