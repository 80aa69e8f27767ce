"""What the paper says of its results: the printed values, and the measure behind each.

The values stand in the sections "Results" and "Conclusions", in the row "# bests" of the table
of balanced accuracies, in the table of p-values and in Appendices 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from topofs_study.paper import claim_measures as measure
from topofs_study.paper import size_measures
from topofs_study.paper.settings import SIZES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PRINTED_CLAIMS", "Claim"]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes
    ----------
    text : str
        What is counted, with its tie rule.
    printed : str
        What the paper says; empty for a count it does not print.
    measure : callable
        From a study to the text that stands in the claim's place.
    """

    text: str
    printed: str
    measure: Callable[[measure.StudyCells], str]


@dataclass(frozen=True)
class _Printed:
    """The printed values of one classifier; pairs are (TFS, Inf-FS)."""

    won: tuple[int, int]
    bests_tfs: tuple[int, int, int, int, int]
    bests_inf_fs: tuple[int, int, int, int, int]
    optimal: tuple[int, int, int, int, int]
    mean_at_10: tuple[str, str]
    mean_at_200: tuple[str, str]
    increase: tuple[int, int]
    drawdown: tuple[int, int]
    gain: int
    gain_tfs_best: int
    gain_of_both: str
    gain_of_inf_fs: str
    significant: int
    starred: tuple[int, int]


_PRINTED = {
    "LinearSVM": _Printed(
        won=(14, 2),
        bests_tfs=(11, 13, 14, 11, 14),
        bests_inf_fs=(5, 3, 2, 5, 2),
        optimal=(1, 2, 2, 3, 6),
        mean_at_10=("0.52", "0.49"),
        mean_at_200=("0.78", "0.75"),
        increase=(26, 26),
        drawdown=(28, 31),
        gain=9,
        gain_tfs_best=7,
        gain_of_both="colon",
        gain_of_inf_fs="GLIOMA",
        significant=8,
        starred=(27, 5),
    ),
    "KNN": _Printed(
        won=(10, 6),
        bests_tfs=(12, 15, 13, 6, 12),
        bests_inf_fs=(4, 1, 3, 10, 4),
        optimal=(1, 5, 2, 1, 1),
        mean_at_10=("0.55", "0.46"),
        mean_at_200=("0.71", "0.69"),
        increase=(16, 23),
        drawdown=(21, 23),
        gain=9,
        gain_tfs_best=4,
        gain_of_both="USPS, colon, lung_small, lymphoma",
        gain_of_inf_fs="COIL20",
        significant=3,
        starred=(15, 5),
    ),
    "DecisionTree": _Printed(
        won=(13, 3),
        bests_tfs=(10, 11, 11, 9, 11),
        bests_inf_fs=(6, 5, 5, 7, 5),
        optimal=(2, 4, 2, 1, 4),
        mean_at_10=("0.56", "0.47"),
        mean_at_200=("0.68", "0.63"),
        increase=(12, 16),
        drawdown=(20, 22),
        gain=11,
        gain_tfs_best=9,
        gain_of_both="USPS, colon",
        gain_of_inf_fs="none",
        significant=4,
        starred=(18, 7),
    ),
}
_N_DATASETS = 16
_METHODS = (("tfs", "TFS"), ("inf_fs", "Inf-FS"))
_TIE_RULES: tuple[tuple[measure.TieRule, str], ...] = (
    ("ties to TFS", "ties to TFS"),
    ("smaller size first", "ties to the smaller size, then to TFS"),
)
_DOMAINS = (
    "text",
    "face images",
    "hand written images",
    "biological",
    "digits",
    "spoken letters",
    "artificial",
)


def _wins(name: str, said: _Printed) -> Iterator[Claim]:
    for (method, label), count in zip(_METHODS, said.won, strict=True):
        for rule, words in _TIE_RULES:
            yield Claim(
                f"{name}: datasets won by {label} at its best size ({words})",
                f"{count} of {_N_DATASETS}",
                partial(measure.datasets_won, classifier=name, method=method, rule=rule),
            )
        yield Claim(
            f"{name}: datasets won by {label} at its best size (strictly)",
            "",
            partial(measure.datasets_won, classifier=name, method=method, rule="strict"),
        )
    for rule, words in _TIE_RULES:
        yield Claim(
            f"{name}: winning sizes on the datasets won by TFS ({words})",
            ", ".join(f"{s}: {c}" for s, c in zip(SIZES, said.optimal, strict=True)),
            partial(measure.optimal_sizes, classifier=name, rule=rule),
        )


def _wins_per_size(name: str, said: _Printed) -> Iterator[Claim]:
    for index, size in enumerate(SIZES):
        for (method, label), counts in zip(
            _METHODS, (said.bests_tfs, said.bests_inf_fs), strict=True
        ):
            yield Claim(
                f"{name}: datasets won by {label} at {size} features (ties to TFS)",
                f"{counts[index]} of {_N_DATASETS}",
                partial(
                    measure.won_at_size,
                    classifier=name,
                    method=method,
                    size=size,
                    rule="ties to TFS",
                ),
            )
        yield Claim(
            f"{name}: datasets won by TFS at {size} features (strictly)",
            "",
            partial(
                measure.won_at_size, classifier=name, method="tfs", size=size, rule="strict"
            ),
        )


def _averages(name: str, said: _Printed) -> Iterator[Claim]:
    for index, (method, label) in enumerate(_METHODS):
        for size, printed in ((10, said.mean_at_10), (200, said.mean_at_200)):
            yield Claim(
                f"{name}: mean balanced accuracy of {label} at {size} features",
                printed[index],
                partial(measure.mean_score, classifier=name, method=method, size=size),
            )
        yield Claim(
            f"{name}: increase of {label} from 10 to 200 features, in points",
            f"{said.increase[index]} %",
            partial(measure.increase, classifier=name, method=method),
        )
        yield Claim(
            f"{name}: mean drawdown of {label}, highest less lowest over sizes, in points",
            f"{said.drawdown[index]} %",
            partial(measure.drawdown, classifier=name, method=method),
        )


def _against_all_features(name: str, said: _Printed) -> Iterator[Claim]:
    yield Claim(
        f"{name}: datasets on which selection is at least as good as all features",
        f"{said.gain} of {_N_DATASETS}",
        partial(measure.gain_over_all, classifier=name, ties_count=True),
    )
    yield Claim(
        f"{name}: datasets on which selection is better than all features (strictly)",
        "",
        partial(measure.gain_over_all, classifier=name, ties_count=False),
    )
    yield Claim(
        f"{name}: datasets of these with TFS best",
        f"{said.gain_tfs_best} of {said.gain}",
        partial(measure.gain_with_tfs_best, classifier=name),
    )
    for tfs_gains, words, printed in (
        (True, "TFS still at least as good as all features", said.gain_of_both),
        (False, "TFS below all features", said.gain_of_inf_fs),
    ):
        yield Claim(
            f"{name}: datasets of these with Inf-FS best, {words}",
            printed,
            partial(measure.gain_with_inf_fs_best, classifier=name, tfs_gains=tfs_gains),
        )


def _significance(name: str, said: _Printed) -> Iterator[Claim]:
    for rule, words in _TIE_RULES:
        yield Claim(
            f"{name}: datasets won by TFS with any star at the winning size ({words})",
            f"{said.significant} of {said.won[0]}",
            partial(measure.significant_wins, classifier=name, rule=rule),
        )
    better, worse = said.starred
    yield Claim(
        f"{name}: cells with any star, by the test score of TFS (a tie counts as better)",
        f"{better} better, {worse} worse",
        partial(measure.significant_cells, classifier=name),
    )


def _overall() -> Iterator[Claim]:
    for rule, words in (*_TIE_RULES, ("strict", "strictly")):
        yield Claim(
            f"Overall: dataset and classifier pairs won by TFS ({words})",
            "",
            partial(measure.pairs_won, rule=rule),
        )
    yield Claim(
        "Overall: averages (classifier and size) in which TFS lies above Inf-FS",
        "",
        measure.sizes_with_higher_mean,
    )
    yield Claim(
        "Overall: classifiers with the lower increase for TFS",
        "3 of 3",
        partial(measure.lower_for_tfs, measure="increase"),
    )
    yield Claim(
        "Overall: classifiers with the lower mean drawdown for TFS",
        "3 of 3",
        partial(measure.lower_for_tfs, measure="drawdown"),
    )
    yield Claim(
        "Overall: datasets won by TFS with a star at the winning size for every classifier",
        "GISETTE",
        measure.significant_for_every_classifier,
    )


def _domains() -> Iterator[Claim]:
    for ties_count, words in ((False, "strictly"), (True, "ties count")):
        yield Claim(
            f"By domain: domains with TFS above all features in most pairs ({words})",
            "artificial, biological",
            partial(measure.compelling_domains, ties_count=ties_count),
        )
    for domain in _DOMAINS:
        yield Claim(
            f"By domain: {domain}, dataset and classifier pairs won by TFS (ties to TFS)",
            "",
            partial(measure.domain_won, domain=domain),
        )
        for ties_count, words in ((True, "at least as good as"), (False, "strictly above")):
            yield Claim(
                f"By domain: {domain}, pairs with TFS {words} all features",
                "",
                partial(measure.domain_against_all, domain=domain, ties_count=ties_count),
            )


def _datasets() -> Iterator[Claim]:
    yield Claim(
        "Datasets: mean number of features",
        "2248",
        partial(size_measures.mean_size, column="n_features"),
    )
    yield Claim(
        "Datasets: mean number of samples",
        "1666",
        partial(size_measures.mean_size, column="n_samples"),
    )
    for words, printed, column, largest in _EXTREMES:
        yield Claim(
            f"Datasets: {words}",
            printed,
            partial(size_measures.extreme_size, column=column, largest=largest),
        )
    yield Claim("Datasets: two classes", "5 of 16", size_measures.binary_datasets)
    yield Claim(
        "Datasets: lose constant columns",
        "PCMAC, RELATHE, GLIOMA, GISETTE",
        size_measures.reduced_datasets,
    )
    for dataset, printed in _REMOVED:
        yield Claim(
            f"Datasets: constant columns of {dataset}",
            printed,
            partial(size_measures.removed_columns, dataset=dataset),
        )


_EXTREMES: tuple[tuple[str, str, Literal["n_features", "n_samples"], bool], ...] = (
    ("fewest features", "USPS (256)", "n_features", False),
    ("most features", "GISETTE (5000)", "n_features", True),
    ("fewest samples", "GLIOMA (50)", "n_samples", False),
    ("most samples", "USPS (9298)", "n_samples", True),
)
_REMOVED = (
    ("PCMAC", "0.07 %"),
    ("RELATHE", "0.03 %"),
    ("GLIOMA", "0.03 %"),
    ("GISETTE", "0.9 %"),
)


def _every_claim() -> Iterator[Claim]:
    for name, said in _PRINTED.items():
        yield from _wins(name, said)
        yield from _wins_per_size(name, said)
        yield from _averages(name, said)
        yield from _against_all_features(name, said)
        yield from _significance(name, said)
    yield from _overall()
    yield from _domains()
    yield from _datasets()


PRINTED_CLAIMS: tuple[Claim, ...] = tuple(_every_claim())
