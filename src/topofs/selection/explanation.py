"""Why a feature was or was not selected, as numbers and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REPRESENTS", "Explanation", "Neighbor", "Representation"]

REPRESENTS = 0.25
"""The share of a feature's variance from which on another is said to represent it."""

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
            way = f", by way of {', '.join(map(_one_line, self.path))}" if self.path else ""
            who = _one_line(self.representative)
            much = f"{who} represents it, with {self.share:.4g} of its variance{way}."
            little = (
                f"{who} shares {_percent(self.share)} with it{way}: no selected feature more."
            )
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
        much = [(name, share) for name, share in self.members if share >= REPRESENTS]
        n = len(much)
        who = f"{n} other feature{'s' * (n > 1)}:" if n else "itself alone."
        lines = [f"It represents {who}"]
        lines += [f"  {_one_line(name)}  {share:.4g}" for name, share in much]
        lines += [
            f"It shares {_percent(share)} with {_one_line(name)}, and no selected feature more."
            for name, share in self.members[n:]
        ]
        return lines


@dataclass(frozen=True)
class Explanation:
    """A feature's place in the graph and in the ranking.

    Printing it gives a few lines to read.

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
        in the graph because it is constant. Links of weight 0, which some graphs need to be
        complete, are among them; the printed lines count them without naming them.
    constant : bool
        Whether the column takes no part: constant, all missing, an identifier, or carried by
        too few samples.
    representation : Representation or None
        Who represents it and whom it represents; None where the rule has no groups.
    excluded : bool
        Whether `exclude` forbade it.
    why_no_part : str or None
        Why the column takes no part, where more is known than `constant` says.
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
    constant: bool
    representation: Representation | None = None
    excluded: bool = False
    why_no_part: str | None = None

    @property
    def selected_neighbors(self) -> tuple[Neighbor, ...]:
        """The selected features it is tied to in the graph."""
        return tuple(neighbor for neighbor in self.neighbors if neighbor.selected)

    def __str__(self) -> str:
        name = _one_line(self.feature)
        lines = [f"{name} is {'selected' if self.selected else 'not selected'}."]
        if self.constant:
            why = self.why_no_part or "constant or all missing, or names that hardly repeat"
            lines.append(f"It takes no part in the graph: {why}.")
        lines.append(
            f"Rank {self.rank} of {self.n_features} ({self.n_selected} selected), "
            f"{self.score_name} {self.score:g}" + self._same_score()
        )
        if self.forced:
            lines.append("It is forced: selected by wish.")
        if self.excluded:
            lines.append("It is excluded: by wish it cannot be selected.")
        if self.representation is not None and not self.constant:
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
            f"  {_one_line(neighbor.name)}  {neighbor.weight:.4g}"
            + "  selected" * neighbor.selected
            for neighbor in alike
        ]
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


def _percent(share: float) -> str:
    """A share below one half; never 0 % of what is more."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


def _one_line(name: str) -> str:
    """A name that stays in its line, whatever characters it holds."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)
