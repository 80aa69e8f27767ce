"""The sentences of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.report.comparison.summary import ALPHA

if TYPE_CHECKING:
    from topofs.report.comparison.summary import ComparisonSummary, Series

__all__ = ["Words", "words_of"]

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
