"""Why a feature was or was not selected, as numbers and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "REPRESENTS",
    "Explanation",
    "Neighbor",
    "Representation",
    "left_out_sentence",
    "one_line",
    "share_in_words",
]

REPRESENTS = 0.25
"""The share of a feature's variance from which on another is said to represent it."""

_MOST_LINKS = 8
"""So many links of a feature are printed; `neighbors` has all."""

# Rounding is not worth a sentence.
_MORE = 1e-6


@dataclass(frozen=True)
class Neighbor:
    """A feature joined to the explained one in the filtered graph."""

    name: str
    weight: float
    selected: bool


@dataclass(frozen=True)
class Representation:
    """Who represents a feature, and whom it represents.

    Attributes
    ----------
    representative : str or None
        The selected feature that represents it; itself if it is selected; None if none does.
    share : float
        Share of its variance that the representative explains.
    path : tuple of str
        Features between it and its representative in the graph, nearest first; none where the
        rule does not follow paths.
    members : tuple of (str, float)
        The features it represents, with their shares, the largest first.
    isolated : bool
        Whether it shares with no other more than chance explains.
    together : float or None
        Share of its variance that all selected features explain together; that of the
        representative where the rule does not tell.
    """

    representative: str | None
    share: float
    path: tuple[str, ...]
    members: tuple[tuple[str, float], ...]
    isolated: bool
    together: float | None = None

    def lines(self, *, selected: bool) -> list[str]:
        """Say it in sentences.

        Parameters
        ----------
        selected : bool
            Whether the feature is selected.

        Returns
        -------
        list of str
        """
        lines = []
        if self.isolated:
            lines.append("It is isolated: with no neighbour does it share more than chance.")
        if selected:
            lines += self._members_in_words()
        elif self.representative is not None:
            way = f", by way of {', '.join(map(one_line, self.path))}" if self.path else ""
            who = one_line(self.representative)
            much = f"{who} represents it, with {self.share:.4g} of its variance{way}."
            shares = share_in_words(self.share)
            little = f"{who} shares {shares} with it{way}: no selected feature more."
            lines.append(much if self.share >= REPRESENTS else little)
            if self.together is not None and self.together > self.share + _MORE:
                lines.append(
                    f"All selected features together explain {self.together:.4g} of its variance."
                )
        elif not self.isolated:
            lines.append("It is alone: no selected feature represents it.")
        return lines

    def _members_in_words(self) -> list[str]:
        """Whom a selected feature represents, and with whom it shares little."""
        n = sum(share >= REPRESENTS for _, share in self.members)
        listed = [f"  {one_line(name)}  {share:.4g}" for name, share in self.members]
        who = f"{n} other feature{'s' * (n > 1)}:" if n else "itself alone."
        lines = [f"It represents {who}", *listed[:n]]
        n_little = len(listed) - n
        if n_little:
            them = "it" if n_little == 1 else "them"
            lines.append(
                f"It shares less than {REPRESENTS:.0%} with {n_little} "
                f"other{'s' * (n_little > 1)}, and no selected feature shares more with {them}:"
            )
        return lines + listed[n:]


@dataclass(frozen=True)
class Explanation:
    """A feature's place in the graph and in the ranking.

    It shows itself as a few lines to read.

    Attributes
    ----------
    feature : str
        The name of the column.
    selected, forced : bool
        Whether it was selected, and whether `keep` asked for it.
    score : float
        What the rule gave it: what it added to the coverage, or its centrality.
    rank : int
        Its place in the ranking, 1 = best.
    n_features, n_selected : int
        Number of columns, and of those selected.
    n_same_score : int
        Number of other columns that take part in the graph with the same score.
    score_name : str
        The name of the score.
    neighbors : tuple of Neighbor
        The features it is joined to, strongest first; empty for a column that takes no part
        in the graph. Links of weight 0, which some graphs need to be
        complete, are among them; the printed lines count them without naming them, and name
        the strongest only.
    left_out : str or None
        Why the column takes no part, in a few words; None where it takes part.
    representation : Representation or None
        Who represents it and whom it represents; None where the rule has no groups.
    excluded : bool
        Whether `exclude` forbade it.
    """

    feature: str
    selected: bool
    forced: bool
    score: float
    rank: int
    n_features: int
    n_selected: int
    n_same_score: int
    score_name: str
    neighbors: tuple[Neighbor, ...]
    left_out: str | None = None
    representation: Representation | None = None
    excluded: bool = False

    @property
    def selected_neighbors(self) -> tuple[Neighbor, ...]:
        """The selected features it is tied to in the graph."""
        return tuple(neighbor for neighbor in self.neighbors if neighbor.selected)

    def __repr__(self) -> str:
        if self.left_out is not None and not self.selected:
            return left_out_sentence(self.feature, self.left_out)
        lines = [
            f"{one_line(self.feature)} is {'selected' if self.selected else 'not selected'}."
        ]
        if self.left_out is not None:
            lines.append(f"It is not compared with the others: {self.left_out}.")
        lines.append(
            f"Rank {self.rank} of {self.n_features} ({self.n_selected} selected), "
            f"{self.score_name} {self.score:g}" + self._same_score()
        )
        if self.forced:
            lines.append("It is forced: selected by wish.")
        if self.excluded:
            lines.append("It is excluded: by wish it cannot be selected.")
        if self.representation is not None and self.left_out is None:
            lines += self.representation.lines(selected=self.selected)
        if self.neighbors:
            lines += self._links()
        return "\n".join(lines)

    def _links(self) -> list[str]:
        """Name the features at the other ends; a link of weight 0 says nothing about one."""
        n_links, n_tied = len(self.neighbors), len(self.selected_neighbors)
        alike = [neighbor for neighbor in self.neighbors if neighbor.weight]
        joined = f"Joined to {n_links} features, {n_tied} of them selected"
        lines = [joined + (":" if alike else ".")]
        lines += [
            f"  {one_line(neighbor.name)}  {neighbor.weight:.4g}"
            + "  selected" * neighbor.selected
            for neighbor in alike[:_MOST_LINKS]
        ]
        n_more = len(alike) - _MOST_LINKS
        if n_more > 0:
            lines.append(f"  … and {n_more} weaker link{'s' * (n_more > 1)}")
        n_empty = n_links - len(alike)
        if n_empty:
            have = "has" if n_empty == 1 else "have"
            lines.append(
                f"{n_empty} of the {n_links} links {have} weight 0: no similarity, only there "
                "to complete the graph."
            )
        return lines

    def _same_score(self) -> str:
        if self.n_same_score == 0:
            return "."
        others = "feature has" if self.n_same_score == 1 else "features have"
        return f" ({self.n_same_score} other {others} the same)."


def left_out_sentence(name: str, reason: str) -> str:
    """Say that a column takes no part, and why."""
    return f"{one_line(name)} takes no part in the selection: {one_line(reason)}."


def share_in_words(share: float) -> str:
    """Give a share in percent; what is little is never 0 %."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


def one_line(name: str) -> str:
    """Give a name that stays in its line, whatever characters it holds."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)
