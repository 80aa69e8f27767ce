"""The parts of a dataset that an item of the study is computed on, each with its name in stores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs_study.paper.splits import PAIR_SEEDS, halves, tuning_folds

if TYPE_CHECKING:
    from topofs_study.paper.splits import TrainTest

__all__ = ["TEST_PART", "Fold", "Half", "Part", "Whole"]


@dataclass(frozen=True)
class Whole:
    """The training table and the test table of the dataset."""

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return "test"

    @classmethod
    def of_name(cls, _: str) -> Whole:
        """Give it back, whatever a store calls it."""
        return cls()

    def tables(self, whole: TrainTest) -> TrainTest:
        """Give the two tables of the split of the dataset."""
        return whole


@dataclass(frozen=True)
class Fold:
    """One fold of the cross-validation on the training table.

    Parameters
    ----------
    number : int
        Which one, from 0.

    Examples
    --------
    >>> Fold.of_name("fold-2")
    Fold(number=2)
    """

    number: int

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return f"fold-{self.number}"

    @classmethod
    def of_name(cls, name: str) -> Fold:
        """Give back the fold of a name in a store."""
        return cls(int(name.removeprefix("fold-")))

    def tables(self, whole: TrainTest) -> TrainTest:
        """Give the rows to train on and those to score, of the split of the dataset."""
        train, test = tuning_folds(whole.y_train)[self.number]
        return whole.rows(train, test)


@dataclass(frozen=True)
class Half:
    """One direction of a halving of the training table.

    Parameters
    ----------
    repetition : int
        Which halving, from 0.
    half : {0, 1}
        0 trains on the first half and scores the second, 1 the other way round.

    Examples
    --------
    >>> Half.of_name("half-03-1")
    Half(repetition=3, half=1)
    """

    repetition: int
    half: int

    @property
    def name(self) -> str:
        """The word for it in a store."""
        return f"half-{self.repetition:02d}-{self.half}"

    @classmethod
    def of_name(cls, name: str) -> Half:
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
