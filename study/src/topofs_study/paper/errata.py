"""What is wrong in the published study (E1–E8), and what it changes in a run.

The wording of a defect is fixed; its effect is computed, from the published cells where they
show it and from a run where it was run. An effect whose runs are missing says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.claims import count_wrong_values
from topofs_study.paper.protocols import TUNED_METHODS
from topofs_study.paper.published import published_scores
from topofs_study.paper.statistics import STATISTICS, stars
from topofs_study.paper.tables import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs_study.paper.claims import ClaimResult

__all__ = ["Erratum", "errata"]

SHIFTED_DATASETS = ("PCMAC", "RELATHE", "GLIOMA")
_NAMES = {
    "program": "the program's statistic",
    "text": "the text's",
    "nadeau_bengio": "Nadeau and Bengio's",
}
_NOT_RUN = "Not measured: the cells it shows in were not run."


@dataclass(frozen=True)
class Erratum:
    """A defect of the published study.

    Attributes
    ----------
    number : str
        ``E1`` to ``E8``.
    title : str
        The defect in a few words.
    defect : str
        What the program or the text does, and what would be right.
    effect : str
        What it changes, in numbers where they are known.
    table : pandas.DataFrame
        The numbers behind the effect; empty where a sentence says it all.
    """

    number: str
    title: str
    defect: str
    effect: str
    table: pd.DataFrame


def errata(
    cells: pd.DataFrame, tuned: pd.DataFrame, tests: pd.DataFrame, claims: Sequence[ClaimResult]
) -> tuple[Erratum, ...]:
    """Give the eight errata with their effect.

    Parameters
    ----------
    cells, tuned : pandas.DataFrame
        As `topofs_study.paper.tables.cells_table` and ``tuned_table`` give.
    tests : pandas.DataFrame
        As `topofs_study.paper.statistics.paired_tests` gives; may be empty.
    claims : sequence of ClaimResult
        As `topofs_study.paper.claims.recompute_claims` gives.

    Returns
    -------
    tuple of Erratum
        E1 to E8.
    """
    effects = {
        "E1": _effect_of_shift(cells),
        "E2": _effect_on_tuning(tuned),
        "E3": (
            "On the training part of warpPIE10P the program's graph has 7245 of its 7254 edges "
            "with squared Pearson and 7236 with squared Spearman; vertices are left isolated.",
            _NO_TABLE,
        ),
        "E4": _effect_of_repeated_columns(),
        "E5": _effect_of_liberal_test(tests),
        "E6": _effect_of_random(cells),
        "E7": ("Definitions only: the published numbers follow the program.", _NO_TABLE),
        "E8": _effect_on_sentences(claims),
    }
    return tuple(Erratum(number, *_DEFECTS[number], *effects[number]) for number in _DEFECTS)


def shifted_columns_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Give the effect of E1, cell by cell."""
    chosen = cells[
        cells["dataset"].isin(SHIFTED_DATASETS)
        & cells["method"].isin(TUNED_METHODS)
        & cells["metric"].eq("balanced_accuracy")
    ]
    renamed = chosen.rename(columns={"paper": "shifted", "corrected": "aligned"})
    columns = ["dataset", "classifier", "n_features", "method"]
    return renamed[[*columns, "published", "shifted", "aligned"]].reset_index(drop=True)


_NO_TABLE = pd.DataFrame()
_Effect = tuple[str, pd.DataFrame]


def _effect_of_shift(cells: pd.DataFrame) -> _Effect:
    table = shifted_columns_table(cells)
    run = table.dropna(subset=["published", "shifted", "aligned"])
    if run.empty:
        return _NOT_RUN, table.dropna(subset=["shifted", "aligned"], how="all")
    means = run[["published", "shifted", "aligned"]].mean()
    text = (
        f"Mean balanced accuracy over {len(run)} cells of "
        f"{', '.join(run['dataset'].unique())}: published {means['published']:.2f}, shifted "
        f"{means['shifted']:.2f}, aligned {means['aligned']:.2f}. Aligned is protocol "
        "corrected, in which E3 is mended too. GISETTE, not run, is shifted as well."
    )
    return text, table.dropna(subset=["shifted", "aligned"], how="all")


def _effect_on_tuning(tuned: pd.DataFrame) -> _Effect:
    both = tuned[(tuned["paper_source"] == "tuned") & (tuned["corrected_source"] == "tuned")]
    if both.empty:
        return _NOT_RUN.replace("cells", "two tunings"), _NO_TABLE
    gap = both["corrected_cv_balanced_accuracy"] - both["paper_cv_balanced_accuracy"]
    names = ["dataset", "method"]
    changes = both[names].assign(cells=1, mean_change=gap, largest_change=gap.abs())
    table = changes.groupby(names, sort=False, as_index=False).agg(
        {"cells": "sum", "mean_change": "mean", "largest_change": "max"}
    )
    text = (
        f"In-sample scores, corrected less paper, over {len(both)} tuned cells: "
        f"{gap.mean():+.3f} on average, {gap.abs().max():.3f} at most. E3 and the rounding of "
        "the fold mean act on the same cells."
    )
    return text, table


def _effect_of_repeated_columns() -> _Effect:
    scores = published_scores()
    chosen = scores[
        scores["metric"].eq("balanced_accuracy")
        & scores["classifier"].isin(["KNN", "DecisionTree"])
        & scores["method"].isin(TUNED_METHODS)
    ]
    wide = chosen.pivot_table(
        index=["classifier", "dataset", "method"], columns="n_features", values="value"
    )
    wrong = int(sum((wide[size] != wide[100]).sum() for size in (150, 200)))
    text = (
        f"{wrong} of the {2 * len(wide)} balanced accuracies of KNN and Decision Tree at 150 "
        "and 200 features are wrong in the appendix. The main table's values are used here."
    )
    return text, _NO_TABLE


def _effect_of_liberal_test(tests: pd.DataFrame) -> _Effect:
    tests = tests.dropna(subset=list(STATISTICS))
    if tests.empty:
        return "Not measured: the 15×2 halves were not run.", _NO_TABLE
    rows, counts = [], []
    for protocol in PROTOCOLS:
        cells = tests[tests["protocol"] == protocol]
        for name in STATISTICS if len(cells) else ():
            marks = [stars(p_value) for p_value in cells[name]]
            any_star = sum(mark != "" for mark in marks)
            row = {"protocol": protocol, "statistic": name, "cells": len(cells)}
            by_star = {mark: marks.count(mark) for mark in ("****", "***", "**", "*")}
            rows.append(row | {"any star": any_star} | by_star)
            counts.append(f"{protocol}, {_NAMES[name]}: {any_star} of {len(cells)}")
    return f"Cells with any star. {'; '.join(counts)}.", pd.DataFrame(rows)


def _effect_of_random(cells: pd.DataFrame) -> _Effect:
    scores = cells[cells["metric"] == "balanced_accuracy"]
    wide = scores.pivot_table(
        index=["dataset", "classifier", "n_features"], columns="method", values="corrected"
    ).reindex(columns=[*TUNED_METHODS, "random"])
    wide = wide.dropna()
    if wide.empty:
        return "Not measured: random subsets were not run.", _NO_TABLE
    by_size = wide.groupby("n_features")
    table = by_size.mean().reset_index()
    for name in TUNED_METHODS:
        better = (wide["random"] >= wide[name]).groupby("n_features").sum()
        table[f"random at least {name}"] = better.to_numpy()
    table.insert(1, "cells", by_size.size().to_numpy())
    beaten = [
        f"{name} in {int(table[f'random at least {name}'].sum())}" for name in TUNED_METHODS
    ]
    text = (
        f"The mean of ten random subsets reaches or passes {' and '.join(beaten)} of "
        f"{len(wide)} cells (protocol corrected)."
    )
    return text.replace("inf_fs", "Inf-FS").replace("tfs", "TFS"), table


def _effect_on_sentences(claims: Sequence[ClaimResult]) -> _Effect:
    wrong, printed = count_wrong_values(claims)
    rows = [(c.claim, c.printed, c.published_cells) for c in claims if c.holds is False]
    text = (
        f"{wrong} of {printed} printed values are not what the printed cells give under any "
        "rule for ties; the table also lists values that hold under one rule and not under "
        "another. No single rule gives the printed wins of all three classifiers."
    )
    table = pd.DataFrame(rows, columns=["claim", "printed", "from the published cells"])
    return text, table


_DEFECTS = {
    "E1": (
        "Test columns shifted",
        "Columns that are constant on the training part are removed from the training matrix "
        "but not from the test matrix; both are then read at the same positions, so that a "
        "model is tested on other columns than it was trained on (PCMAC, RELATHE, GLIOMA, "
        "GISETTE). Protocol corrected reads the same columns in both.",
    ),
    "E2": (
        "Columns shifted inside a fold",
        "Inside a fold TFS drops the columns constant in that fold, ranks the rest, and reads "
        "its choice from the matrix that still holds them. Datasets with rare columns (text) "
        "are tuned on other columns than those chosen.",
    ),
    "E3": (
        "A used vertex inserted again",
        "While the graph grows, vertices already in it are given a gain of 0 instead of being "
        "left out. Once every free vertex gains 0, one that is already in is inserted again.",
    ),
    "E4": (
        "Repeated columns in the appendix",
        "The appendix repeats the balanced accuracies of 100 features at 150 and 200 for KNN "
        "and Decision Tree.",
    ),
    "E5": (
        "A t-test that is too liberal",
        "The text's statistic treats 30 differences that share samples as independent; in "
        "simulation its type-I error is about 0.45 at a nominal 0.05. The program computes "
        "Dietterich's statistic instead, which is sound but weak. The default here is Nadeau "
        "and Bengio's corrected test.",
    ),
    "E6": (
        "No random subsets",
        "Neither method is held against subsets drawn at random, nor against the columns of "
        "largest variance.",
    ),
    "E7": (
        "Printed formulas that differ from the program",
        "The multi-class balanced accuracy lacks a factor ½ and adds the true-negative rate "
        "(the program: mean recall); F1 is written over averaged precision and recall (the "
        "program: macro F1); Pearson's coefficient lacks 1/(S − 1); the t statistic is written "
        "for 10 differences.",
    ),
    "E8": (
        "Sentences that differ from the tables",
        "Several counts and averages in the text are not those of the printed cells, and ties "
        "are not resolved by one rule.",
    ),
}
