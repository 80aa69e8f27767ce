"""The sentence about stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topofs.report.selection.phrases import percent

if TYPE_CHECKING:
    from topofs.report.selection.resampled import Resampled

__all__ = ["stability_sentence"]

# After Nogueira et al. (2018): above 0.75 excellent agreement, below 0.4 poor.
_EXCELLENT, _POOR = 0.75, 0.4


def stability_sentence(resampled: Resampled) -> str:
    """Say how much a selection depends on the sample."""
    n = resampled.n_resamples
    if resampled.phi is None or resampled.lower is None or resampled.upper is None:
        return f"Drawn anew {n:,} times, the data always gave all columns: nothing to compare."
    if resampled.phi >= _EXCELLENT:
        verdict = "much the same columns"
    elif resampled.phi >= _POOR:
        verdict = "the same columns in part"
    else:
        verdict = "rather different columns"
    sizes = (
        f"{resampled.least:,}"
        if resampled.least == resampled.most
        else f"between {resampled.least:,} and {resampled.most:,}"
    )
    return (
        f"Drawn anew {n:,} times, the data gave {verdict}: stability {resampled.phi:.2f} "
        f"({percent(resampled.level)} interval {resampled.lower:.2f} to {resampled.upper:.2f}), "
        "where 1 is the same columns every time and 0 is what chance gives. Each time "
        f"{sizes} columns were chosen."
    )
