"""The paper's study as a plan: what is to be run, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs_study.errors import StudyError
from topofs_study.paper.chosen import Chosen, published_settings, winners
from topofs_study.paper.classifiers import CLASSIFIERS
from topofs_study.paper.items import Tuning
from topofs_study.paper.plan import plan_pairs, plan_tests, plan_tuning
from topofs_study.paper.protocols import PROTOCOLS
from topofs_study.paper.published import published_tuned
from topofs_study.paper.settings import BASELINES, GRIDS, SIZES, TUNED_METHODS
from topofs_study.paper.splits import train_test
from topofs_study.running.driver import check_names, check_sizes
from topofs_study.running.work_item import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from topofs_study.datasets import Dataset
    from topofs_study.paper.items import Cell
    from topofs_study.running.store import Store
    from topofs_study.running.work_item import WorkItem

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
        """Give the sizes of a dataset.

        Parameters
        ----------
        dataset : Dataset
            The dataset.

        Returns
        -------
        Shape

        Raises
        ------
        StudyError
            A size that was asked for is larger than the number of features.
        """
        split = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows)
        n_features = min(int(p.varying(split.X_train).sum()) for p in PROTOCOLS.values())
        shape = Shape(len(split.y_train), n_features, len(np.unique(split.y_train)))
        self.sizes_for(dataset.name, shape)
        return shape

    def every_item(self, shapes: Mapping[str, Shape], store: Store) -> list[WorkItem[Any]]:
        """List every item, with stand-ins for settings that are not yet chosen.

        Parameters
        ----------
        shapes : mapping of str to Shape
            The datasets that are there.
        store : Store
            The results so far.

        Returns
        -------
        list of WorkItem
        """
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

        Parameters
        ----------
        shapes : mapping of str to Shape
            The datasets that are there.
        store : Store
            The results so far; asked again before every stage.

        Yields
        ------
        list of WorkItem
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
