"""The work of the study, as lists of items: nothing is computed here.

The study has three stages. *Tuning* scores every setting on every fold. *Testing* scores
the chosen settings, and the baselines, on the test part. *Pairing* scores the chosen
settings on the thirty halves behind the paired tests. The last two need the chosen settings
and take them as an argument, be they the paper's or the winners of the tuning.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from topofs_study.paper.items import ClassCounts, OutOfSample, Paired, Tuning
from topofs_study.paper.parts import Fold, Half
from topofs_study.paper.settings import BASELINES, SIZES, TUNED_METHODS
from topofs_study.paper.splits import N_FOLDS, PAIR_SEEDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.paper.chosen import Chosen
    from topofs_study.paper.items import Cell
    from topofs_study.paper.settings import Setting
    from topofs_study.paper.study import Study
    from topofs_study.running.work_item import Shape

__all__ = ["plan_pairs", "plan_tests", "plan_tuning"]


def plan_tuning(study: Study, shapes: Mapping[str, Shape]) -> list[Tuning]:
    """List the cross-validation of every setting, cheap datasets first.

    Parameters
    ----------
    study : Study
        What is to be run.
    shapes : mapping of str to Shape
        The datasets that are there.

    Returns
    -------
    list of Tuning
        Empty for a replay.

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
        Tuning(
            protocol,
            dataset,
            method,
            classifier,
            Fold(fold),
            study.sizes_for(dataset, shapes[dataset]),
        )
        for dataset in _by_cost(study, shapes)
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
    methods = [method for method in BASELINES if method in study.methods]
    if protocol == "paper":
        methods = [method for method in methods if method == "all"]
    return [
        OutOfSample(
            protocol,
            dataset,
            method,
            classifier,
            (shape.n_features,) if method == "all" else sizes,
        )
        for method, classifier in product(methods, study.classifiers)
    ]
