r"""Residuals of all columns beyond the taken ones, and what each column would explain of them.

Columns are points: rows x of a table X whose products are the covariance K = X Xᵀ; a column of
names is a block of rows. Beyond the taken ones, with P the projection away from them, the
residual covariance is :math:`X P X^\top`. A column j explains :math:`\sum_i K_{ij}^2 / K_{jj}`
of it, a block B of rows :math:`\operatorname{tr}(K_{BB}^{+} K_{B:} K_{:B})`. Both need only two
numbers of a row, which are stored for all rows: f = (K K)_jj and g = K_jj.

A space holds the columns in an order that depends on their values, so the order of the table
changes neither ties nor the rounding of sums. `nodes` gives the node of each column.
`CovarianceSpace` and `CovarianceResiduals` work on K, `SampleSpace` and `SampleResiduals` on X.
`ChanceGain` is the variance of others that the best column would explain by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topofs._kernels.column_products import deflate_rows
from topofs.runtime import for_row_ranges
from topofs.similarity.column_order import inverse_permutation
from topofs.similarity.standard_columns import KnownCovariance

if TYPE_CHECKING:
    from topofs.similarity.standard_columns import StandardColumns
    from topofs.typing import Doubles, Ints

# A column is explained if no more than this share of its variance is left; in single precision.
EXPLAINED, EXPLAINED_SINGLE = 1e-10, 1e-5

# Largest rounding error of a gain, relative to the largest square.
_ROUNDING, _ROUNDING_SINGLE = 1e-13, 1e-6

# Updated values are computed again when gains have fallen to this share.
_FALLEN, _FALLEN_SINGLE = 1e-6, 1e-2

# Number of shuffles of a table, and of a table with more than `MANY` values.
SHUFFLES, SHUFFLES_OF_MANY = 20, 5
MANY = 1 << 17

# Number of columns and values of a large table that are shuffled.
MOST_COLUMNS, MOST_VALUES = 500, 1 << 19


class _Blocks(NamedTuple):
    """Columns with equal numbers of rows: f and g become small matrices F and G."""

    nodes: Ints
    rows: Ints
    squares: Doubles
    left: Doubles


class Residuals:
    """Columns beyond the taken ones; `starts` gives the rows of each node."""

    _scale: float = 1.0

    def __init__(self, starts: Ints, *, single: bool = False) -> None:
        self.starts = starts
        self.single = single
        self.n_nodes = len(starts) - 1
        self.explained = EXPLAINED_SINGLE if single else EXPLAINED
        self.rounding = _ROUNDING_SINGLE if single else _ROUNDING
        n_rows = np.diff(starts)
        self._alone = np.flatnonzero(n_rows == 1)
        self._blocks: list[_Blocks] = []
        for size in np.unique(n_rows[n_rows > 1]).tolist():
            nodes = np.flatnonzero(n_rows == size)
            rows = starts[nodes][:, None] + np.arange(size)
            shape = (len(nodes), size, size)
            self._blocks.append(_Blocks(nodes, rows, np.empty(shape), np.empty(shape)))
        self._squares = np.zeros(int(starts[-1]))
        self._left = np.zeros(int(starts[-1]))

    @property
    def left(self) -> Doubles:
        """The variance of each node that is not explained yet."""
        return np.asarray(np.add.reduceat(self._left, self.starts[:-1]))

    def gains(self) -> tuple[Doubles, Doubles]:
        """What each node would explain, and a bound of the rounding error.

        Explained nodes have -inf.
        """
        gains, doubt = np.full(self.n_nodes, -np.inf), np.zeros(self.n_nodes)
        rows = self.starts[self._alone]
        left = self._left[rows]
        gains[self._alone] = self._over(left, self._squares[rows], nothing=-np.inf)
        doubt[self._alone] = self._over(left, self.rounding * self._scale, nothing=0.0)
        for block in self._blocks:
            gains[block.nodes] = self._explained_by(block.squares, block.left)
        return gains, doubt

    def _over(self, left: Doubles, squares: Doubles | float, *, nothing: float) -> Doubles:
        """Squares over the residual variance, or `nothing` where only rounding is left."""
        some = left > self.explained
        return np.where(some, squares / np.where(some, left, 1.0), nothing)

    def explained_of(self, nodes: Ints) -> Doubles:
        """What each node (rows of the result) would explain of some (columns)."""
        rows = [self._rows_of(node) for node in nodes.tolist()]
        products = self._products(np.concatenate(rows))
        explained = np.zeros((self.n_nodes, products.shape[1]))
        alone = self.starts[self._alone]
        squares = np.square(products[alone])
        explained[self._alone] = self._over(self._left[alone, None], squares, nothing=0.0)
        for block in self._blocks:
            values, vectors = np.linalg.eigh(block.left)
            inverse = self._inverse(values)
            along = np.einsum("bij,bir->bjr", vectors, products[block.rows])
            explained[block.nodes] = np.einsum("bjr,bj->br", np.square(along), inverse)
        ends = np.cumsum([len(own) for own in rows])
        return np.asarray(np.add.reduceat(explained, np.concatenate([[0], ends[:-1]]), axis=1))

    def _products(self, rows: Ints) -> Doubles:
        """The residual covariance of all rows (rows of the result) with some rows."""
        raise NotImplementedError

    def exact(self, nodes: Ints) -> Doubles:
        """Compute what some nodes would explain, without accumulated rounding."""
        return self.gains()[0][nodes]

    def take(self, node: int) -> float:
        """Take a node: remove what it explains from the residuals, and return it."""
        raise NotImplementedError

    def _rows_of(self, node: int) -> Ints:
        return np.arange(self.starts[node], self.starts[node + 1])

    def _explained_by(self, squares: Doubles, left: Doubles) -> Doubles:
        """tr(G⁺ F) of small matrices, -inf where nothing is left."""
        values, vectors = np.linalg.eigh(left)
        inverse = self._inverse(values)
        along = np.einsum("bij,bik,bkj->bj", vectors, squares, vectors)
        some = inverse.any(axis=1)
        return np.asarray(np.where(some, (along * inverse).sum(axis=1), -np.inf))

    def _inverse(self, values: Doubles) -> Doubles:
        """One over the eigenvalues of small matrices, 0 where nothing is left."""
        some = values > self.explained / values.shape[-1]
        return np.where(some, 1.0 / np.where(some, values, 1.0), 0.0)


class CovarianceResiduals(Residuals):
    """By the residual covariance, overwritten: O(n²) memory and time a step, for n rows."""

    def __init__(self, covariance: Doubles, starts: Ints, *, single: bool = False) -> None:
        super().__init__(starts, single=single)
        self.covariance = covariance
        self._deflate(np.zeros(len(covariance)))
        self._settle()

    def take(self, node: int) -> float:
        """Take a node."""
        rows = self._rows_of(node)
        values, vectors = np.linalg.eigh(self.covariance[np.ix_(rows, rows)])
        some = values > self.explained / len(rows)
        directions = self.covariance[:, rows] @ (vectors[:, some] / np.sqrt(values[some]))
        for direction in directions.T:
            self._deflate(np.ascontiguousarray(direction))
        # Set its residual to exactly 0.
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self._squares[rows] = 0.0
        self._settle()
        return float(np.square(directions).sum())

    def _products(self, rows: Ints) -> Doubles:
        return np.asarray(self.covariance[:, rows])

    def _deflate(self, direction: Doubles) -> None:
        n = len(direction)
        for_row_ranges(
            lambda first, last: deflate_rows(
                self.covariance, direction, self._squares, first, last
            ),
            n,
            n,
        )

    def _settle(self) -> None:
        self._left = np.maximum(np.diagonal(self.covariance), 0.0)
        self._scale = float(self._squares.max(initial=0.0))
        for block in self._blocks:
            for at, rows in enumerate(block.rows):
                part = self.covariance[:, rows]
                block.squares[at] = part.T @ part
                block.left[at] = part[rows]


class SampleResiduals(Residuals):
    r"""By the columns X and products over samples: O(n·S) per step, without an n × n matrix.

    With w a unit vector along what is left of the node that is taken, and A = Pᵀ Xᵀ X P,

    .. math::
       f \leftarrow f - 2\, d \circ X A w + (w^\top A w)\, d \circ d, \qquad
       g \leftarrow g - d \circ d, \qquad d = X w,

    one pass over the table for both products. `gram` is Xᵀ X, not changed, or None where it is
    too large: A w then takes two passes more. `squares` is f to begin with.
    """

    def __init__(
        self, columns: StandardColumns, gram: Doubles | None, squares: Doubles
    ) -> None:
        super().__init__(columns.starts, single=columns.single)
        self._columns = columns
        self._gram = None if gram is None else gram.copy()
        self._basis = np.empty((columns.n_samples, 0))
        self._squares = squares.copy()
        self._left = np.ones(columns.n_rows)
        self._scale = self._reference = float(squares.max(initial=0.0))
        self._settle_blocks()
        for block in self._blocks:
            self._left[block.rows] = np.diagonal(block.left, axis1=1, axis2=2)

    def _settle_blocks(self) -> None:
        for block in self._blocks:
            for at, rows in enumerate(block.rows):
                block.squares[at], block.left[at] = self._forms_of(rows)

    def exact(self, nodes: Ints) -> Doubles:
        """Compute what some nodes would explain from the residuals of their rows."""
        found = np.empty(len(nodes))
        alone = np.diff(self.starts)[nodes] == 1
        rows = self.starts[nodes[alone]]
        squares, left = (np.diagonal(form) for form in self._forms_of(rows))
        found[alone] = self._over(left, squares, nothing=-np.inf)
        self._squares[rows], self._left[rows] = squares, left
        for at in np.flatnonzero(~alone).tolist():
            forms = self._forms_of(self._rows_of(int(nodes[at])))
            found[at] = self._explained_by(*(form[None] for form in forms))[0]
        return found

    def take(self, node: int) -> float:
        """Take a node."""
        rows = self._rows_of(node)
        left = self._beyond(self._columns.rows(rows))
        values, vectors = np.linalg.eigh(left @ left.T)
        some = values > self.explained / len(rows)
        directions = (vectors[:, some] / np.sqrt(values[some])).T @ left
        gain = 0.0  # added one by one: `sum` rounds differently from Python 3.12 on
        for direction in directions:
            gain += self._remove(direction)
        self._left[rows] = 0.0
        self._squares[rows] = 0.0
        self._refresh()
        return float(gain)

    def take_all(self, basis: Doubles) -> None:
        """Take the directions (columns) of an orthonormal basis at once, before any other."""
        if self._gram is None:
            for direction in basis.T:
                self._remove(direction)
            return
        image = self._gram @ basis
        inner = image - 0.5 * basis @ (basis.T @ image)
        self._gram -= inner @ basis.T + basis @ inner.T
        self._basis = basis
        self._squares = self._columns.forms(self._gram, basis)
        self._left -= np.square(self._columns.times(basis)).sum(axis=1)
        self._settle_blocks()

    def _products(self, rows: Ints) -> Doubles:
        return np.asarray(self._columns.times(self._beyond(self._columns.rows(rows)).T))

    def _remove(self, direction: Doubles) -> float:
        """Remove one direction from all rows."""
        for _ in range(2):
            direction = direction - self._basis @ (self._basis.T @ direction)
            direction /= np.sqrt(direction @ direction)
        image = self._image(direction)
        gain = float(direction @ image)
        d, h = self._columns.two_products(direction, image)
        self._squares += d * (gain * d - 2.0 * h)
        self._left -= d * d
        for block in self._blocks:
            e, i = d[block.rows], h[block.rows]
            cross = e[:, :, None] * (i - 0.5 * gain * e)[:, None, :]
            block.squares[:] -= cross + cross.transpose(0, 2, 1)
            block.left[:] -= e[:, :, None] * e[:, None, :]
        if self._gram is not None:
            turned = np.outer(image - 0.5 * gain * direction, direction)
            self._gram -= turned
            self._gram -= turned.T
        self._basis = np.column_stack([self._basis, direction])
        return float(gain)

    def _image(self, direction: Doubles) -> Doubles:
        """A w, for a direction w beyond what was taken."""
        if self._gram is not None:
            return np.asarray(self._gram @ direction)
        products = self._columns.times(direction[:, None])
        return np.asarray(self._beyond(self._columns.combined(products).T)[0])

    def _beyond(self, rows: Doubles) -> Doubles:
        """Some rows, projected away from the taken directions."""
        for _ in range(2):
            rows = rows - (rows @ self._basis) @ self._basis.T
        return np.asarray(rows)

    def _forms_of(self, rows: Ints) -> tuple[Doubles, Doubles]:
        """F and G of some rows."""
        left = self._beyond(self._columns.rows(rows))
        if self._gram is not None:
            return left @ self._gram @ left.T, left @ left.T
        products = self._columns.times(left.T)
        return products.T @ products, left @ left.T

    def _refresh(self) -> None:
        """Compute f and g again if gains have become small relative to what was subtracted."""
        fallen = _FALLEN_SINGLE if self._columns.single else _FALLEN
        best = self.gains()[0].max(initial=0.0)
        if self._gram is None or not 0.0 < best < fallen * self._reference:
            return
        self._squares = self._columns.forms(self._gram, self._basis)
        self._scale = self._reference = best


@dataclass(frozen=True, eq=False)
class CovarianceSpace:
    """By the covariance of all pairs of rows; `starts` gives the rows of each column.

    `degrees` are the dimensions of the columns.
    """

    covariance: Doubles
    starts: Ints
    degrees: Ints
    nodes: Ints
    chance: ChanceGain
    single: bool = False

    @property
    def n_dimensions(self) -> int:
        """How many directions the nodes can span."""
        return min(len(self.covariance), self.chance.n_samples - 1)

    def residuals(self, given: Ints | None = None) -> Residuals:
        """Begin with nothing taken, or with some rows."""
        left = self.covariance.copy()
        if given is not None:
            along = self.coordinates(given)
            left -= along @ along.T
            left[given] = left[:, given] = 0.0
        return CovarianceResiduals(left, self.starts, single=self.single)

    def products(self, rows: Ints, others: Ints) -> Doubles:
        """Covariance of others, one row of the result each, with some rows."""
        return np.asarray(self.covariance[np.ix_(others, rows)])

    def explained(self, rows: Ints) -> float:
        """The variance of all that some rows explain together."""
        return float(np.square(self.coordinates(rows)).sum())

    def coordinates(self, rows: Ints) -> Doubles:
        """All rows (rows of the result) along an orthonormal basis of some rows."""
        values, vectors = np.linalg.eigh(self.covariance[np.ix_(rows, rows)])
        some = values > (EXPLAINED_SINGLE if self.single else EXPLAINED)
        scaled = vectors[:, some] / np.sqrt(values[some])
        return np.asarray(self.covariance[:, rows] @ scaled)


@dataclass(frozen=True, eq=False)
class SampleSpace:
    """By the columns, and the products of all pairs of samples where they fit into memory."""

    columns: StandardColumns
    nodes: Ints
    chance: ChanceGain
    with_gram: bool

    @property
    def starts(self) -> Ints:
        """The rows of each column."""
        return self.columns.starts

    @property
    def degrees(self) -> Ints:
        """Dimensions that each column spans."""
        return self.columns.degrees

    @property
    def n_dimensions(self) -> int:
        """How many directions the nodes can span."""
        return min(self.columns.n_rows, self.columns.n_samples - 1)

    @cached_property
    def _prepared(self) -> tuple[Doubles | None, Doubles]:
        columns = self.columns
        if not self.with_gram:
            return None, columns.squared_products()
        gram = columns.gram_of_samples()
        return gram, columns.forms(gram)

    def residuals(self, given: Ints | None = None) -> Residuals:
        """Begin with nothing taken, or with some rows."""
        residuals = SampleResiduals(self.columns, *self._prepared)
        if given is not None:
            residuals.take_all(self._basis(given))
        return residuals

    def products(self, rows: Ints, others: Ints) -> Doubles:
        """Covariance of others, one row of the result each, with some rows."""
        vectors = self.columns.rows(rows).T
        if len(others) == self.columns.n_rows:
            return np.asarray(self.columns.times(vectors)[others])
        return np.asarray(self.columns.rows(others) @ vectors)

    def coordinates(self, rows: Ints) -> Doubles:
        """All rows along an orthonormal basis of some."""
        return self.columns.times(self._basis(rows))

    def explained(self, rows: Ints) -> float:
        """The variance of all that some rows explain together."""
        gram, basis = self._prepared[0], self._basis(rows)
        if gram is None:
            return float(np.square(self.columns.times(basis)).sum())
        return float(np.einsum("ij,ij->", gram @ basis, basis))

    def _basis(self, rows: Ints) -> Doubles:
        """An orthonormal basis of what some rows span."""
        left, lengths, _ = np.linalg.svd(self.columns.rows(rows).T, full_matrices=False)
        least = EXPLAINED_SINGLE if self.columns.single else EXPLAINED
        return np.asarray(left[:, np.square(lengths) > least])


# The columns in the form that a ranking by variance and its groups need.
VarianceSpace = CovarianceSpace | SampleSpace


def variance_space(
    columns: StandardColumns | KnownCovariance, memory: int, *, value_rank: Ints | None = None
) -> VarianceSpace:
    """Choose the smaller space, within `memory` bytes: pairs of rows, or pairs of samples.

    The columns are in the order of `value_rank`, by default in that of the nodes.
    """
    nodes = (
        np.arange(len(columns.degrees))
        if value_rank is None
        else inverse_permutation(value_rank)
    )
    n_samples = columns.n_samples
    if isinstance(columns, KnownCovariance):
        chance = normal_chance(n_samples, len(columns.degrees))
        covariance, starts, degrees = columns.covariance, columns.starts, columns.degrees
        return CovarianceSpace(covariance, starts, degrees, nodes, chance, columns.single)
    chance = chance_gain(columns)
    # The matrix and a working copy.
    if columns.n_rows <= n_samples and 16 * columns.n_rows**2 <= memory:
        covariance, starts, degrees = columns.gram_of_rows(), columns.starts, columns.degrees
        return CovarianceSpace(covariance, starts, degrees, nodes, chance, columns.single)
    return SampleSpace(columns, nodes, chance, with_gram=16 * n_samples**2 <= memory)


@dataclass(frozen=True)
class ChanceGain:
    """What a column explains of others if no columns are linked.

    A column that spans d dimensions explains d·(G − gⱼ) / ν of the others on average, with G the
    variance that is left of all columns, gⱼ its own, and ν = S − 1 − t the dimensions that are
    left of S samples after t were taken. The best column of the shuffled tables explains `spread`
    more than that, for d = 1.
    """

    n_samples: int
    n_features: int
    spread: float

    def others(self, degrees: int, own: float, left: float, n_taken: int) -> float:
        """What the best column may explain of others by chance; infinite if S is too small."""
        free = self.n_samples - 1 - n_taken
        if free < 1:
            return np.inf
        more = self.spread * np.sqrt(degrees) * (left / self.n_features)
        return float((degrees * (left - own) + more * (self.n_samples - 1)) / free)


def chance_gain(columns: StandardColumns) -> ChanceGain:
    """Shuffle the values of each column, and measure what the best column explains of others.

    A large table is represented by some columns, spread evenly from light to heavy tails. The
    order of the columns does not matter. If samples are in time order, each column is rotated
    by some samples instead, so that consecutive samples stay together.
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
    degrees, n_taken = columns.degrees[by_values], len(by_values)
    in_order = np.arange(n_samples)
    mean = degrees * (n_taken - 1) / (n_samples - 1)
    generator = np.random.default_rng(0)
    best = []
    for _ in range(SHUFFLES if values.size <= MANY else SHUFFLES_OF_MANY):
        if columns.ordered_rows:
            samples = (
                generator.integers(n_samples, size=n_taken)[:, None] + in_order
            ) % n_samples
        else:
            samples = generator.permuted(np.tile(in_order, (n_taken, 1)), axis=1)
        # All rows of a column are shuffled alike.
        shuffled = np.take_along_axis(values, np.repeat(samples, sizes, axis=0), axis=1)
        gram = shuffled @ shuffled.T
        np.square(gram, out=gram)
        # The rows of a column are orthonormal up to a factor, so no inverse is needed.
        others = np.add.reduceat(gram.sum(axis=1), starts) * degrees - 1.0
        best.append(float(((others - mean) / np.sqrt(degrees)).max()))
    spread = max(best) * np.sqrt(n / n_taken)
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
