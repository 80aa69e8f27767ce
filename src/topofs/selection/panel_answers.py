"""What is said of a list of columns: values that print themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topofs.selection.representing import Group

__all__ = ["Addition", "Evaluation", "RandomLists", "SamePair", "Substitute"]


@dataclass(frozen=True)
class RandomLists:
    """Coverage of random lists of a size.

    Attributes
    ----------
    mean : float
        On average.
    low, high : float
        The range of 95 % of them.
    n_lists : int
        How many were drawn.
    """

    mean: float
    low: float
    high: float
    n_lists: int


@dataclass(frozen=True)
class Addition:
    """A column that could be added, or is in a list, with what it adds.

    Attributes
    ----------
    name : str
        The column.
    position : int
        Its position in the table.
    adds : float
        What it adds to the coverage, in columns: 1 is itself alone.
    """

    name: str
    position: int
    adds: float


@dataclass(frozen=True)
class SamePair:
    """Two columns of a list of which one explains most of the other."""

    name: str
    other: str
    share: float


@dataclass(frozen=True)
class Substitute:
    """A column that could take the place of a selected one.

    Attributes
    ----------
    name : str
        The column.
    position : int
        Its position in the table.
    lost : float
        By how much the coverage of all falls, as a share; below 0 where it rises.
    share : float
        The share of the replaced column's variance that the new list explains.
    """

    name: str
    position: int
    lost: float
    share: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good a list of columns is.

    Attributes
    ----------
    names : tuple of str
        The list.
    coverage : float
        Share of the variance of all columns that it represents.
    random : RandomLists
        The same for random lists of its size.
    groups : tuple of Group
        Who represents whom.
    same : tuple of SamePair
        Columns of the list that say the same, the most alike first.
    least : tuple of Addition
        Columns of the list that add least beyond the others of it.
    alone : tuple of str
        Columns that none of the list represents.
    next : tuple of Addition
        What to add, the best first, each given those before it.
    missing : tuple of Group
        The largest groups that are not represented: columns that could be added, with those
        they would represent.
    """

    names: tuple[str, ...]
    coverage: float
    random: RandomLists
    groups: tuple[Group, ...]
    same: tuple[SamePair, ...]
    least: tuple[Addition, ...]
    alone: tuple[str, ...]
    next: tuple[Addition, ...]
    missing: tuple[Group, ...]

    def __str__(self) -> str:
        lines = [
            f"{len(self.names)} columns represent {self.coverage:.1%} of the variance of all; "
            f"random lists of {len(self.names)}: {self.random.mean:.1%} "
            f"({self.random.low:.1%} to {self.random.high:.1%}).",
            f"{len(self.alone)} column{' is' if len(self.alone) == 1 else 's are'} alone: none of "
            "the list represents them.",
        ]
        lines += [
            f"{pair.name} and {pair.other} say the same ({pair.share:.2f})."
            for pair in self.same[:5]
        ]
        if self.least:
            weakest = ", ".join(f"{one.name} ({one.adds:.2f})" for one in self.least[:5])
            lines.append(f"Adding least: {weakest}.")
        if self.next:
            best = ", ".join(f"{one.name} (+{one.adds:.2f})" for one in self.next[:5])
            lines.append(f"To add next: {best}.")
        return "\n".join(lines)
