"""The parts of a dataset that the study trains and tests on, each with its name in a store."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.utils import shuffle

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_FOLDS = 3
"""Folds of the cross-validation that tunes the settings."""

PAIR_SEEDS = (13, 51, 137, 24659, 347, 54, 233, 21, 3322, 222, 768, 998, 2156, 3, 6432)
"""Seeds of the fifteen random halvings behind the paired tests."""


@dataclass(frozen=True, eq=False)
class TrainTest:
    """A training table and the table it is tested on."""

    X_train: NDArray[np.float64]
    y_train: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]

    def rows(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> TrainTest:
        """Take the training and the test part from rows of the training table."""
        X, y = self.X_train, self.y_train
        return TrainTest(X[train], y[train], X[test], y[test])


def random_columns(identity: str, n_columns: int, size: int) -> NDArray[np.intp]:
    """Draw a subset of the columns; its identity alone decides which."""
    generator = np.random.default_rng(list(hashlib.sha256(identity.encode()).digest()))
    return generator.choice(n_columns, size=size, replace=False)


def train_test(
    X: NDArray[Any], y: NDArray[Any], *, test_rows: slice | None = None
) -> TrainTest:
    """Split a dataset as the study does: 70 % to train, 30 % to test, stratified.

    Examples
    --------
    >>> import numpy as np
    >>> split = train_test(np.arange(20).reshape(10, 2), np.arange(10) % 2)
    >>> split.X_train.shape, split.X_test.shape
    ((7, 2), (3, 2))
    """
    table = np.asarray(X, dtype=np.float64)
    classes = np.asarray(y).ravel()
    if test_rows is not None:
        is_test = np.zeros(len(classes), dtype=bool)
        is_test[test_rows] = True
        return TrainTest(table[~is_test], classes[~is_test], table[is_test], classes[is_test])
    table, classes = shuffle(table, classes, random_state=0)
    X_train, X_test, y_train, y_test = train_test_split(
        table, classes, test_size=0.3, stratify=classes, random_state=0
    )
    return TrainTest(X_train, y_train, X_test, y_test)


def tuning_folds(y: NDArray[Any]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Give the rows of each of the three stratified folds, training rows first."""
    splitter = StratifiedKFold(n_splits=N_FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        # Some datasets have classes of one or two rows; the study keeps them.
        warnings.filterwarnings("ignore", message="The least populated class in y")
        return list(splitter.split(np.empty((len(y), 0)), y))


def halves(y: NDArray[Any], seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Halve the training rows at random, every class in proportion where that is possible."""
    rows = np.arange(len(y))
    # Handed over as a column, the classes are sorted as text ("1", "10", "2"), and their
    # order takes part in the random draw: the paper's halves come from this one.
    column = y.reshape(-1, 1)
    # A class with a single row cannot be halved, nor can more classes than rows of a half.
    counts = np.unique(y, return_counts=True)[1]
    possible = counts.min() >= 2 and len(counts) <= len(y) // 2
    first, second = train_test_split(
        rows, test_size=0.5, stratify=column if possible else None, random_state=seed
    )
    return first, second


@dataclass(frozen=True)
class Whole:
    """The training table and the test table of the dataset."""

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return "test"

    @classmethod
    def from_name(cls, _: str) -> Whole:
        """Give it back, whatever a store calls it."""
        return cls()

    def tables(self, whole: TrainTest) -> TrainTest:
        """Give the two tables of the split of the dataset."""
        return whole


@dataclass(frozen=True)
class Fold:
    """One fold of the cross-validation on the training table.

    Examples
    --------
    >>> Fold.from_name("fold-2")
    Fold(number=2)
    """

    number: int

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return f"fold-{self.number}"

    @classmethod
    def from_name(cls, name: str) -> Fold:
        """Give back the fold of a name in a store."""
        return cls(int(name.removeprefix("fold-")))

    def tables(self, whole: TrainTest) -> TrainTest:
        """Give the rows to train on and those to score, of the split of the dataset."""
        train, test = tuning_folds(whole.y_train)[self.number]
        return whole.rows(train, test)


@dataclass(frozen=True)
class Half:
    """One direction of a halving of the training table.

    Examples
    --------
    >>> Half.from_name("half-03-1")
    Half(repetition=3, half=1)
    """

    repetition: int
    half: int

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return f"half-{self.repetition:02d}-{self.half}"

    @classmethod
    def from_name(cls, name: str) -> Half:
        """Give back the half of a name in a store."""
        repetition, half = name.removeprefix("half-").split("-")
        return cls(int(repetition), int(half))

    def tables(self, whole: TrainTest) -> TrainTest:
        """Give the half to train on and the half to score, of the split of the dataset."""
        first, second = halves(whole.y_train, PAIR_SEEDS[self.repetition])
        return whole.rows(second, first) if self.half else whole.rows(first, second)


Part = Whole | Fold | Half

TEST_PART = Whole()
"""The training table and the test table as they are."""
