"""What the paper's sentences say of the sizes of its datasets, as functions of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from topofs_study.paper.claim_measures import StudyCells

__all__ = [
    "binary_datasets",
    "extreme_size",
    "mean_size",
    "reduced_datasets",
    "removed_columns",
]


def mean_size(study: StudyCells, *, column: Literal["n_features", "n_samples"]) -> str:
    """Give the mean number of features (or samples) of the datasets before preprocessing."""
    return f"{study.sizes[column].mean():.1f}" if len(study.sizes) else ""


def extreme_size(
    study: StudyCells, *, column: Literal["n_features", "n_samples"], largest: bool
) -> str:
    """Name the dataset with the most (or fewest) features or samples, and how many."""
    if study.sizes.empty:
        return ""
    values = study.sizes.set_index("dataset")[column]
    name = values.idxmax() if largest else values.idxmin()
    return f"{name} ({int(values[name])})"


def binary_datasets(study: StudyCells) -> str:
    """Count the datasets with two classes."""
    if study.sizes.empty:
        return ""
    return f"{int(study.sizes['n_classes'].eq(2).sum())} of {len(study.sizes)}"


def removed_columns(study: StudyCells, *, dataset: str) -> str:
    """Give the share of a dataset's columns that are constant on its training part."""
    row = study.sizes[study.sizes["dataset"] == dataset]
    if row.empty:
        return ""
    before, after = int(row["n_features"].iloc[0]), int(row["train_features"].iloc[0])
    return f"{100 * (before - after) / before:.3f} %"


def reduced_datasets(study: StudyCells) -> str:
    """Name the datasets that lose constant columns."""
    if study.sizes.empty:
        return ""
    lost = study.sizes["train_features"] < study.sizes["n_features"]
    return ", ".join(study.sizes["dataset"][lost]) or "none"
