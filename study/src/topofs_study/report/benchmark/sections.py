"""The report of a benchmark as sections: words and tables, no arithmetic of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.benchmark.choosing_default import ACCURACY_TIE, STABILITY_SLACK
from topofs_study.benchmark.frame import count_in_words
from topofs_study.benchmark.methods import DEFAULT, GREEDY, METHOD_NAMES, NEEDS_MATRIX
from topofs_study.benchmark.plan import N_TUNED_SPLITS
from topofs_study.benchmark.summary import REFERENCE, gains_by_size
from topofs_study.paper.across_datasets import ROPE
from topofs_study.report.benchmark.answers import answers
from topofs_study.report.benchmark.trade_off import trade_off_svg
from topofs_study.report.reproduction.figures import critical_difference_svg
from topofs_study.report.reproduction.page import (
    LABELS,
    Figure,
    Grid,
    Section,
    grid_of_frame,
    p_value,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs_study.benchmark.auto_size import AutoSizes
    from topofs_study.benchmark.summary import BenchmarkSummary, Group
    from topofs_study.paper.across_datasets import RankComparison

__all__ = ["FIGURE", "TRADE_OFF", "sections"]

FIGURE = "critical_difference"
"""Name of the drawing of ranks, without its ending."""

TRADE_OFF = "accuracy_and_stability"
"""Name of the picture of accuracy against stability, without its ending."""

_WIDTH = 11.0

_GAIN_HEADS = {
    "gain": "mean gain",
    "ahead": "datasets ahead",
    "wilcoxon": "Wilcoxon p",
    "holm": "Holm p",
    "p_better": f"P(better by > {ROPE})",
    "p_equivalent": f"P(within ±{ROPE})",
    "p_worse": f"P(worse by > {ROPE})",
}


def sections(summary: BenchmarkSummary, missing: Sequence[str]) -> tuple[Section, ...]:
    """Lay out the report; a section without content is left out.

    Parameters
    ----------
    summary : BenchmarkSummary
        What the benchmark found.
    missing : sequence of str
        What was planned and is not there.

    Returns
    -------
    tuple of Section
    """
    every = (
        _answers_section(summary),
        _missing_section(missing),
        _group_section(summary.label_free),
        _measures_section(summary),
        _choice_section(summary),
        _ranks_section(summary.label_free),
        _datasets_section(summary),
        _labels_section(summary.with_labels),
        _auto_section(summary.auto),
    )
    return tuple(section for section in every if section is not None)


def _answers_section(summary: BenchmarkSummary) -> Section | None:
    rows = [{"question": answer.question, "found": answer.found} for answer in answers(summary)]
    if not rows:
        return None
    grid = grid_of_frame(pd.DataFrame(rows), "What was asked, and what came out", words=True)
    return Section("answers", "Answers", grids=(grid,))


def _missing_section(missing: Sequence[str]) -> Section | None:
    if not missing:
        return None
    lead = (
        "The store does not hold the whole benchmark. What is there is compared; missing are:"
    )
    return Section("missing", "What is missing", paragraphs=(lead, "; ".join(missing) + "."))


def _group_section(group: Group | None) -> Section | None:
    if group is None:
        return None
    grids = [
        _named(group.by_size, "Mean balanced accuracy by number of columns"),
        _named(group.by_classifier, "Mean balanced accuracy by classifier"),
    ]
    if len(group.gains):
        grids.append(_gains_grid(group.gains))
    grids += [_gains_grid(tests, METHOD_NAMES[name]) for name, tests in group.against.items()]
    lead = (
        f"Datasets: {len(group.by_dataset)}; splits: {group.splits}. Every dataset counts the "
        "same; every method is averaged over the same splits, sizes and classifiers. Random is "
        "the mean over random subsets, so a method has to beat a typical draw."
    )
    return Section("label-free", "Without labels", paragraphs=(lead,), grids=tuple(grids))


def _gains_grid(gains: pd.DataFrame, reference: str = METHOD_NAMES[REFERENCE]) -> Grid:
    shown = gains.assign(method=gains["method"].map(METHOD_NAMES)).drop(columns="n_datasets")
    return grid_of_frame(
        shown,
        f"Against {reference}, one number a dataset",
        heads=_GAIN_HEADS,
        decimals=3,
        p_values=("wilcoxon", "holm"),
    )


def _measures_section(summary: BenchmarkSummary) -> Section | None:
    if summary.measures is None or summary.others is None:
        return None
    others = summary.others
    resamples = count_in_words(others.n_resamples, others.most_resamples)
    lead = (
        "Accuracy is the mean of the table above; rebuilt, the share of the variance of all "
        "columns on unseen rows that ridge regression rebuilds from the chosen ones; neighbours, "
        "the share of the ten nearest rows in all columns that are among the ten nearest in the "
        f"chosen ones; stability, Nogueira's measure of 50 columns over {resamples} resamples of "
        "80 % of the rows; seconds, CPU time of a ranking on one core. Rebuilt, neighbours and "
        "seconds are medians over splits."
    )
    table = summary.measures.assign(
        matrix=["n × n" if name in NEEDS_MATRIX else "" for name in summary.measures.index]
    )
    grids = [
        _named(table, "Means over datasets"),
        _named(others.stability.T.reindex(table.index), "Stability by dataset"),
    ]
    figure = Figure(
        name=TRADE_OFF,
        caption="Accuracy against stability, one dot a method; settings of topofs in colour.",
        svg=trade_off_svg(summary.measures),
    )
    return Section(
        "measures",
        "Beside accuracy",
        paragraphs=(lead,),
        grids=tuple(grids),
        figures=(figure,),
    )


def _choice_section(summary: BenchmarkSummary) -> Section | None:
    if summary.choice is None:
        return None
    winner = summary.choice.winner
    stays = "the default stays" if winner == DEFAULT else "it should be the default"
    lead = (
        "Candidates are settings of topofs without an n × n matrix, no more than "
        f"{STABILITY_SLACK} less stable than the default; of those within {ACCURACY_TIE} of the "
        f"highest accuracy, the cheapest wins: {METHOD_NAMES[winner]}, so {stays}."
    )
    table = summary.choice.candidates.assign(
        **{
            name: summary.choice.candidates[name].map({True: "yes", False: "no"})
            for name in ("stable_enough", "tied")
        }
    )
    grid = _named(table, "Candidates")
    return Section("choice", "The default by the rule", paragraphs=(lead,), grids=(grid,))


def _ranks_section(group: Group | None) -> Section | None:
    if group is None or group.comparison is None:
        return None
    comparison = _with_names(group.comparison)
    ranks = comparison.average_ranks
    table = pd.DataFrame({"method": ranks.index, "average rank": ranks.to_numpy()})
    words = f"{comparison.n_datasets} datasets, {len(ranks)} methods."
    if comparison.friedman_p_value == comparison.friedman_p_value:  # NaN: too few methods
        words += (
            f" Friedman's test: χ² = {comparison.friedman_statistic:.1f}, p "
            f"{p_value(comparison.friedman_p_value).replace('<', '< ')}."
        )
    words += (
        f" Ranks further apart than {comparison.critical_difference:.2f} differ by Nemenyi's "
        "test at 5 %."
    )
    figure = Figure(
        name=FIGURE,
        caption=f"Average ranks, the best on the left: {', '.join(ranks.index)}.",
        svg=critical_difference_svg(comparison, width=_WIDTH),
    )
    grid = grid_of_frame(table, "Average ranks, 1 is best")
    return Section("ranks", "Ranks", paragraphs=(words,), grids=(grid,), figures=(figure,))


def _with_names(comparison: RankComparison) -> RankComparison:
    """Give the methods the names that a reader knows."""
    return replace(
        comparison,
        average_ranks=comparison.average_ranks.rename(index=METHOD_NAMES),
        nemenyi=comparison.nemenyi.rename(index=METHOD_NAMES, columns=METHOD_NAMES),
    )


def _datasets_section(summary: BenchmarkSummary) -> Section | None:
    if summary.label_free is None:
        return None
    grids = [_named(summary.label_free.by_dataset.T, "Mean balanced accuracy by dataset")]
    for rival in (REFERENCE, GREEDY, summary.best_published, "coverage_similarity"):
        if rival is not None and {DEFAULT, rival} <= set(summary.wide):
            table = gains_by_size(summary.wide, DEFAULT, rival)
            table.loc["mean"] = table.mean()
            caption = f"Lead of the default over {METHOD_NAMES[rival]}, by number of columns"
            grids.append(_indexed(table, "dataset", caption))
    return Section("datasets", "Dataset by dataset", grids=tuple(grids))


def _labels_section(group: Group | None) -> Section | None:
    if group is None:
        return None
    lead = (
        "TFS tuned with labels, as in the paper: the setting of every classifier and size is "
        "chosen by three-fold cross-validation on the training part. That takes 39 times the "
        f"fits, so it was run on at most {N_TUNED_SPLITS} splits; here every method is averaged "
        f"over those. Datasets: {len(group.by_dataset)}; splits: {group.splits}."
    )
    grids = [_named(group.by_size, "Mean balanced accuracy by number of columns")]
    if len(group.gains):
        grids.append(_gains_grid(group.gains))
    return Section("with-labels", "With labels", paragraphs=(lead,), grids=tuple(grids))


def _auto_section(auto: AutoSizes | None) -> Section | None:
    if auto is None:
        return None
    heads = {"n_datasets": "datasets", "share": "share of the columns", "lead": "both"}
    means = auto.by_method.assign(method=auto.by_method["method"].map(METHOD_NAMES))
    grids = [grid_of_frame(means, "Lead over all columns", heads=heads, decimals=3)]
    rows = auto.by_dataset[auto.by_dataset["method"] == DEFAULT].drop(columns="method")
    if len(rows):
        heads = {"n_splits": "splits", "n_varying": "columns", "n_auto": "kept"}
        rows = rows.assign(
            n_auto=rows["n_auto"].map("{:.1f}".format),
            n_varying=rows["n_varying"].map("{:.0f}".format),
        )
        grids.append(grid_of_frame(rows, "The default, by dataset", heads=heads, decimals=3))
    lead = (
        "How many columns each variant keeps by itself, as a share of those that vary on the "
        "training part, and how its scores compare with those of all columns."
    )
    return Section("auto", "The automatic size", paragraphs=(lead,), grids=tuple(grids))


def _named(table: pd.DataFrame, caption: str) -> Grid:
    """Lay out a table whose rows are methods."""
    return _indexed(table.rename(index=METHOD_NAMES), "method", caption)


def _indexed(table: pd.DataFrame, name: str, caption: str) -> Grid:
    heads = {column: LABELS.get(column, column) for column in table.columns}
    frame = table.rename_axis(name).reset_index()
    return grid_of_frame(frame, caption, heads=heads, decimals=3)
