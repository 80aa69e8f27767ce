"""Configuration in, list of work items out: nothing is computed here.

The study has three stages. *Tuning* scores every setting on every fold. *Testing* scores
the chosen settings, and the baselines, on the test part. *Pairing* scores the chosen
settings on the thirty halves behind the paired tests. The last two need the chosen settings
and take them as an argument, be they the paper's or the winners of the tuning.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from topofs_study.errors import StudyError
from topofs_study.paper.classifiers import CLASSIFIERS
from topofs_study.paper.settings import BASELINES, GRIDS, SIZES, TUNED_METHODS
from topofs_study.paper.splits import N_FOLDS, PAIR_SEEDS
from topofs_study.running.work_item import WorkItem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.paper.chosen import Chosen
    from topofs_study.running.work_item import Cell

__all__ = [
    "N_RANDOM_SUBSETS",
    "Shape",
    "Study",
    "cost",
    "plan_pairs",
    "plan_tests",
    "plan_tuning",
    "tasks",
]

N_RANDOM_SUBSETS = 10
"""Seeds of the random baseline."""


@dataclass(frozen=True)
class Shape:
    """What the plan has to know of a dataset.

    Parameters
    ----------
    n_train : int
        Rows of the training table.
    n_features : int
        Columns of the training table that vary.
    n_classes : int
        Number of classes.
    """

    n_train: int
    n_features: int
    n_classes: int


@dataclass(frozen=True)
class Study:
    """What is to be run.

    Parameters
    ----------
    datasets : tuple of str
        Names of datasets.
    protocols, classifiers, methods : tuple of str
        What to run on each of them.
    sizes : tuple of int, optional
        Numbers of features to keep. Without them every size of the paper that a dataset
        has the columns for.
    source : {"tuned", "replay"}
        Whether settings come from the cross-validation or from the paper's tables.
    with_pairs : bool
        Whether to run the halves behind the paired tests.

    Examples
    --------
    >>> Study(datasets=("wine",), classifiers=("SVM",))
    Traceback (most recent call last):
    topofs_study.errors.StudyError: no classifier is called 'SVM'; there are LinearSVM, KNN,
    DecisionTree
    """

    datasets: tuple[str, ...]
    protocols: tuple[str, ...] = ("paper", "corrected")
    classifiers: tuple[str, ...] = CLASSIFIERS
    methods: tuple[str, ...] = TUNED_METHODS + BASELINES
    sizes: tuple[int, ...] | None = None
    source: str = "tuned"
    with_pairs: bool = True

    def __post_init__(self) -> None:
        _check("protocol", self.protocols, ("paper", "corrected"))
        _check("classifier", self.classifiers, CLASSIFIERS)
        _check("method", self.methods, TUNED_METHODS + BASELINES)
        _check("source", (self.source,), ("tuned", "replay"))
        if self.sizes is not None and (not self.sizes or min(self.sizes) < 1):
            given = ", ".join(map(str, self.sizes)) or "none"
            raise StudyError(f"sizes are {given}; every size must be at least 1")

    @property
    def tuned_methods(self) -> tuple[str, ...]:
        """The methods asked for that have settings."""
        return tuple(method for method in TUNED_METHODS if method in self.methods)

    def sizes_for(self, dataset: str, shape: Shape) -> tuple[int, ...]:
        """Give the sizes to run on a dataset.

        Parameters
        ----------
        dataset : str
            Its name, for the message.
        shape : Shape
            Its sizes.

        Returns
        -------
        tuple of int
            Ascending.

        Raises
        ------
        StudyError
            A size that was asked for is larger than the number of features.
        """
        if self.sizes is None:
            return tuple(size for size in SIZES if size <= shape.n_features)
        too_large = [size for size in self.sizes if size > shape.n_features]
        if too_large:
            raise StudyError(
                f"size {too_large[0]} is larger than the {shape.n_features} features of "
                f"{dataset} that vary on its training part; allowed are 1 to "
                f"{shape.n_features}"
            )
        return tuple(sorted(set(self.sizes)))


def plan_tuning(study: Study, shapes: Mapping[str, Shape]) -> list[WorkItem]:
    """List the cross-validation of every setting, cheap datasets first.

    Parameters
    ----------
    study : Study
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there.

    Returns
    -------
    list of WorkItem
        Empty for a replay.

    Examples
    --------
    >>> study = Study(datasets=("wine",), protocols=("paper",), methods=("tfs",))
    >>> [item.key for item in plan_tuning(study, {"wine": Shape(124, 13, 3)})][:2]
    ['tune/paper/wine/tfs/LinearSVM/fold-0/10', 'tune/paper/wine/tfs/KNN/fold-0/10']
    """
    if study.source == "replay":
        return []
    return [
        WorkItem(
            "tune",
            protocol,
            dataset,
            method,
            classifier,
            part=f"fold-{fold}",
            sizes=study.sizes_for(dataset, shapes[dataset]),
        )
        for dataset in _by_cost(study, shapes)
        for method, fold, protocol, classifier in product(
            study.tuned_methods, range(N_FOLDS), study.protocols, study.classifiers
        )
    ]


def plan_tests(
    study: Study, shapes: Mapping[str, Shape], chosen: Mapping[Cell, Chosen]
) -> list[WorkItem]:
    """List the class counts, the chosen settings and the baselines on the test parts.

    Parameters
    ----------
    study : Study
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there.
    chosen : mapping of cell to Chosen
        The setting of every protocol, dataset, method, classifier and size.

    Returns
    -------
    list of WorkItem
        Cheap datasets first. The random and variance baselines belong to `corrected`.
    """
    items: list[WorkItem] = []
    for dataset in _by_cost(study, shapes):
        sizes = study.sizes_for(dataset, shapes[dataset])
        for protocol in study.protocols:
            items.append(WorkItem("split", protocol, dataset))
            items += _chosen_items("test", "test", study, protocol, dataset, sizes, chosen)
            items += _baseline_items(study, protocol, dataset, sizes, shapes[dataset])
    return items


def plan_pairs(
    study: Study, shapes: Mapping[str, Shape], chosen: Mapping[Cell, Chosen]
) -> list[WorkItem]:
    """List the chosen settings on the thirty halves behind the paired tests.

    Parameters
    ----------
    study : Study
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there.
    chosen : mapping of cell to Chosen
        The setting of every protocol, dataset, method, classifier and size.

    Returns
    -------
    list of WorkItem
        Cheap datasets first; empty where only one of the two methods is run.
    """
    if not study.with_pairs or study.tuned_methods != TUNED_METHODS:
        return []
    items: list[WorkItem] = []
    for dataset in _by_cost(study, shapes):
        sizes = study.sizes_for(dataset, shapes[dataset])
        for repetition, half in product(range(len(PAIR_SEEDS)), range(2)):
            part = f"half-{repetition:02d}-{half}"
            for protocol in study.protocols:
                items += _chosen_items("pair", part, study, protocol, dataset, sizes, chosen)
    return items


def tasks(items: list[WorkItem]) -> list[tuple[WorkItem, ...]]:
    """Put items that can share work into one task, in the order of their first item.

    Items on the same part of a dataset share its similarities, graphs and fits; the tuning
    of the two methods is kept apart, so that less is lost when a run is stopped.

    Parameters
    ----------
    items : list of WorkItem
        In any order.

    Returns
    -------
    list of tuple of WorkItem
        Every item once.
    """
    groups: dict[tuple[str, ...], list[WorkItem]] = {}
    for item in items:
        kind = f"tune-{item.method}" if item.kind == "tune" else item.part
        groups.setdefault((kind, item.dataset, item.part), []).append(item)
    return [tuple(group) for group in groups.values()]


def cost(item: WorkItem, shape: Shape) -> float:
    """Estimate the work of an item, in units that only compare items.

    Parameters
    ----------
    item : WorkItem
        The item.
    shape : Shape
        Sizes of its dataset.

    Returns
    -------
    float
        Positive.
    """
    n_settings = len(GRIDS[item.method]) if item.kind == "tune" else 1
    seeds = N_RANDOM_SUBSETS if item.method == "random" else 1
    fits = 1 + n_settings * seeds * sum(100 + size for size in item.sizes) / 100
    return fits * shape.n_train * (5 + shape.n_classes) + shape.n_features**2 * n_settings / 50


def _check(what: str, given: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Refuse a name that is not allowed, and list those that are."""
    for name in given:
        if name not in allowed:
            raise StudyError(f"no {what} is called {name!r}; there are {', '.join(allowed)}")
    if not given:
        raise StudyError(f"no {what} is given; there are {', '.join(allowed)}")


def _by_cost(study: Study, shapes: Mapping[str, Shape]) -> list[str]:
    """Order the datasets that are there, cheap ones first."""

    def weight(dataset: str) -> float:
        shape = shapes[dataset]
        return cost(WorkItem("tune", "paper", dataset, "tfs", sizes=SIZES), shape)

    return sorted((name for name in study.datasets if name in shapes), key=weight)


def _chosen_items(
    kind: str,
    part: str,
    study: Study,
    protocol: str,
    dataset: str,
    sizes: tuple[int, ...],
    chosen: Mapping[Cell, Chosen],
) -> list[WorkItem]:
    """One item for each method and classifier that has settings."""
    items = []
    for method, classifier in product(study.tuned_methods, study.classifiers):
        cells = [(protocol, dataset, method, classifier, size) for size in sizes]
        known = [cell for cell in cells if cell in chosen]
        if known:
            item = WorkItem(
                kind,
                protocol,
                dataset,
                method,
                classifier,
                part=part,
                sizes=tuple(cell[-1] for cell in known),
                settings=tuple(chosen[cell].setting for cell in known),
            )
            items.append(item)
    return items


def _baseline_items(
    study: Study, protocol: str, dataset: str, sizes: tuple[int, ...], shape: Shape
) -> list[WorkItem]:
    """One item for each baseline and classifier."""
    methods = [method for method in BASELINES if method in study.methods]
    if protocol == "paper":
        methods = [method for method in methods if method == "all"]
    return [
        WorkItem(
            "test",
            protocol,
            dataset,
            method,
            classifier,
            sizes=(shape.n_features,) if method == "all" else sizes,
        )
        for method, classifier in product(methods, study.classifiers)
    ]
