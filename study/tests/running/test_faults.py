"""A real run is interrupted, killed and starved; nothing is lost and nothing doubled."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from study.tests.running import real_run

resource = pytest.importorskip("resource", reason="there are no such limits")

pytestmark = [
    pytest.mark.needs_jit,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The results of a run that nothing happened to."""
    out = tmp_path_factory.mktemp("undisturbed")
    real_run.run_here(out)
    results = real_run.results(out / "store.sqlite")
    assert len(results) == 6 + 1 + 2
    return results


def assert_goes_on_to_the_same_end(out, undisturbed):
    real_run.run_here(out)
    assert real_run.results(out / "store.sqlite") == undisturbed


def test_a_killed_driver_loses_and_doubles_nothing(tmp_path, undisturbed):
    store = tmp_path / "store.sqlite"
    with real_run.started(tmp_path, "--jobs", "2") as process:
        real_run.wait_for_records(store, 2, process)
        real_run.kill(process.pid)
        assert real_run.finish(process, tmp_path)[0] == -signal.SIGKILL
    before = real_run.results(store)
    assert 2 <= len(before) < len(undisturbed)
    assert all(result in undisturbed for result in before)
    assert_goes_on_to_the_same_end(tmp_path, undisturbed)


def test_a_killed_worker_is_replaced(tmp_path, undisturbed):
    with real_run.started(tmp_path, "--jobs", "2") as process:
        real_run.kill(real_run.wait_for_workers(process, 2)[0])
        status, said = real_run.finish(process, tmp_path)
    assert status == 0, said
    assert real_run.results(tmp_path / "store.sqlite") == undisturbed
    assert (tmp_path / "cells.csv").exists()
    assert (tmp_path / "report.md").exists()


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path, undisturbed):
    with real_run.started(tmp_path, "--jobs", "2") as process:
        real_run.wait_for_records(tmp_path / "store.sqlite", 2, process)
        os.killpg(process.pid, signal.SIGINT)
        status, said = real_run.finish(process, tmp_path)
    assert status == 130, said
    assert "the same command goes on" in said
    assert "Traceback" not in said
    assert_goes_on_to_the_same_end(tmp_path, undisturbed)


@pytest.mark.parametrize(
    ("of", "number"),
    [(real_run.command, signal.SIGTERM), (real_run.benchmark, signal.SIGHUP)],
    ids=["reproduce", "benchmark"],
)
def test_a_driver_that_is_asked_to_end_takes_its_workers_along(tmp_path, of, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored by whoever runs the tests (nohup)")
    with real_run.started(tmp_path, "--jobs", "2", of=of) as process:
        real_run.wait_for_records(tmp_path / "store.sqlite", 1, process)
        workers = real_run.wait_for_workers(process, 2)
        process.send_signal(number)
        status, said = real_run.finish(process, tmp_path, timeout=30)
        assert status == 128 + number, said
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            assert time.monotonic() < deadline, "a worker outlives its driver"
            time.sleep(0.05)
    assert "the same command goes on" in said
    assert "Traceback" not in said


def test_a_full_disk_is_explained_and_survived(tmp_path, undisturbed):
    def small_files_only():
        resource.setrlimit(resource.RLIMIT_FSIZE, (24_000, 24_000))

    status, said = real_run.run_to_the_end(tmp_path, preexec_fn=small_files_only)
    assert status == 3, said
    assert "free some space and run the same command again" in said
    assert "Traceback" not in said
    kept = real_run.results(tmp_path / "store.sqlite")
    assert 0 < len(kept) < len(undisturbed)
    assert_goes_on_to_the_same_end(tmp_path, undisturbed)


def test_a_store_of_an_older_version_is_explained(tmp_path):
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT)")
        connection.execute("CREATE TABLE records (key TEXT PRIMARY KEY)")
        connection.execute("INSERT INTO meta VALUES ('schema_version', '0')")
        connection.commit()
    finished = subprocess.run(
        real_run.command(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 3
    assert "schema version 0" in finished.stderr
    assert "--store" in finished.stderr
    assert "Traceback" not in finished.stderr
