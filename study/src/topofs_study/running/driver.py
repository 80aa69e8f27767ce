"""Run a study from the plan to the store, and go on where an earlier run stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from topofs_study.datasets import load as load_dataset
from topofs_study.errors import DatasetError, StudyError
from topofs_study.paper.chosen import Chosen, published_settings, winners
from topofs_study.running.executor import run_tasks
from topofs_study.paper.plan import cost, plan_pairs, plan_tests, plan_tuning, tasks
from topofs_study.paper.published import published_tuned
from topofs_study.paper.run import shape_of
from topofs_study.paper.settings import GRIDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.paper.plan import Shape, Study
    from topofs_study.paper.run import Record
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import Cell, WorkItem

__all__ = ["Survey", "Watcher", "reproduce", "survey"]


class Watcher(Protocol):
    """Is told how a study gets on."""

    def planned(self, n_items: int, total_cost: float, n_done: int, done_cost: float) -> None:
        """Hear how much there is to do and how much an earlier run has done."""
        ...

    def started(self, task: tuple[WorkItem, ...]) -> None:
        """Hear that a task was handed to a worker."""
        ...

    def finished(self, task: tuple[WorkItem, ...], done_cost: float) -> None:
        """Hear that the records of a task are stored."""
        ...


@dataclass(frozen=True)
class Survey:
    """Which datasets of a study can be run.

    Parameters
    ----------
    shapes : mapping of str to Shape
        Those that were read.
    missing : mapping of str to str
        Those that were not, with the reason.
    """

    shapes: Mapping[str, Shape]
    missing: Mapping[str, str]


def survey(study: Study, *, data_dir: str | None = None) -> Survey:
    """Read every dataset once, to learn its sizes and to find those that are missing.

    Parameters
    ----------
    study : Study
        What is to be run.
    data_dir : str, optional
        The folder to look in first.

    Returns
    -------
    Survey

    Raises
    ------
    StudyError
        A size is too large for a dataset, or a replay has no published settings for it.
    """
    if study.source == "replay":
        _check_published(study)
    shapes: dict[str, Shape] = {}
    missing: dict[str, str] = {}
    for name in study.datasets:
        try:
            shapes[name] = shape_of(load_dataset(name, data_dir=data_dir))
        except DatasetError as error:
            missing[name] = str(error)
        else:
            study.sizes_for(name, shapes[name])
    return Survey(shapes, missing)


def reproduce(
    study: Study,
    shapes: Mapping[str, Shape],
    store: Store,
    watcher: Watcher,
    *,
    data_dir: str | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
) -> None:
    """Run what is not yet in the store.

    Parameters
    ----------
    study : Study
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there, from `survey`.
    store : Store
        Where records go, each as soon as its task is done.
    watcher : Watcher
        Is told of every step.
    data_dir : str, optional
        The folder with the datasets.
    jobs, scheduler
        As in `topofs_study.running.executor.run_tasks`.
    """
    everything = _every_item(study, shapes, store)
    known = store.keys()
    done = [item for item in everything if item.key in known]
    watcher.planned(
        len(everything),
        sum(cost(item, shapes[item.dataset]) for item in everything),
        len(done),
        sum(cost(item, shapes[item.dataset]) for item in done),
    )
    for stage in _stages(study, shapes):
        items = [*stage.tuning, *_tests_and_pairs(study, stage.tested, store)]
        known = store.keys()
        pending = tasks([item for item in items if item.key not in known])
        for records in run_tasks(
            pending,
            data_dir=data_dir,
            jobs=jobs,
            scheduler=scheduler,
            on_start=watcher.started,
        ):
            _keep(records, shapes, store, watcher)


@dataclass(frozen=True)
class _Stage:
    """The tuning of one dataset beside the tests of the one tuned before.

    Tests wait for the tuning of their own dataset, so those of the previous dataset fill the
    cores at the end of a tuning; a run that is stopped leaves whole datasets behind.
    """

    tuning: list[WorkItem]
    tested: Mapping[str, Shape]


def _stages(study: Study, shapes: Mapping[str, Shape]) -> list[_Stage]:
    """Datasets one after the other; for a replay, which has no tuning, all at once."""
    tuning = plan_tuning(study, shapes)
    if not tuning:
        return [_Stage([], shapes)]
    names = list(dict.fromkeys(item.dataset for item in tuning))
    return [
        _Stage(
            [item for item in tuning if item.dataset == name],
            {previous: shapes[previous]} if previous else {},
        )
        for name, previous in zip([*names, ""], ["", *names], strict=True)
    ]


def _tests_and_pairs(study: Study, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem]:
    """List the items of datasets whose settings are known."""
    chosen = _chosen(study, store)
    return plan_tests(study, shapes, chosen) + plan_pairs(study, shapes, chosen)


def _chosen(study: Study, store: Store) -> dict[Cell, Chosen]:
    """Give the settings that are known so far."""
    return published_settings() if study.source == "replay" else winners(store.records())


def _keep(
    records: list[Record], shapes: Mapping[str, Shape], store: Store, watcher: Watcher
) -> None:
    """Store the records of a task."""
    for record in records:
        store.add(record)
    task = tuple(record.item for record in records)
    watcher.finished(task, sum(cost(item, shapes[item.dataset]) for item in task))


def _every_item(study: Study, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem]:
    """Every item of the study, with stand-ins for settings that are not yet chosen."""
    chosen = _chosen(study, store)
    if study.source == "tuned":
        stand_ins = {
            (protocol, dataset, method, classifier, size): Chosen(GRIDS[method][0], 0.0)
            for dataset, shape in shapes.items()
            for protocol in study.protocols
            for method in study.tuned_methods
            for classifier in study.classifiers
            for size in study.sizes_for(dataset, shape)
        }
        chosen = stand_ins | chosen
    tests = plan_tests(study, shapes, chosen) + plan_pairs(study, shapes, chosen)
    return plan_tuning(study, shapes) + tests


def _check_published(study: Study) -> None:
    """Refuse to replay what the paper prints no settings for."""
    frame = published_tuned()
    for name in study.datasets:
        if name not in set(frame["dataset"]):
            allowed = ", ".join(dict.fromkeys(frame["dataset"]))
            raise StudyError(
                f"the paper prints no settings for {name!r}, so it cannot be replayed; leave "
                f"out --replay to tune it, or take some of {allowed}"
            )
    printed = sorted({int(size) for size in frame["n_features"]})
    for size in study.sizes or ():
        if size not in printed:
            raise StudyError(
                f"the paper prints no settings for size {size}; with --replay the sizes are "
                f"{', '.join(map(str, printed))}"
            )
