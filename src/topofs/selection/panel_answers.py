"""What is said of a list of columns: values that show their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs.selection.explanation import one_line, share_in_words

if TYPE_CHECKING:
    from topofs.selection.representing import Group

__all__ = [
    "Addition",
    "Evaluation",
    "RandomLists",
    "SamePair",
    "Substitute",
    "Substitutes",
    "change_in_words",
]


# Two digits after the point show no less.
_NOTHING = 5e-5


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

    def __repr__(self) -> str:
        return (
            f"{self.n_lists} random lists represent {self.mean:.1%} of the variance of all on "
            f"average, 95% of them {self.low:.1%} to {self.high:.1%}."
        )


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

    def __repr__(self) -> str:
        return f"{one_line(self.name)} adds {self.adds:.2f}"


@dataclass(frozen=True)
class SamePair:
    """Two columns of a list of which one explains most of the other."""

    name: str
    other: str
    share: float

    def __repr__(self) -> str:
        return (
            f"{one_line(self.name)} and {one_line(self.other)} say the same ({self.share:.2f})"
        )


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
        What is no longer explained of the replaced column and of those it represents, as a
        share of the variance of all columns.
    gained : float
        What is explained beyond what was before, likewise: the coverage changes by `gained`
        less `lost`.
    share : float
        The share of the replaced column's variance that the new list explains.
    replaces : str
        The column whose place it would take.
    """

    name: str
    position: int
    lost: float
    gained: float
    share: float
    replaces: str

    def __repr__(self) -> str:
        replaced = one_line(self.replaces)
        return (
            f"{one_line(self.name)} in place of {replaced}: {change_in_words(self)}; "
            f"{share_in_words(self.share)} of {replaced} stays explained."
        )


class Substitutes(tuple[Substitute, ...]):
    """Columns that could take the place of a selected one, the least loss first."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "No column that may be selected shares more than chance with it."
        return "\n".join(map(repr, self))


def change_in_words(one: Substitute) -> str:
    """Say what a replacement does to the coverage: what is lost, and what is gained."""
    lost, gained = (
        None if share < _NOTHING else f"{share:.2%}" for share in (one.lost, one.gained)
    )
    said = f"loses {lost or 'nothing'} of the coverage"
    return said if gained is None else f"{said}, gains {gained}"


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
        Columns that none of the list represents, though others could.
    isolated : tuple of str
        Columns outside the list that share with no other more than chance explains: nothing
        could represent them.
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
    isolated: tuple[str, ...]
    next: tuple[Addition, ...]
    missing: tuple[Group, ...]

    def __repr__(self) -> str:
        lines = [
            f"{_columns(len(self.names))} represent{'s' * (len(self.names) == 1)} "
            f"{self.coverage:.1%} of the variance of all; "
            f"random lists of {len(self.names)}: {self.random.mean:.1%} "
            f"({self.random.low:.1%} to {self.random.high:.1%}).",
        ]
        lines += self._not_represented()
        lines += [f"{pair!r}." for pair in self.same[:5]]
        if self.least:
            weakest = ", ".join(f"{one_line(o.name)} ({o.adds:.2f})" for o in self.least[:5])
            lines.append(f"Adding least: {weakest}.")
        if self.next:
            best = ", ".join(f"{one_line(one.name)} (+{one.adds:.2f})" for one in self.next[:5])
            lines.append(f"To add next: {best}.")
        return "\n".join(lines)

    def _not_represented(self) -> list[str]:
        """How many columns none of the list represents, and how many of these none could."""
        lines = []
        if self.alone:
            are = "is" if len(self.alone) == 1 else "are"
            lines.append(
                f"{_columns(len(self.alone))} {are} alone: none of the list represents "
                f"{'it' if are == 'is' else 'them'}, but others could."
            )
        if self.isolated:
            are = "is" if len(self.isolated) == 1 else "are"
            lines.append(
                f"{_columns(len(self.isolated))} outside the list {are} isolated: nothing could "
                f"represent {'it' if are == 'is' else 'them'}."
            )
        return lines


def _columns(number: int) -> str:
    return f"{number} column{'s' * (number != 1)}"
