"""Start ``topofs reproduce`` as a process of its own, to stop it or to kill it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from topofs_study.cli.runs import run_to_store
from topofs_study.paper.items import ClassCounts, OutOfSample, Paired, Tuning
from topofs_study.paper.study import Study
from topofs_study.running.store import Store


def command(out, *options):
    """A small but real study: the tuning and the tests of two methods on 569 samples."""
    return [
        *(sys.executable, "-m", "topofs.cli", "reproduce", "--datasets", "breast_cancer"),
        *("--classifiers", "KNN", "--sizes", "3,5", "--methods", "tfs,inf_fs"),
        *("--protocol", "paper", "--no-pairs", "--out", str(out), *options),
    ]


def benchmark(out, *options):
    """A benchmark of one small dataset."""
    return [
        *(sys.executable, "-m", "topofs.cli", "benchmark", "--datasets", "wine"),
        *("--methods", "random,coverage", "--splits", "40", "--seeds", "40", "--sizes", "2,4"),
        *("--out", str(out), *options),
    ]


def run_here(out):
    """The same study in this process, without its report."""
    study = Study(
        datasets=("breast_cancer",),
        protocols=("paper",),
        classifiers=("KNN",),
        methods=("tfs", "inf_fs"),
        sizes=(3, 5),
        with_pairs=False,
    )
    run_to_store(study, out / "store.sqlite", data_dir=None, jobs=1, scheduler=None)


@contextmanager
def started(out, *options, of=command, **settings):
    """Start a command in a process group of its own, which ends with the block.

    What it says goes to a file: workers that outlive a killed driver keep a pipe open.
    """
    with (out / "said.txt").open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            of(out, *options),
            env={**os.environ, "COLUMNS": "200"},
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **settings,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def finish(process, out, timeout=180):
    """Wait for it; the status and everything it said."""
    return process.wait(timeout), (out / "said.txt").read_text(encoding="utf-8")


def run_to_the_end(out, *options, **settings):
    """Start it and wait for it."""
    with started(out, *options, **settings) as process:
        return finish(process, out)


def wait_for_records(path, n_records, process, timeout=120):
    """Wait until the run has stored some records."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        assert process.poll() is None, f"ended with status {process.returncode}"
        if path.exists() and _count(path) >= n_records:
            return
        time.sleep(0.05)
    raise TimeoutError(f"no {n_records} records in {timeout} s")


def workers_of(process):
    """Process ids of the workers, from /proc."""
    workers = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(
                (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
            )
            is_worker = b"loky.backend.popen_loky" in (folder / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if parent == process.pid and is_worker:
            workers.append(int(folder.name))
    return workers


def wait_for_workers(process, n_workers, timeout=120):
    """Wait until the workers are there."""
    deadline = time.monotonic() + timeout
    while len(found := workers_of(process)) < n_workers:
        assert time.monotonic() < deadline, "no workers"
        time.sleep(0.05)
    return found


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def results(path):
    """What a store holds, without the counters that depend on the machine."""
    with Store(path) as store:
        return [
            (record.item, record.result)
            for kind in (ClassCounts, Tuning, OutOfSample, Paired)
            for record in store.records(kind)
        ]


def _count(path):
    try:
        with closing(sqlite3.connect(path, timeout=5)) as connection:
            return connection.execute("SELECT count(*) FROM records").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
