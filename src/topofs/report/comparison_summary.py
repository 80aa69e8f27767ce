"""The numbers of the page, each computed once, before anything is drawn.

The sentences of the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topofs.comparison.compare import Comparison


__all__ = [
    "ALPHA",
    "ComparisonSummary",
    "Series",
    "Verdict",
    "Words",
    "summarise_comparison",
    "words_of",
]


ALPHA = 0.05


"""Below this adjusted p-value two methods are told apart."""


_OWN = "tfs"


_ALL = "all"


@dataclass(frozen=True)
class Verdict:
    """TFS against one rival at one size: its mean minus the rival's, and two-sided p-values.

    `adjusted` is the p-value after Holm's correction over the sizes of this rival.
    """

    difference: float
    p_value: float
    adjusted: float

    @property
    def outcome(self) -> str:
        """``better``, ``worse`` or ``open``, from where TFS stands."""
        if not self.adjusted < ALPHA or self.difference == 0:
            return "open"
        return "better" if self.difference > 0 else "worse"


@dataclass(frozen=True)
class Series:
    """One method: mean and standard deviation over the splits, and verdict, at each size.

    None where it was not run; TFS itself has no verdicts.
    """

    method: str
    label: str
    means: tuple[float | None, ...]
    spreads: tuple[float | None, ...]
    verdicts: tuple[Verdict | None, ...]

    def count(self, outcome: str) -> int:
        """How many sizes have this outcome."""
        return sum(v is not None and v.outcome == outcome for v in self.verdicts)

    @property
    def n_tests(self) -> int:
        """At how many sizes TFS was tested against it."""
        return sum(verdict is not None for verdict in self.verdicts)


@dataclass(frozen=True)
class ComparisonSummary:
    """Everything the page shows.

    Attributes
    ----------
    table_name, target : str
        Untrusted text.
    metric, model : str
        What was measured, with what.
    n_samples, n_features, n_splits : int
        Rows, columns, and how often the score was measured.
    n_random : int
        Random subsets at each size.
    sizes : tuple of str
        What to call them, ascending.
    own : Series
        TFS.
    rivals : tuple of Series
        The methods that select as many columns.
    everything : Series or None
        All columns, the same at each size but for its verdicts.
    doubts : tuple of str
        What makes the scores look too good, as `Comparison.doubts` says.
    """

    table_name: str
    target: str
    metric: str
    model: str
    n_samples: int
    n_features: int
    n_splits: int
    n_random: int
    sizes: tuple[str, ...]
    own: Series
    rivals: tuple[Series, ...]
    everything: Series | None
    doubts: tuple[str, ...] = ()


def summarise_comparison(
    comparison: Comparison, *, table_name: str = "the table"
) -> ComparisonSummary:
    """Order the numbers of a comparison by method.

    Parameters
    ----------
    comparison : Comparison
        As `topofs.comparison.compare` gives.
    table_name : str
        What the table is called.

    Returns
    -------
    ComparisonSummary
    """
    methods = dict.fromkeys(score.method for score in comparison.scores)
    series = {method: _series(comparison, method) for method in methods}
    return ComparisonSummary(
        table_name=str(table_name),
        target=str(comparison.target),
        metric=comparison.metric,
        model=comparison.model,
        n_samples=comparison.n_samples,
        n_features=comparison.n_features,
        n_splits=comparison.n_folds * comparison.n_repeats,
        n_random=comparison.n_random,
        sizes=tuple(comparison.size_name(size) for size in comparison.sizes),
        own=series[_OWN],
        rivals=tuple(of for method, of in series.items() if method not in (_OWN, _ALL)),
        everything=series.get(_ALL),
        doubts=comparison.doubts,
    )


def _series(comparison: Comparison, method: str) -> Series:
    from topofs.comparison.compare import METHOD_NAMES

    scores = {s.n_features: s for s in comparison.scores if s.method == method}
    tests = {t.n_features: t for t in comparison.tests if t.rival == method}
    if method == _ALL:
        # Measured once, with all columns; it stands beside every size.
        (only,) = scores.values()
        scores = dict.fromkeys(comparison.sizes, only)
    at = [scores.get(size) for size in comparison.sizes]
    against = [tests.get(size) for size in comparison.sizes]
    adjusted = iter(_holm([float(t.p_value) for t in against if t is not None]))
    return Series(
        method=method,
        label=METHOD_NAMES.get(method, method),
        means=tuple(None if score is None else _finite(score.mean) for score in at),
        spreads=tuple(None if score is None else _finite(score.spread) for score in at),
        verdicts=tuple(
            None
            if t is None
            else Verdict(float(t.difference), float(t.p_value), next(adjusted))
            for t in against
        ),
    )


def _holm(p_values: list[float]) -> list[float]:
    """Holm's step-down correction; a p-value that is no number counts as 1."""
    p = np.nan_to_num(np.asarray(p_values, dtype=np.float64), nan=1.0)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]


def _finite(value: float) -> float | None:
    """A score of a model that could not be fitted is no number: it counts as not run."""
    return float(value) if math.isfinite(value) else None


_MODELS = {
    "linear": "a linear model",
    "knn": "nearest neighbours",
    "tree": "a decision tree",
}


@dataclass(frozen=True)
class Words:
    """Sentences about a comparison, plain text all of them; a note is TFS against a rival."""

    headline: str
    meaning: str
    method: str
    notes: tuple[str, ...]


def words_of(summary: ComparisonSummary) -> Words:
    """Write the sentences."""
    judge = next((of for of in summary.rivals if of.method == "random"), None)
    model = _MODELS.get(summary.model, summary.model)
    everything = [] if summary.everything is None else [summary.everything]
    return Words(
        headline=_headline(judge, summary.own.label),
        meaning=_meaning(summary, judge),
        method=(
            f"Each method selected columns on the training part only; {model} then predicted "
            f"“{summary.target}” on the rest, {summary.n_splits} times. Scores are "
            f"{summary.metric}, higher is better. Differences are tested with the corrected "
            "resampled t test of Nadeau and Bengio; two methods are told apart where p stays "
            f"below {ALPHA:g} after Holm's correction over the sizes."
        ),
        notes=tuple(
            _note(summary.own.label, rival) for rival in (*summary.rivals, *everything)
        ),
    )


def _headline(judge: Series | None, own: str) -> str:
    if judge is None or judge.n_tests == 0:
        return f"How {own} does on your data"
    better, worse = judge.count("better"), judge.count("worse")
    if better and not worse:
        every = "" if better == judge.n_tests else " at some sizes"
        return f"On your data {own} beats {judge.label}{every}"
    if worse and not better:
        every = "" if worse == judge.n_tests else " at some sizes"
        return f"On your data {own} does worse than {judge.label}{every}"
    if better:
        return f"On your data {own} beats {judge.label} at some sizes and loses at others"
    return f"On your data {own} cannot be told apart from {judge.label}"


def _meaning(summary: ComparisonSummary, judge: Series | None) -> str:
    own = [(mean, at) for at, mean in enumerate(summary.own.means) if mean is not None]
    best, at = max(own, key=lambda pair: (pair[0], -pair[1]))
    parts = [
        f"At its best {summary.own.label} reaches {best:.3f} with {summary.sizes[at]} of "
        f"{summary.n_features:,} columns"
    ]
    if judge is not None and judge.means[at] is not None:
        parts.append(f"{judge.label} of that size reach {judge.means[at]:.3f}")
    if summary.everything is not None:
        parts.append(f"all columns give {summary.everything.means[at]:.3f}")
    return "; ".join(parts) + "."


def _note(own: str, rival: Series) -> str:
    if rival.n_tests == 0:
        return f"{own} against {rival.label}: not tested."
    counts = [
        f"{rival.count(outcome)} {word}"
        for outcome, word in (
            ("better", "better"),
            ("worse", "worse"),
            ("open", "not told apart"),
        )
        if rival.count(outcome)
    ]
    return f"{own} against {rival.label}, {rival.n_tests} sizes: {', '.join(counts)}."
