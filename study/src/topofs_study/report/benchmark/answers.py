"""The questions that the benchmark is there to answer, each with its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs_study.benchmark.methods import DEFAULT, METHOD_NAMES
from topofs_study.benchmark.summary import REFERENCE, gains_by_size
from topofs_study.report.reproduction.page import p_value

if TYPE_CHECKING:
    import pandas as pd

    from topofs_study.benchmark.summary import BenchmarkSummary

__all__ = ["Answer", "answers"]


@dataclass(frozen=True)
class Answer:
    """A question with its bar and its answer.

    Attributes
    ----------
    question, bar, found : str
        What was asked, what would be enough, what came out.
    met : bool
        Whether it is enough.
    """

    question: str
    bar: str
    found: str
    met: bool


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
    found: list[Answer] = []
    if summary.label_free is not None and {DEFAULT, REFERENCE} <= set(summary.wide):
        found += _against_random(summary)
    rivals = [("Inf-FS", "inf_fs")]
    if summary.best_published is not None:
        label = f"the best fixed setting as published ({METHOD_NAMES[summary.best_published]})"
        rivals.insert(0, (label, summary.best_published))
    for label, rival in rivals:
        if {DEFAULT, rival} <= set(summary.wide):
            found.append(_against_rival(summary.wide, label, rival))
    if summary.auto is not None:
        found += _auto(summary.auto.by_dataset, summary.auto.by_method)
    return found


def _against_random(summary: BenchmarkSummary) -> list[Answer]:
    """Compare the default with the mean of random subsets."""
    group = summary.label_free
    rows = group.gains[group.gains["method"] == DEFAULT] if group is not None else None
    if rows is None or rows.empty:
        return []
    row = rows.iloc[0]
    question = "default against random subsets"
    # In proportion where fewer than the 15 datasets were run.
    enough = -(-11 * int(row["n_datasets"]) // 15)
    return [
        Answer(question, "mean gain ≥ 0.02", f"{row['gain']:+.3f}", bool(row["gain"] >= 0.02)),
        Answer(
            question,
            f"ahead on ≥ {enough} of {row['n_datasets']} datasets",
            f"{row['ahead']} of {row['n_datasets']}",
            bool(row["ahead"] >= enough),
        ),
        Answer(
            question,
            "Wilcoxon p < 0.01",
            f"p {_p(row['wilcoxon'])} (Holm {_p(row['holm'])})",
            bool(row["wilcoxon"] < 0.01),
        ),
        _at_every_size(summary.wide, question, REFERENCE),
    ]


def _against_rival(wide: pd.DataFrame, label: str, rival: str) -> Answer:
    return _at_every_size(wide, f"default against {label}", rival)


def _at_every_size(wide: pd.DataFrame, question: str, rival: str) -> Answer:
    """Say how far the default is ahead on average at every size."""
    leads = gains_by_size(wide, DEFAULT, rival).mean().drop("mean")
    found = ", ".join(f"{size}: {lead:+.3f}" for size, lead in leads.items())
    return Answer(question, "ahead on average at every size", found, bool((leads > 0).all()))


def _auto(by_dataset: pd.DataFrame, by_method: pd.DataFrame) -> list[Answer]:
    """Judge the automatic size of the default."""
    found: list[Answer] = []
    rows = by_dataset[by_dataset["method"] == DEFAULT]
    madelon = rows[rows["dataset"] == "MADELON"]
    if len(madelon):
        row = madelon.iloc[0]
        found.append(
            Answer(
                "automatic size on MADELON",
                "≤ 25 columns, KNN ≥ 0.85",
                f"{row['n_auto']:.1f} columns, KNN {row['auto_KNN']:.3f} "
                f"(all {row['n_varying']:.0f}: {row['all_KNN']:.3f})",
                bool(row["n_auto"] <= 25 and row["auto_KNN"] >= 0.85),
            )
        )
    of_default = by_method[by_method["method"] == DEFAULT]
    if len(of_default):
        row = of_default.iloc[0]
        found.append(
            Answer(
                "automatic size against all columns (LinearSVM and KNN)",
                "within 0.03 on average with ≤ 18 % of the columns",
                f"{row['lead']:+.3f} (LinearSVM {row['LinearSVM']:+.3f}, KNN "
                f"{row['KNN']:+.3f}) with {row['share']:.1%} of the columns",
                bool(row["lead"] >= -0.03 and row["share"] <= 0.18),
            )
        )
    return found


def _p(value: float) -> str:
    text = p_value(value)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
