"""The paper's study as a plan: what is to be run, with which settings, in which order.

The study has three stages. *Tuning* scores every setting on every fold. *Testing* scores
the chosen settings, and the baselines, on the test part. *Pairing* scores the chosen
settings on the thirty halves behind the paired tests. The last two need the chosen settings,
be they the paper's or the winners of the tuning.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.errors import StudyError
from topofs_study.paper.items import ClassCounts, OutOfSample, Paired, Tuning
from topofs_study.paper.protocols import (
    BASELINES,
    CLASSIFIERS,
    GRIDS,
    PROTOCOLS,
    SIZES,
    TUNED_METHODS,
    Setting,
)
from topofs_study.paper.published import published_tuned
from topofs_study.paper.splits import N_FOLDS, PAIR_SEEDS, Fold, Half, train_test
from topofs_study.running.driver import check_names, check_sizes
from topofs_study.running.work_item import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from topofs_study.datasets import Dataset
    from topofs_study.paper.items import Cell
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import Record, WorkItem

__all__ = ["Study"]


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
        check_names("protocol", self.protocols, ("paper", "corrected"))
        check_names("classifier", self.classifiers, CLASSIFIERS)
        check_names("method", self.methods, TUNED_METHODS + BASELINES)
        check_names("source", (self.source,), ("tuned", "replay"))
        if self.sizes is not None:
            check_sizes(self.sizes)
        if self.source == "replay":
            _check_published(self)

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

    def shape_of(self, dataset: Dataset) -> Shape:
        """Give the sizes of a dataset."""
        split = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
        n_features = min(int(p.varying(split.X_train).sum()) for p in PROTOCOLS.values())
        shape = Shape(len(split.y_train), n_features, len(np.unique(split.y_train)))
        self.sizes_for(dataset.name, shape)
        return shape

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List every item, with stand-ins for settings that are not yet chosen."""
        chosen = self._chosen(store)
        if self.source == "tuned":
            stand_ins = {
                (protocol, dataset, method, classifier, size): Chosen(GRIDS[method][0], 0.0)
                for dataset, shape in shapes.items()
                for protocol in self.protocols
                for method in self.tuned_methods
                for classifier in self.classifiers
                for size in self.sizes_for(dataset, shape)
            }
            chosen = stand_ins | chosen
        return [*plan_tuning(self, shapes), *_tests_and_pairs(self, shapes, chosen)]

    def stages(
        self, shapes: Mapping[str, Shape], store: Store
    ) -> Iterator[list[WorkItem[Any]]]:
        """Give the tuning of one dataset after the other, each beside the tests of the last.

        Tests wait for the tuning of their own dataset, so those of the previous dataset fill
        the cores at the end of a tuning; a run that is stopped leaves whole datasets behind. A
        replay, which has no tuning, is one stage.
        """
        tuning = plan_tuning(self, shapes)
        if not tuning:
            yield _tests_and_pairs(self, shapes, self._chosen(store))
            return
        names = list(dict.fromkeys(item.dataset for item in tuning))
        for name, previous in zip([*names, ""], ["", *names], strict=True):
            tested = {previous: shapes[previous]} if previous else {}
            yield [
                *(item for item in tuning if item.dataset == name),
                *_tests_and_pairs(self, tested, self._chosen(store)),
            ]

    def _chosen(self, store: Store) -> dict[Cell, Chosen]:
        """Give the settings that are known so far."""
        if self.source == "replay":
            return published_settings()
        return winners(store.records(Tuning))


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


def _tests_and_pairs(
    study: Study, shapes: Mapping[str, Shape], chosen: Mapping[Cell, Chosen]
) -> list[WorkItem[Any]]:
    return [*plan_tests(study, shapes, chosen), *plan_pairs(study, shapes, chosen)]


@dataclass(frozen=True)
class Chosen:
    """The setting of one cell."""

    setting: Setting
    cv_balanced_accuracy: float


def winners(records: Iterable[Record[Tuning]]) -> dict[Cell, Chosen]:
    """Choose the setting of every cell whose folds are all there."""
    fold_scores: dict[Cell, dict[int, list[float]]] = defaultdict(dict)
    for record in records:
        for cell, scores in zip(record.item.cells, record.result, strict=True):
            fold_scores[cell][record.item.part.number] = scores
    found = {}
    for cell, by_fold in fold_scores.items():
        if len(by_fold) == N_FOLDS:
            means = np.array([by_fold[fold] for fold in sorted(by_fold)]).T.mean(axis=1)
            best = PROTOCOLS[cell[0]].winner(means.tolist())
            found[cell] = Chosen(GRIDS[cell[2]][best], float(means[best]))
    return found


def published_settings() -> dict[Cell, Chosen]:
    """Give the paper's settings, the same for both protocols.

    Examples
    --------
    >>> cell = ("paper", "colon", "inf_fs", "KNN", 10)
    >>> published_settings()[cell].setting
    Setting(similarity='energy', squared=False, alpha=0.7, theta=0.1)
    """
    frame = published_tuned()
    frame = frame.astype(object).where(frame.notna(), None)
    return {
        (protocol, row.dataset, row.method, row.classifier, int(row.n_features)): Chosen(
            Setting(row.similarity, bool(row.squared), row.alpha, row.theta),
            float(row.cv_balanced_accuracy),
        )
        for row in frame.itertuples(index=False)
        for protocol in PROTOCOLS
    }


def plan_tuning(study: Study, shapes: Mapping[str, Shape]) -> list[Tuning]:
    """List the cross-validation of every setting, cheap datasets first.

    Examples
    --------
    >>> from topofs_study.paper.study import Study
    >>> from topofs_study.running.work_item import Shape
    >>> study = Study(datasets=("wine",), protocols=("paper",), methods=("tfs",))
    >>> [item.key for item in plan_tuning(study, {"wine": Shape(124, 13, 3)})][:2]
    ['tune/paper/wine/tfs/LinearSVM/fold-0/10', 'tune/paper/wine/tfs/KNN/fold-0/10']
    """
    if study.source == "replay":
        return []
    return [
        Tuning(protocol, dataset, method, classifier, Fold(fold), sizes)
        for dataset in _by_cost(study, shapes)
        for sizes in [study.sizes_for(dataset, shapes[dataset])]
        for method, fold, protocol, classifier in product(
            study.tuned_methods, range(N_FOLDS), study.protocols, study.classifiers
        )
    ]


def plan_tests(
    study: Study, shapes: Mapping[str, Shape], chosen: Mapping[Cell, Chosen]
) -> list[ClassCounts | OutOfSample]:
    """List the class counts, the chosen settings and the baselines on the test parts.

    Cheap datasets first. The random and variance baselines belong to `corrected`.
    """
    items: list[ClassCounts | OutOfSample] = []
    for dataset in _by_cost(study, shapes):
        sizes = study.sizes_for(dataset, shapes[dataset])
        for protocol in study.protocols:
            items.append(ClassCounts(protocol, dataset))
            items += [
                OutOfSample(protocol, dataset, method, classifier, known, settings)
                for method, classifier, known, settings in _with_settings(
                    study, protocol, dataset, sizes, chosen
                )
            ]
            items += _baselines(study, protocol, dataset, sizes, shapes[dataset])
    return items


def plan_pairs(
    study: Study, shapes: Mapping[str, Shape], chosen: Mapping[Cell, Chosen]
) -> list[Paired]:
    """List the chosen settings on the thirty halves behind the paired tests.

    Cheap datasets first; nothing where only one of the two methods is run.
    """
    if not study.with_pairs or study.tuned_methods != TUNED_METHODS:
        return []
    items: list[Paired] = []
    for dataset in _by_cost(study, shapes):
        sizes = study.sizes_for(dataset, shapes[dataset])
        for repetition, half in product(range(len(PAIR_SEEDS)), range(2)):
            for protocol in study.protocols:
                items += [
                    Paired(
                        *(protocol, dataset, method, classifier),
                        *(Half(repetition, half), known, settings),
                    )
                    for method, classifier, known, settings in _with_settings(
                        study, protocol, dataset, sizes, chosen
                    )
                ]
    return items


def _by_cost(study: Study, shapes: Mapping[str, Shape]) -> list[str]:
    """Order the datasets that are there, cheap ones first."""

    def weight(dataset: str) -> float:
        return Tuning("paper", dataset, "tfs", "", Fold(0), SIZES).cost(shapes[dataset])

    return sorted((name for name in study.datasets if name in shapes), key=weight)


def _with_settings(
    study: Study,
    protocol: str,
    dataset: str,
    sizes: tuple[int, ...],
    chosen: Mapping[Cell, Chosen],
) -> list[tuple[str, str, tuple[int, ...], tuple[Setting, ...]]]:
    """List method, classifier, and the sizes that have a setting with these settings."""
    found = []
    for method, classifier in product(study.tuned_methods, study.classifiers):
        cells = [(protocol, dataset, method, classifier, size) for size in sizes]
        known = [cell for cell in cells if cell in chosen]
        if known:
            settings = tuple(chosen[cell].setting for cell in known)
            found.append((method, classifier, tuple(cell[-1] for cell in known), settings))
    return found


def _baselines(
    study: Study, protocol: str, dataset: str, sizes: tuple[int, ...], shape: Shape
) -> list[OutOfSample]:
    """One item for each baseline and classifier."""
    every = (shape.n_features,)
    methods = BASELINES if protocol != "paper" else ("all",)
    return [
        OutOfSample(protocol, dataset, method, name, every if method == "all" else sizes)
        for method, name in product(methods, study.classifiers)
        if method in study.methods
    ]
