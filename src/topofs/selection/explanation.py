"""Why a feature was or was not selected, as numbers and as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Explanation", "Neighbor"]


@dataclass(frozen=True)
class Neighbor:
    """A feature joined to the explained one in the filtered graph."""

    name: str
    weight: float
    selected: bool


@dataclass(frozen=True)
class Explanation:
    """A feature's place in the graph and in the ranking.

    Printing it gives a few lines to read.

    Attributes
    ----------
    feature : str
        The name of the column.
    selected, kept : bool
        Whether it was selected, and whether `keep` asked for it.
    score : float
        Its centrality.
    rank : int
        Its place in the ranking, 1 = best.
    n_features, n_selected : int
        Number of columns, and of those selected.
    n_same_score : int
        Number of other columns that take part in the graph with the same score.
    centrality : str
        The name of the score.
    neighbors : tuple of Neighbor
        The features it is joined to, strongest first; empty for a column that takes no part
        in the graph because it is constant.
    constant : bool
        Whether the column is constant or all missing.
    """

    feature: str
    selected: bool
    kept: bool
    score: float
    rank: int
    n_features: int
    n_selected: int
    n_same_score: int
    centrality: str
    neighbors: tuple[Neighbor, ...]
    constant: bool

    @property
    def selected_neighbors(self) -> tuple[Neighbor, ...]:
        """The selected features it is tied to in the graph."""
        return tuple(neighbor for neighbor in self.neighbors if neighbor.selected)

    def __str__(self) -> str:
        lines = [f"{self.feature} is {'selected' if self.selected else 'not selected'}."]
        if self.constant:
            lines.append("It is constant or all missing, so it takes no part in the graph.")
        lines.append(
            f"Rank {self.rank} of {self.n_features} ({self.n_selected} selected), "
            f"{self.centrality} {self.score:g}" + self._same_score()
        )
        if self.kept:
            lines.append("It was to be kept whatever its rank.")
        if self.neighbors:
            tied = self.selected_neighbors
            lines.append(
                f"Joined to {len(self.neighbors)} features, {len(tied)} of them selected:"
            )
            lines += [
                f"  {neighbor.name}  {neighbor.weight:.4g}{'  selected' * neighbor.selected}"
                for neighbor in self.neighbors
            ]
        return "\n".join(lines)

    def _same_score(self) -> str:
        if self.n_same_score == 0:
            return "."
        others = "feature has" if self.n_same_score == 1 else "features have"
        return f" ({self.n_same_score} other {others} the same)."
