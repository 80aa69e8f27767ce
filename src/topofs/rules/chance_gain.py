"""What the best column would explain of others by chance: from the table, shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from topofs.similarity.standard_columns import StandardColumns

__all__ = ["WORTH", "ChanceGain", "chance_gain", "normal_chance"]

Doubles = npt.NDArray[np.float64]

WORTH = 1.5
"""What a column must explain beyond chance to be selected: itself, and half of another."""

SHUFFLES, SHUFFLES_OF_MANY = 20, 5
"""How often a table is shuffled, and how often one of more than `MANY` values."""

MANY = 1 << 17
MOST_COLUMNS = 500
MOST_VALUES = 1 << 19
"""How many columns and values of a large table are shuffled."""


@dataclass(frozen=True)
class ChanceGain:
    """What a column explains of others where nothing is linked.

    A column that spans d dimensions explains d·(G − gⱼ) / ν of the others on average, with G the
    variance that is left of all columns, gⱼ its own, and ν = S − 1 − t the dimensions that are
    left of S samples after t were taken. The best column of the shuffled tables explains `spread`
    more than that, for d = 1.
    """

    n_samples: int
    n_features: int
    spread: float

    def others(self, degrees: int, own: float, left: float, n_taken: int) -> float:
        """Tell what the best column may explain of others; infinite where no sample is left."""
        free = self.n_samples - 1 - n_taken
        if free < 1:
            return np.inf
        more = self.spread * np.sqrt(degrees) * (left / self.n_features)
        return float((degrees * (left - own) + more * (self.n_samples - 1)) / free)


def chance_gain(columns: StandardColumns) -> ChanceGain:
    """Shuffle the values of each column by itself, and see what the best explains of others.

    Of a large table some columns are taken, spread evenly over all kinds of tails. The order
    of the columns plays no part. Where samples are in an order of time, each column is moved
    round by some samples instead, so that those that follow each other stay together.
    """
    n, n_samples = len(columns.degrees), columns.n_samples
    by_values = np.argsort(columns.tails, kind="stable")
    most = max(2, min(MOST_COLUMNS, MOST_VALUES // n_samples))
    if n > most:
        by_values = by_values[np.linspace(0, n - 1, most).round().astype(np.int64)]
    parts = [np.arange(columns.starts[i], columns.starts[i + 1]) for i in by_values]
    values = columns.rows(np.concatenate(parts))
    sizes = np.array([len(part) for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    degrees = columns.degrees[by_values]
    generator = np.random.default_rng(0)
    times = SHUFFLES if values.size <= MANY else SHUFFLES_OF_MANY
    shuffle = _moved_round if columns.ordered_rows else _shuffled
    more = [
        _beyond_mean(shuffle(values, sizes, generator), starts, sizes, degrees)
        for _ in range(times)
    ]
    spread = max(more) * np.sqrt(n / len(by_values))
    return ChanceGain(n_samples, n, float(spread))


def normal_chance(n_samples: int, n_features: int) -> ChanceGain:
    """Give the same for normal columns, without shuffling.

    The squared correlations with n − 1 others add up to about χ²ₙ₋₁ / (S − 1); the best of n
    columns and `SHUFFLES` tables is its quantile 1 − 1 / (n · `SHUFFLES` + 1).
    """
    from scipy import stats

    others = n_features - 1
    best = stats.chi2.isf(1 / (n_features * SHUFFLES + 1), max(others, 1))
    return ChanceGain(n_samples, n_features, float((best - others) / (n_samples - 1)))


def _shuffled(
    values: Doubles, sizes: npt.NDArray[np.int64], generator: np.random.Generator
) -> Doubles:
    """The samples of each column in another order."""
    n, n_samples = len(sizes), values.shape[1]
    if len(values) == n:
        return np.asarray(generator.permuted(values, axis=1))
    # The rows of a column stay together.
    places = generator.permuted(np.tile(np.arange(n_samples), (n, 1)), axis=1)
    return np.take_along_axis(values, np.repeat(places, sizes, axis=0), axis=1)


def _moved_round(
    values: Doubles, sizes: npt.NDArray[np.int64], generator: np.random.Generator
) -> Doubles:
    """The samples of each column begin somewhere else and go on from there."""
    n, n_samples = len(sizes), values.shape[1]
    begin = np.repeat(generator.integers(n_samples, size=n), sizes)
    places = (begin[:, None] + np.arange(n_samples)) % n_samples
    return np.take_along_axis(values, places, axis=1)


def _beyond_mean(
    shuffled: Doubles,
    starts: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    degrees: npt.NDArray[np.int64],
) -> float:
    """How much more than the average the best column of one shuffled table explains."""
    n, n_samples = len(sizes), shuffled.shape[1]
    gram = shuffled @ shuffled.T
    np.square(gram, out=gram)
    # The rows of a column are orthonormal but for a factor, so that no inverse is needed.
    others = np.add.reduceat(gram.sum(axis=1), starts) * degrees - 1.0
    mean = degrees * (n - 1) / (n_samples - 1)
    return float(((others - mean) / np.sqrt(degrees)).max())
