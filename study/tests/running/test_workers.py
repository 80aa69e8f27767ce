"""Workers give the same records as this process, wherever they run."""

import os

import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

from topofs_study.errors import StudyError, WorkersLostError
from topofs_study.paper.items import Tuning
from topofs_study.paper.splits import Fold
from topofs_study.running import driver
from topofs_study.running.driver import run_tasks
from topofs_study.running.work_item import tasks

ITEMS = [
    Tuning(protocol, "wine", method, "KNN", Fold(fold), (2, 4))
    for method in ("tfs", "inf_fs")
    for fold in range(3)
    for protocol in ("paper", "corrected")
]


def results(**settings):
    records = [record for task in run_tasks(tasks(ITEMS), **settings) for record in task]
    return sorted((record.item.key, record.result) for record in records)


@pytest.fixture(scope="module")
def expected():
    return results()


@pytest.mark.needs_jit
def test_processes_give_the_same_records(expected):
    assert len(expected) == len(ITEMS)
    assert results(jobs=2) == expected


@pytest.mark.needs_jit
# The cluster announces its own sockets and loops late; that is not what is tested here.
@pytest.mark.filterwarnings("default")
def test_a_cluster_of_two_processes_gives_the_same_records(expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        assert results(scheduler=cluster.scheduler_address) == expected


def test_every_start_is_told():
    started = []
    for _ in run_tasks(tasks(ITEMS[:2]), on_start=started.append):
        pass
    assert started == tasks(ITEMS[:2])


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(address, timeout):
        raise OSError("nobody there")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(
        StudyError, match=r"no dask scheduler answers at 'tcp://127\.0\.0\.1:1'"
    ):
        list(run_tasks(tasks(ITEMS[:2]), scheduler="tcp://127.0.0.1:1"))


def test_workers_that_are_lost_again_and_again_end_the_run(monkeypatch):
    calls = []

    def lose(*arguments):
        calls.append(os.getpid())
        raise TerminatedWorkerError("gone")

    monkeypatch.setattr(driver, "run_task", lose)
    with pytest.raises(WorkersLostError, match=r"3 times in a row.*smaller --jobs"):
        list(run_tasks(tasks(ITEMS[:2])))
    assert len(calls) == 3
