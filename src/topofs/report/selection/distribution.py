"""How the scores are distributed, in bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Bars", "bars_of"]

_MOST_BARS = 28


@dataclass(frozen=True)
class Bars:
    """Scores sorted into bars: what each bar holds, and the bar of each score."""

    labels: tuple[str, ...]
    bar_of: npt.NDArray[np.int64]

    def counts(self) -> npt.NDArray[np.int64]:
        """Number of scores in each bar."""
        return np.bincount(self.bar_of, minlength=len(self.labels))


def bars_of(scores: npt.NDArray[np.float64]) -> Bars:
    """Sort scores into at most 28 bars.

    Whole numbers get a bar each; where they spread wide, bars that widen with the value.
    Other scores get bars of one width.
    """
    low, high = scores.min(), scores.max()
    if (scores == np.rint(scores)).all() and high < 2**53:
        starts = _whole_starts(int(low), int(high))
        ends = np.append(starts[1:] - 1, int(high))
        labels = [
            f"{start:,}" if start == end else f"{start:,}–{end:,}"
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
    else:
        n_bars = max(1, min(_MOST_BARS, round(2 * np.sqrt(len(scores)))))
        starts = np.linspace(low, high, n_bars + 1)[:-1]
        ends = np.append(starts[1:], high)
        labels = [f"{start:.3g}–{end:.3g}" for start, end in zip(starts, ends, strict=True)]
    bar_of = np.searchsorted(starts, scores, side="right") - 1
    return Bars(tuple(labels), bar_of)


def _whole_starts(low: int, high: int) -> npt.NDArray[np.int64]:
    """First value of each bar: as narrow as the number of bars allows, never narrowing."""
    growth = 0.0
    while True:
        starts = [low]
        while len(starts) <= _MOST_BARS:
            width = max(1, int(growth * (starts[-1] - low + 1)))
            if starts[-1] + width > high:
                return np.array(starts)
            starts.append(starts[-1] + width)
        growth += 0.02
