"""Run a plan from its datasets to the store, and go on where an earlier run stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from topofs_study.datasets import load
from topofs_study.errors import DatasetError, StudyError
from topofs_study.running.executor import run_tasks
from topofs_study.running.work_item import tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from topofs_study.datasets import Dataset
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import Shape, WorkItem

__all__ = [
    "Plan",
    "PlanOfOneStage",
    "Survey",
    "Watcher",
    "check_names",
    "check_sizes",
    "run_plan",
    "survey",
]


class Plan(Protocol):
    """What is to be run: the datasets, and the work on each of them."""

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of datasets."""
        ...

    def shape_of(self, dataset: Dataset) -> Shape:
        """Give the sizes of a dataset, or refuse one that the plan cannot be run on."""
        ...

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List all the work, with stand-ins where it follows from results that are not there."""
        ...

    def stages(
        self, shapes: Mapping[str, Shape], store: Store
    ) -> Iterator[list[WorkItem[Any]]]:
        """Give the work stage by stage; a stage may follow from what the store holds by then."""
        ...


class PlanOfOneStage:
    """A plan of which nothing follows from earlier results."""

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List all the work."""
        raise NotImplementedError

    def stages(
        self, shapes: Mapping[str, Shape], store: Store
    ) -> Iterator[list[WorkItem[Any]]]:
        """Give everything at once."""
        yield self.every_item(shapes, store)


def check_names(what: str, given: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not allowed, and list those that are."""
    known = ", ".join(allowed)
    for name in given:
        if name not in allowed:
            raise StudyError(f"no {what} is called {name!r}; there are {known}")
    if not given:
        raise StudyError(f"no {what} is given; there are {known}")


def check_sizes(sizes: tuple[int, ...]) -> None:
    """Refuse no sizes, and those below 1."""
    if not sizes or min(sizes) < 1:
        given = ", ".join(map(str, sizes)) or "none"
        raise StudyError(f"sizes are {given}; every size must be at least 1")


class Watcher(Protocol):
    """Is told how a run gets on."""

    def planned(self, n_items: int, total_cost: float, n_done: int, done_cost: float) -> None:
        """Hear how much there is to do and how much an earlier run has done."""
        ...

    def started(self, task: tuple[WorkItem[Any], ...]) -> None:
        """Hear that a task was handed to a worker."""
        ...

    def finished(self, task: tuple[WorkItem[Any], ...], done_cost: float) -> None:
        """Hear that the records of a task are stored."""
        ...


@dataclass(frozen=True)
class Survey:
    """Which datasets of a plan can be run.

    Parameters
    ----------
    shapes : mapping of str to Shape
        Those that were read.
    missing : mapping of str to str
        Those that were not, with the reason.
    """

    shapes: Mapping[str, Shape]
    missing: Mapping[str, str]


def survey(plan: Plan, *, data_dir: str | None = None) -> Survey:
    """Read every dataset once, to learn its sizes and to find those that are missing.

    Parameters
    ----------
    plan : Plan
        What is to be run.
    data_dir : str, optional
        The folder to look in first.

    Returns
    -------
    Survey

    Raises
    ------
    StudyError
        The plan cannot be run on one of the datasets.
    UnknownDatasetError
        No dataset has a name that the plan gives.
    """
    shapes: dict[str, Shape] = {}
    missing: dict[str, str] = {}
    for name in plan.datasets:
        try:
            dataset = load(name, data_dir=data_dir)
        except DatasetError as error:
            missing[name] = str(error)
        else:
            shapes[name] = plan.shape_of(dataset)
    return Survey(shapes, missing)


def run_plan(
    plan: Plan,
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
    plan : Plan
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

    def cost(items: list[WorkItem[Any]]) -> float:
        return sum(item.cost(shapes[item.dataset]) for item in items)

    everything = plan.every_item(shapes, store)
    known = store.keys()
    done = [item for item in everything if item.key in known]
    watcher.planned(len(everything), cost(everything), len(done), cost(done))
    for items in plan.stages(shapes, store):
        known = store.keys()
        for records in run_tasks(
            tasks([item for item in items if item.key not in known]),
            data_dir=data_dir,
            jobs=jobs,
            scheduler=scheduler,
            on_start=watcher.started,
        ):
            for record in records:
                store.add(record)
            task = [record.item for record in records]
            watcher.finished(tuple(task), cost(task))
