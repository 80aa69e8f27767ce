"""The report of a reproduction: its numbers, computed once, then laid out, drawn and written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from topofs.io.write import replacing
from topofs_study.paper.claims import (
    ClaimResult,
    claims_frame,
    count_wrong_values,
    measured_study,
    published_study,
    recompute_claims,
)
from topofs_study.paper.errata import Erratum, errata
from topofs_study.paper.protocols import CLASSIFIERS, METRICS, TUNED_METHODS
from topofs_study.paper.published import published_scores
from topofs_study.paper.statistics import (
    METHODS,
    N_DRAWS,
    compare_methods,
    dataset_scores,
    paired_tests,
)
from topofs_study.paper.tables import (
    PROTOCOLS,
    agreement,
    cells_table,
    class_counts_table,
    dataset_order,
    misses,
    p_values_table,
    tuned_agreement,
    tuned_table,
)
from topofs_study.report.page import (
    LABELS,
    MISSING,
    Cell,
    Grid,
    Section,
    grid_of_frame,
    html,
    markdown,
    number,
    text_cells,
)
from topofs_study.report.scores import (
    across_datasets_section,
    all_features_section,
    balanced_accuracy_section,
    baselines_section,
    other_metrics_section,
    p_values_section,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from topofs_study.paper.claims import StudyCells
    from topofs_study.paper.frames import Frames
    from topofs_study.report.page import Figure
    from topofs_study.report.scores import Compared

__all__ = ["write_reproduction"]

_TITLE = "The study of Topological Feature Selection, reproduced"
_LEAD = "The numbers published by Briola and Aste (2023) beside measured ones."


def write_reproduction(
    frames: Frames, out_dir: str | os.PathLike[str], *, n_draws: int = N_DRAWS
) -> list[Path]:
    """Write the tables, the claims and the report of a run.

    Parameters
    ----------
    frames : Frames
        The tidy frames of a store. Any of them may be empty, or hold some of the datasets,
        sizes, methods and protocols: what was not run stays empty.
    out_dir : path-like
        The folder to write to, made where it is missing.
    n_draws : int, default 20000
        Draws from the posterior of the Bayesian tests, a pair of methods; most of the time
        goes there.

    Returns
    -------
    list of pathlib.Path
        The files written: ``cells.csv``, ``tuned.csv``, ``p_values.csv``, ``claims.csv``, the
        drawings (``critical_difference_*.svg``), ``report.md`` and ``report.html``. Each is
        written whole or not at all; the same frames give the same files.
    """
    folder = Path(out_dir)
    # All of it is made before the first file is written.
    texts = contents(summarise(frames, n_draws=n_draws))
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with replacing(folder / name) as unfinished:
            unfinished.write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


def contents(summary: Summary) -> dict[str, str]:
    """Give the text of every file, by its name."""
    tables = {
        "cells.csv": summary.cells,
        "tuned.csv": summary.tuned,
        "p_values.csv": summary.p_values,
        "claims.csv": claims_frame(summary.claims),
    }
    texts = {
        name: table.to_csv(index=False, lineterminator="\n") for name, table in tables.items()
    }
    page = sections(summary)
    drawings = {f"{figure.name}.svg": figure.svg for figure in _figures(page)}
    reports = {"report.md": markdown(page, title=_TITLE, lead=_LEAD), "report.html": html(page)}
    return texts | drawings | reports


def sections(summary: Summary) -> tuple[Section, ...]:
    """Lay out the report; a section without content is left out."""
    cells, sources = summary.cells, summary.sources
    every = (
        overview_section(summary.frames),
        agreement_section(cells, summary.tuned, summary.p_values),
        balanced_accuracy_section(cells, summary.studies, sources),
        all_features_section(cells, sources),
        errata_section(summary.errata),
        claims_section(summary.claims),
        baselines_section(cells),
        across_datasets_section(summary.comparisons),
        p_values_section(summary.p_values),
        splits_section(summary.frames.splits),
        other_metrics_section(cells, sources),
    )
    return tuple(section for section in every if section is not None)


def _figures(page: Sequence[Section]) -> Iterator[Figure]:
    for section in page:
        yield from section.figures
        yield from _figures(section.parts)


@dataclass(frozen=True)
class Summary:
    """Everything the report prints."""

    frames: Frames
    sources: tuple[str, ...]
    cells: pd.DataFrame
    tuned: pd.DataFrame
    p_values: pd.DataFrame
    studies: Mapping[str, StudyCells]
    claims: tuple[ClaimResult, ...]
    errata: tuple[Erratum, ...]
    comparisons: Mapping[str, Compared]


def summarise(frames: Frames, *, n_draws: int = N_DRAWS) -> Summary:
    """Compute the numbers of the report."""
    tests = paired_tests(frames.pairs)
    cells, tuned = cells_table(frames.scores), tuned_table(frames.tuned)
    protocols = [name for name in PROTOCOLS if cells[name].notna().any()]
    run = {
        name: measured_study(frames.scores, tests, frames.splits, protocol=name)
        for name in protocols
    }
    claims = recompute_claims(run)
    by_source = {"published": published_scores()}
    for name in protocols:
        by_source[name] = frames.scores[frames.scores["protocol"] == name]
    compared = {source: _compare(scores, n_draws) for source, scores in by_source.items()}
    return Summary(
        frames=frames,
        sources=("published", *protocols),
        cells=cells,
        tuned=tuned,
        p_values=p_values_table(tests),
        studies={"published": published_study(), **run},
        claims=claims,
        errata=errata(cells, tuned, tests, claims),
        comparisons={source: of for source, of in compared.items() if of is not None},
    )


def _compare(scores: pd.DataFrame, n_draws: int) -> Compared | None:
    by_dataset = dataset_scores(scores)
    if min(by_dataset.shape) < 2:
        return None
    overall = compare_methods(by_dataset, n_draws=n_draws)
    return overall, _compare_by_classifier(scores, n_draws)


def _compare_by_classifier(scores: pd.DataFrame, n_draws: int) -> pd.DataFrame:
    rows = []
    both = scores[scores["method"].isin(TUNED_METHODS)]
    for classifier in CLASSIFIERS:
        by_dataset = dataset_scores(both, classifier=classifier)
        if min(by_dataset.shape) < 2:
            continue
        # One pair a classifier: there is nothing for Holm to adjust.
        row = compare_methods(by_dataset, n_draws=n_draws).pairwise.drop(columns="holm")
        row.insert(0, "classifier", classifier)
        rows.append(row)
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()


_RECONSTRUCTED = ("lung",)


def overview_section(frames: Frames) -> Section:
    """Say what was run, a row a protocol."""
    every = (_overview_row(frames, protocol) for protocol in PROTOCOLS)
    rows = tuple(row for row in every if row is not None)
    text = (
        "Nothing was run: the published numbers stand alone."
        if not rows
        else "Protocol paper repeats the published program with its defects E1 to E3; protocol "
        "corrected is the same study without them, with the missing rivals. Settings are "
        "the paper's own (replay) or those of our own cross-validation (tuned)."
    )
    heads = ("Protocol", "Datasets", "Methods", "Settings", "Test scores", "Paired scores")
    grids = (Grid("Protocols", heads, rows, words=True),) if rows else ()
    return Section("run", "What was run", (text,), grids=grids)


def _overview_row(frames: Frames, protocol: str) -> tuple[Cell, ...] | None:
    scores, tuned, pairs = (
        frame[frame["protocol"] == protocol]
        for frame in (frames.scores, frames.tuned, frames.pairs)
    )
    names = dataset_order([*scores["dataset"], *pairs["dataset"]])
    if not names:
        return None
    methods = [LABELS[method] for method in METHODS if scores["method"].eq(method).any()]
    sources = ", ".join(sorted(set(tuned["source"].dropna()))) or MISSING
    ran = (protocol, f"{len(names)}: {', '.join(names)}", ", ".join(methods), sources)
    return text_cells(*ran, str(len(scores)), str(len(pairs)))


def agreement_section(
    cells: pd.DataFrame, tuned: pd.DataFrame, p_values: pd.DataFrame
) -> Section | None:
    """Count how far protocol paper comes out as published, and list what does not."""
    if cells.dropna(subset=["published", "paper"]).empty:
        return None
    grids = [
        grid_of_frame(_agreement_counts(cells), "Test scores", decimals=3),
        _agreement_by_dataset(cells),
    ]
    wrong = misses(cells)
    if len(wrong):
        caption = f"The {len(wrong)} balanced accuracies off by more than 0.01"
        grids.append(grid_of_frame(wrong, caption, decimals=3))
    in_sample = tuned_agreement(tuned)
    if len(in_sample):
        grids.append(grid_of_frame(in_sample, "In-sample scores of our own tuning"))
    compared = p_values[p_values["agreement"] != ""]
    if len(compared):
        grids.append(_p_value_agreement(compared))
    return Section(
        "agreement",
        "Agreement with the published numbers",
        (
            "Protocol paper beside the published tables. Equal is to the printed two "
            "decimals; within 0.01 and 0.03 compare the unrounded score. lung is a "
            "reconstruction whose ranks tie differently, so it is counted apart. A p-value "
            "printed as stars is compared by its stars, one printed as a number to two "
            "decimals.",
        ),
        grids=tuple(grids),
    )


def _agreement_counts(cells: pd.DataFrame) -> pd.DataFrame:
    without = f"without {', '.join(_RECONSTRUCTED)}"
    parts = []
    for metric in METRICS:
        for words, leaving_out in (("every dataset", ()), (without, _RECONSTRUCTED)):
            part = agreement(cells, metric=metric, leaving_out=leaving_out)
            part.insert(0, "datasets", words)
            part.insert(0, "metric", metric)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _p_value_agreement(compared: pd.DataFrame) -> Grid:
    counts = pd.crosstab(compared["dataset"], compared["agreement"])
    kinds = ["equal", "same stars", "both above 0.1", "differs"]
    counts = counts.reindex(dataset_order(counts.index), columns=kinds, fill_value=0)
    counts.loc["every dataset"] = counts.sum()
    counts.insert(0, "compared", counts.sum(axis=1))
    caption = "P-values of the program's statistic, beside the published ones"
    return grid_of_frame(counts.reset_index(), caption)


def _agreement_by_dataset(cells: pd.DataFrame) -> Grid:
    counts = agreement(cells, by=("dataset", "method"))
    texts = {
        (row["dataset"], row["method"]): f"{row['within_0.01']} of {row['compared']}"
        for row in counts.to_dict("records")
    }
    methods = [method for method in METHODS if method in set(counts["method"])]
    return Grid(
        caption="Balanced accuracies within 0.01, dataset by dataset",
        columns=("Dataset", *(LABELS[method] for method in methods)),
        rows=tuple(
            text_cells(name, *(texts.get((name, m), MISSING) for m in methods))
            for name in dict.fromkeys(counts["dataset"])
        ),
    )


def claims_section(claims: Sequence[ClaimResult]) -> Section:
    """Lay out the paper's claims beside what their cells, and a run, give."""
    heads = ("Claim", "Printed", "From the published cells", "Same cells, datasets of this run")
    rows = tuple(
        (
            Cell.of(c.claim),
            Cell.of(c.printed, mark="≠" if c.holds is False else ""),
            *text_cells(c.published_cells, c.same_datasets, c.paper, c.corrected),
        )
        for c in claims
    )
    wrong, printed = count_wrong_values(claims)
    return Section(
        "claims",
        "The paper's claims, recomputed",
        (
            "≠ marks a printed value that the paper's own cells do not give under the rule "
            f"named; {wrong} of {printed} values fail under every rule listed. An "
            "empty printed value is context that the paper does not state. "
            "Drawdown is the highest less the lowest score of a dataset over the five sizes, "
            "averaged over datasets. Scores of protocol paper are compared at two decimals, as "
            "printed; those of protocol corrected unrounded.",
        ),
        grids=(Grid("Claims", (*heads, "paper", "corrected"), rows, words=True),),
    )


def errata_section(errata: Sequence[Erratum]) -> Section:
    """Lay out the errata, a part each."""
    parts = tuple(
        Section(
            erratum.number.lower(),
            f"{erratum.number} {erratum.title}",
            (erratum.defect, f"Effect: {erratum.effect}"),
            grids=(_effect_grid(erratum),) if len(erratum.table) else (),
        )
        for erratum in errata
    )
    return Section(anchor="errata", title="Errata and their effect", parts=parts)


def _effect_grid(erratum: Erratum) -> Grid:
    heads = {name: name.replace("tfs", "TFS") for name in erratum.table if " " in name}
    heads = {name: text.replace("inf_fs", "Inf-FS") for name, text in heads.items()}
    return grid_of_frame(
        erratum.table,
        f"Effect of {erratum.number}",
        heads=heads,
        decimals=3,
        words=erratum.number == "E8",
    )


def splits_section(splits: pd.DataFrame) -> Section | None:
    """Compare the class counts of the splits with the published ones."""
    if splits.empty:
        return None
    table = class_counts_table(splits)
    run = set(splits["dataset"])
    columns = splits.groupby("dataset")[["n_features_before", "n_features_after"]].first()
    rows = [
        text_cells(str(name), str(part), " → ".join(map(str, columns.loc[name])), *texts)
        for (name, part), group in table.groupby(["dataset", "part"], sort=False)
        for texts in [_counts_texts(group)]
        if name in run
    ]
    heads = ("Dataset", "Part", "Columns", "Samples", "Class counts", "As published")
    return Section(
        "splits",
        "Class counts of the splits",
        (
            "Columns before and after those constant on the training part are removed. Counts "
            "are class: samples; where they are not as published, the published ones follow.",
        ),
        grids=(Grid("Splits", heads, tuple(rows), words=True),),
    )


def _counts_texts(group: pd.DataFrame) -> tuple[str, str, str]:
    ours = group["paper"].fillna(group["corrected"])

    def counted(counts: pd.Series) -> str:
        there = zip(group["class"][counts.notna()], counts.dropna(), strict=True)
        return ", ".join(f"{name}: {count}" for name, count in there)

    published = group["published"].dropna()
    if published.empty:
        verdict = "not in the paper"
    elif group["published"].fillna(0).eq(ours.fillna(0)).all():
        verdict = "yes"
    else:
        verdict = f"no: {counted(group['published'])}"
    return number(int(ours.sum())), counted(ours), verdict
