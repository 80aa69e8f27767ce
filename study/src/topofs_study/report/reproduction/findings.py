"""What was run, how far it agrees with the paper, its claims, its errata and its splits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.across_datasets import METHODS
from topofs_study.paper.claims import wrong_values
from topofs_study.paper.classifiers import METRICS
from topofs_study.paper.tables import (
    PROTOCOLS,
    agreement,
    class_counts_table,
    dataset_order,
    misses,
    tuned_agreement,
)
from topofs_study.report.reproduction.page import (
    LABELS,
    MISSING,
    Cell,
    Grid,
    Section,
    grid_of_frame,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topofs_study.paper.claims import ClaimResult
    from topofs_study.paper.errata import Erratum
    from topofs_study.paper.frames import Frames

__all__ = [
    "agreement_section",
    "claims_section",
    "errata_section",
    "overview_section",
    "splits_section",
]

_RECONSTRUCTED = ("lung",)


def overview_section(frames: Frames) -> Section:
    """Say what was run, a row a protocol.

    Parameters
    ----------
    frames : Frames
        The tidy frames of a store.

    Returns
    -------
    Section
        Titled "What was run".
    """
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
    return Section(anchor="run", title="What was run", paragraphs=(text,), grids=grids)


def _overview_row(frames: Frames, protocol: str) -> tuple[Cell, ...] | None:
    scores, tuned, pairs = (
        frame[frame["protocol"] == protocol]
        for frame in (frames.scores, frames.tuned, frames.pairs)
    )
    names = dataset_order([*scores["dataset"], *pairs["dataset"]])
    if not names:
        return None
    methods = [LABELS[method] for method in METHODS if scores["method"].eq(method).any()]
    texts = (
        protocol,
        f"{len(names)}: {', '.join(names)}",
        ", ".join(methods),
        ", ".join(sorted(set(tuned["source"].dropna()))) or MISSING,
        str(len(scores)),
        str(len(pairs)),
    )
    return tuple(Cell.of(text) for text in texts)


def agreement_section(
    cells: pd.DataFrame, tuned: pd.DataFrame, p_values: pd.DataFrame
) -> Section | None:
    """Count how far protocol paper comes out as published, and list what does not.

    Parameters
    ----------
    cells, tuned, p_values : pandas.DataFrame
        As the functions of `topofs_study.paper.tables` give.

    Returns
    -------
    Section or None
        None where protocol paper has nothing to compare.
    """
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
        anchor="agreement",
        title="Agreement with the published numbers",
        paragraphs=(
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
        for words, leaving_out in (("all", ()), (without, _RECONSTRUCTED)):
            part = agreement(cells, metric=metric, leaving_out=leaving_out)
            part.insert(0, "datasets", words if words != "all" else "every dataset")
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
            (Cell.of(name), *(Cell.of(texts.get((name, m), MISSING)) for m in methods))
            for name in dict.fromkeys(counts["dataset"])
        ),
    )


def claims_section(claims: Sequence[ClaimResult]) -> Section:
    """Lay out the paper's claims beside what their cells, and a run, give.

    Parameters
    ----------
    claims : sequence of ClaimResult
        As `topofs_study.paper.claims.recompute_claims` gives.

    Returns
    -------
    Section
        Titled "The paper's claims, recomputed".
    """
    heads = ("Claim", "Printed", "From the published cells", "Same cells, datasets of this run")
    rows = tuple(
        (
            Cell.of(claim.claim),
            Cell.of(claim.printed, mark="≠" if claim.holds is False else ""),
            Cell.of(claim.published_cells),
            Cell.of(claim.same_datasets),
            Cell.of(claim.paper),
            Cell.of(claim.corrected),
        )
        for claim in claims
    )
    wrong, printed = wrong_values(claims)
    return Section(
        anchor="claims",
        title="The paper's claims, recomputed",
        paragraphs=(
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
    """Lay out the errata, a part each.

    Parameters
    ----------
    errata : sequence of Erratum
        As `topofs_study.paper.errata.errata` gives.

    Returns
    -------
    Section
        Titled "Errata and their effect".
    """
    parts = tuple(
        Section(
            anchor=erratum.number.lower(),
            title=f"{erratum.number} {erratum.title}",
            paragraphs=(erratum.defect, f"Effect: {erratum.effect}"),
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
    """Compare the class counts of the splits with the published ones.

    Parameters
    ----------
    splits : pandas.DataFrame
        ``protocol, dataset, part, class, count, n_features_before, n_features_after``.

    Returns
    -------
    Section or None
        None where no split was recorded.
    """
    if splits.empty:
        return None
    table = class_counts_table(splits)
    run = set(splits["dataset"])
    columns = splits.groupby("dataset")[["n_features_before", "n_features_after"]].first()
    rows = [
        (
            Cell.of(str(name)),
            Cell.of(str(part)),
            Cell.of(f"{columns.loc[name].iloc[0]} → {columns.loc[name].iloc[1]}"),
            *_counts_cells(group),
        )
        for (name, part), group in table.groupby(["dataset", "part"], sort=False)
        if name in run
    ]
    heads = ("Dataset", "Part", "Columns", "Samples", "Class counts", "As published")
    return Section(
        anchor="splits",
        title="Class counts of the splits",
        paragraphs=(
            "Columns before and after those constant on the training part are removed. Counts "
            "are class: samples; where they are not as published, the published ones follow.",
        ),
        grids=(Grid("Splits", heads, tuple(rows), words=True),),
    )


def _counts_cells(group: pd.DataFrame) -> tuple[Cell, Cell, Cell]:
    ours = group["paper"].fillna(group["corrected"])
    counted = group["class"][ours.notna()], ours.dropna()
    text = ", ".join(f"{name}: {count}" for name, count in zip(*counted, strict=True))
    published = group["published"].dropna()
    if published.empty:
        verdict = "not in the paper"
    elif group["published"].fillna(0).eq(ours.fillna(0)).all():
        verdict = "yes"
    else:
        names = group["class"][group["published"].notna()]
        verdict = "no: " + ", ".join(
            f"{name}: {count}" for name, count in zip(names, published, strict=True)
        )
    return Cell.of(number(int(ours.sum()))), Cell.of(text), Cell.of(verdict)
