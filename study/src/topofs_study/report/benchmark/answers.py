"""The questions that the benchmark is there to answer, each with its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs_study.benchmark.methods import DEFAULT, GREEDY, METHOD_NAMES
from topofs_study.benchmark.summary import REFERENCE, gains_by_size
from topofs_study.report.reproduction.page import equals_p_value

if TYPE_CHECKING:
    import pandas as pd

    from topofs_study.benchmark.summary import BenchmarkSummary

__all__ = ["Answer", "answers"]


@dataclass(frozen=True)
class Answer:
    """A question and what came out.

    Attributes
    ----------
    question, found : str
        The two, in words and numbers.
    """

    question: str
    found: str


def answers(summary: BenchmarkSummary) -> list[Answer]:
    """Answer what the results suffice for.

    Parameters
    ----------
    summary : BenchmarkSummary
        What the benchmark found.

    Returns
    -------
    list of Answer
    """
    found = _gain(summary)
    found += _against_best(summary)
    rivals = {name: METHOD_NAMES[name] for name in (REFERENCE, GREEDY, "inf_fs")}
    if summary.best_published is not None:
        name = METHOD_NAMES[summary.best_published]
        rivals[summary.best_published] = f"the best fixed setting as published ({name})"
    for rival, label in rivals.items():
        if {DEFAULT, rival} <= set(summary.wide):
            found.append(_by_size(summary.wide, label, rival))
    if summary.auto is not None:
        found += _auto(summary.auto.by_method)
    return found


def _gain(summary: BenchmarkSummary) -> list[Answer]:
    """Compare the default with the mean of random subsets."""
    if summary.label_free is None:
        return []
    gains = summary.label_free.gains
    return [
        Answer(
            f"default against {METHOD_NAMES[REFERENCE]}",
            f"{row['gain']:+.3f} on average, ahead on {row['ahead']} of {row['n_datasets']} "
            f"datasets, Wilcoxon p {equals_p_value(row['wilcoxon'])} "
            f"(Holm {equals_p_value(row['holm'])})",
        )
        for _, row in gains[gains["method"] == DEFAULT].iterrows()
    ]


def _against_best(summary: BenchmarkSummary) -> list[Answer]:
    """Compare the default with the most accurate method, and say who wins by the rule."""
    measures = summary.measures
    if measures is None or DEFAULT not in measures.index:
        return []
    best = str(measures["accuracy"].idxmax())
    own, other = measures.loc[DEFAULT], measures.loc[best]
    found = [
        Answer(
            f"default against the most accurate method ({METHOD_NAMES[best]})",
            f"{own['accuracy'] - other['accuracy']:+.3f} accuracy, "
            f"{own['stability'] - other['stability']:+.3f} stability",
        )
    ]
    if summary.choice is not None:
        winner = METHOD_NAMES[summary.choice.winner]
        found.append(Answer("default by the rule written down before the run", winner))
    return found


def _by_size(wide: pd.DataFrame, label: str, rival: str) -> Answer:
    """Say how far the default is ahead on average at every size."""
    leads = gains_by_size(wide, DEFAULT, rival).mean().drop("mean")
    found = ", ".join(f"{size}: {lead:+.3f}" for size, lead in leads.items())
    return Answer(f"default against {label}, by number of columns", found)


def _auto(by_method: pd.DataFrame) -> list[Answer]:
    """Compare the automatic size of the default with all columns."""
    return [
        Answer(
            "automatic size against all columns",
            f"{row['lead']:+.3f} (LinearSVM {row['LinearSVM']:+.3f}, KNN {row['KNN']:+.3f}) "
            f"with {row['share']:.1%} of the columns",
        )
        for _, row in by_method[by_method["method"] == DEFAULT].iterrows()
    ]
