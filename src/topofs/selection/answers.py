"""The answers of a fitted selector: values with a text form.

`Explanation` explains why a column was selected or not, `Evaluation` rates a list, and
`Substitutes` are replacements for a column. `ranked_columns` lists the complete ranking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from topofs.graphs.filtered_graph import FilteredGraph, LinkGraph
from topofs.selection.compatibility import measure_of
from topofs.selection.reading import read_table
from topofs.similarity.base import similarity_rows
from topofs.similarity.correlation import correlations_of_pairs
from topofs.text import counted, printable

if TYPE_CHECKING:
    from topofs.selection.selector import TopologicalFeatureSelector
    from topofs.similarity.base import SimilarityOperator
    from topofs.typing import Doubles, Ints

REPRESENTS = 0.25
"""Least share of a feature's variance for the word "represents"."""


_MOST_LINKS = 8
"""Number of printed links of a feature; `neighbors` has all."""

# The least share that two decimals show.
_NOTHING = 5e-5
# Rows of the similarity in memory at a time.
_ROWS = 256


@dataclass(frozen=True)
class Member:
    """A column that a selected one represents.

    Attributes
    ----------
    name : str
        Its name.
    position : int
        Its position in the table.
    share : float
        The share of its variance that the selected column explains.
    """

    name: str
    position: int
    share: float


@dataclass(frozen=True)
class Group:
    """A selected column and the columns it represents.

    Attributes
    ----------
    name, position
        The selected column.
    rank : int
        Its place in the ranking, 1 = best.
    members : tuple of Member
        The others it represents, the largest share first.
    """

    name: str
    position: int
    rank: int
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Neighbor:
    """A feature joined to the explained one in the filtered graph."""

    name: str
    weight: float
    selected: bool


@dataclass(frozen=True)
class Representation:
    """The representative of a feature, and the features that it represents.

    Attributes
    ----------
    representative : str or None
        The selected feature that represents it: itself if it is selected; None without one.
    share : float
        Share of its variance that the representative explains.
    path : tuple of str
        Features between it and its representative in the graph, nearest first; empty if the
        rule does not use paths.
    members : tuple of (str, float)
        The features it represents, with their shares, the largest first.
    isolated : bool
        Whether it shares no more than chance with any other feature.
    together : float or None
        Share of its variance that all selected features explain together; the share of the
        representative if the rule does not compute it.
    relevance : tuple of str
        What the representative says about the target, then what each of the members says, in
        words; empty without a target.
    """

    representative: str | None
    share: float
    path: tuple[str, ...]
    members: tuple[tuple[str, float], ...]
    isolated: bool
    together: float | None = None
    relevance: tuple[str, ...] = ()

    def lines(self, *, selected: bool) -> list[str]:
        """Give the lines of text.

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
            return lines + self._members_in_words()
        if self.representative is None:
            alone = ["It is alone: no selected feature represents it."]
            return lines if self.isolated else alone
        way = f", by way of {', '.join(map(printable, self.path))}" if self.path else ""
        who, shares = printable(self.representative), share_in_words(self.share)
        much = f"{who} represents it, with {self.share:.4g} of its variance{way}"
        little = f"{who} shares {shares} with it{way}: no selected feature more"
        says = f"; {who} {self.relevance[0]}" if self.relevance else ""
        lines.append(f"{much if self.share >= REPRESENTS else little}{says}.")
        # Do not report rounding.
        if self.together is not None and self.together > self.share + 1e-6:
            lines.append(
                f"All selected features together explain {self.together:.4g} of its variance."
            )
        return lines

    def _members_in_words(self) -> list[str]:
        """The features that a selected feature represents, and those with a small share."""
        says = [f"; {words}" for words in self.relevance[1:]] or [""] * len(self.members)
        listed = [
            f"  {printable(name)}  {share:.4g}{words}"
            for (name, share), words in zip(self.members, says, strict=True)
        ]
        n = sum(share >= REPRESENTS for _, share in self.members)
        n_little = len(listed) - n
        who = f"{n} other feature{'s' * (n > 1)}:" if n else "itself alone."
        lines = [f"It represents {who}", *listed[:n]]
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

    Its text form is a few lines.

    Attributes
    ----------
    feature : str
        The name of the column.
    selected, forced : bool
        Whether it was selected, and whether `keep` asked for it.
    score : float
        Its score: its gain in coverage, or its centrality.
    rank : int
        Its place in the ranking, 1 = best.
    n_features, n_selected : int
        Numbers of columns and of selected columns.
    n_same_score : int
        Number of other columns that take part in the graph with the same score.
    score_name : str
        The name of the score.
    neighbors : tuple of Neighbor
        The features it is joined to, strongest first; empty for a column that takes no part
        in the graph. They include links of weight 0, which some graphs need to be complete. The
        text counts these links, and names the strongest links only.
    left_out : str or None
        Why the column takes no part, in a few words; None if it takes part.
    representation : Representation or None
        Its representative, and the features that it represents; None if the rule has no groups.
    excluded : bool
        Whether `exclude` forbade it.
    relevance : float or None
        Its relevance, 0 where chance explains it; None without relevance.
    relevance_words : str
        What it says about the target, in words; empty without relevance.
    demanded_group : str or None
        Its group, if it is selected and `at_least` demands all selected columns of the group.
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
    relevance: float | None = None
    relevance_words: str = ""
    demanded_group: str | None = None

    @property
    def selected_neighbors(self) -> tuple[Neighbor, ...]:
        """The selected features it is tied to in the graph."""
        return tuple(neighbor for neighbor in self.neighbors if neighbor.selected)

    def __repr__(self) -> str:
        if self.left_out is not None and not self.selected:
            return left_out_sentence(self.feature, self.left_out)
        lines = [
            f"{printable(self.feature)} is {'selected' if self.selected else 'not selected'}."
        ]
        if self.left_out is not None:
            lines.append(f"It is not compared with the others: {self.left_out}.")
        same = ""
        if self.n_same_score:
            have = "feature has" if self.n_same_score == 1 else "features have"
            same = f" ({self.n_same_score} other {have} the same)"
        lines.append(
            f"Rank {self.rank} of {self.n_features} ({self.n_selected} selected), "
            f"{self.score_name} {self.score:g}{same}."
        )
        if self.relevance_words and self.left_out is None:
            lines.append(f"It {self.relevance_words}.")
        if self.forced:
            lines.append("It is forced: `keep` names it.")
        if self.demanded_group is not None:
            group = printable(self.demanded_group)
            lines.append(f"`at_least` demands it, as it does all selected columns of {group}.")
        if self.excluded:
            lines.append("It is excluded: it can only be represented.")
        if self.representation is not None and self.left_out is None:
            lines += self.representation.lines(selected=self.selected)
        return "\n".join(lines + self._links())

    def _links(self) -> list[str]:
        """Name the neighbours, except those with links of weight 0."""
        n_links, n_selected_links = len(self.neighbors), len(self.selected_neighbors)
        if not n_links:
            return []
        alike = [neighbor for neighbor in self.neighbors if neighbor.weight]
        lines = [
            f"Joined to {n_links} features, {n_selected_links} of them selected"
            f"{':' if alike else '.'}",
            *(
                f"  {printable(other.name)}  {other.weight:.4g}{'  selected' * other.selected}"
                for other in alike[:_MOST_LINKS]
            ),
        ]
        n_more, n_empty = len(alike) - _MOST_LINKS, n_links - len(alike)
        if n_more > 0:
            lines.append(f"  … and {n_more} weaker link{'s' * (n_more > 1)}")
        if n_empty:
            have = "has" if n_empty == 1 else "have"
            lines.append(
                f"{n_empty} of the {n_links} links {have} weight 0: no similarity, only there "
                "to complete the graph."
            )
        return lines


def left_out_sentence(name: str, reason: str) -> str:
    """Tell that a column takes no part, with the reason."""
    return f"{printable(name)} takes no part in the selection: {printable(reason)}."


def relevance_in_words(value: float, target: str | None) -> str:
    """Say how much a column says about a target; without one, its weight."""
    if target is None:
        return f"has relevance {value:.4g}"
    if value:
        return f"explains {share_in_words(value)} of {printable(target)}"
    return f"says no more about {printable(target)} than chance"


def share_in_words(share: float) -> str:
    """Give a share in percent; a small share is never printed as 0 %."""
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


@dataclass(frozen=True)
class RandomLists:
    """Coverage of random lists of a size.

    Attributes
    ----------
    mean : float
        The mean.
    low, high : float
        The range of 95 % of them.
    n_lists : int
        Number of lists.
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
    """A column that could be added, or is in a list, with its gain.

    Attributes
    ----------
    name : str
        The column.
    position : int
        Its position in the table.
    adds : float
        Its gain in coverage, in columns: 1 means that it represents only itself.
    """

    name: str
    position: int
    adds: float

    def __repr__(self) -> str:
        return f"{printable(self.name)} adds {self.adds:.2f}"


@dataclass(frozen=True)
class SamePair:
    """Two columns of a list that say the same.

    Attributes
    ----------
    name, other : str
        The columns.
    share : float
        The share of the one that the other explains.
    overlap : float or None
        Their topological overlap, if it decides.
    """

    name: str
    other: str
    share: float
    overlap: float | None = None

    def __repr__(self) -> str:
        how = f"{self.share:.2f}" if self.overlap is None else f"overlap {self.overlap:.2f}"
        return f"{printable(self.name)} and {printable(self.other)} say the same ({how})"


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
        Loss of explained variance of the replaced column and of the columns it represents, as a
        share of the variance of all columns.
    gained : float
        Additional explained variance, as the same share: the coverage changes by `gained` minus
        `lost`.
    share : float
        The share of the replaced column's variance that the new list explains.
    replaces : str
        The column that it would replace.
    relevance : float or None
        Its relevance, 0 where chance explains it; None without relevance.
    relevance_words : str
        What it says about the target, in words; empty without relevance.
    """

    name: str
    position: int
    lost: float
    gained: float
    share: float
    replaces: str
    relevance: float | None = None
    relevance_words: str = ""

    def __repr__(self) -> str:
        replaced = printable(self.replaces)
        says = f"; it {self.relevance_words}" if self.relevance_words else ""
        return (
            f"{printable(self.name)} in place of {replaced}: {change_in_words(self)}; "
            f"{share_in_words(self.share)} of {replaced} stays explained{says}."
        )


class Substitutes(tuple[Substitute, ...]):
    """Columns that could replace a selected one, the least loss first."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "No column that may be selected shares more than chance with it."
        return "\n".join(map(repr, self))


def change_in_words(one: Substitute) -> str:
    """Describe the loss and the gain of coverage of a replacement."""
    lost, gained = (
        None if share < _NOTHING else f"{share:.2%}" for share in (one.lost, one.gained)
    )
    said = f"loses {lost or 'nothing'} of the coverage"
    return said if gained is None else f"{said}, gains {gained}"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The rating of a list of columns.

    Attributes
    ----------
    names : tuple of str
        The list.
    coverage : float
        Share of the variance of all columns that it represents.
    random : RandomLists
        The same for random lists of its size.
    groups : tuple of Group
        The columns of the list, each with the columns that it represents.
    same : tuple of SamePair
        Pairs of columns of the list that say the same, the most similar first.
    least : tuple of Addition
        Columns of the list with the least gain beyond the other columns of the list.
    alone : tuple of str
        Columns that no column of the list represents, although other columns could.
    isolated : tuple of str
        Columns outside the list that share no more than chance with any other column: no column
        could represent them.
    next : tuple of Addition
        Columns to add, the best first, each given the earlier ones.
    missing : tuple of Group
        The largest groups that are not represented: columns that could be added, each with the
        columns that it would represent.
    relevance : float or None
        Share of the sum of all columns' relevance that it holds: each column counts by its
        relevance and by the share of it that the list represents. None without relevance, or if
        no column has any.
    random_relevance : RandomLists or None
        The same for random lists of its size.
    target : str or None
        The target, in words.
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
    relevance: float | None = None
    random_relevance: RandomLists | None = None
    target: str | None = None

    def __repr__(self) -> str:
        n, random = len(self.names), self.random
        lines = [
            f"{counted(n, 'column')} represent{'s' * (n == 1)} {self.coverage:.1%} of the variance "
            f"of all; random lists of {n}: {random.mean:.1%} ({random.low:.1%} to "
            f"{random.high:.1%}).",
        ]
        by_chance = self.random_relevance
        if self.relevance is not None and by_chance is not None:
            about = self.target or "the relevance of all columns"
            lines.append(
                f"They hold {self.relevance:.1%} of what all columns say about {printable(about)}, "
                f"one by one; random lists {by_chance.mean:.1%} ({by_chance.low:.1%} to "
                f"{by_chance.high:.1%})."
            )
        for columns, what in (
            (self.alone, "{} alone: none of the list represents {}, but others could."),
            (self.isolated, "outside the list {} isolated: nothing could represent {}."),
        ):
            if columns:
                words = ("is", "it") if len(columns) == 1 else ("are", "them")
                lines.append(f"{counted(len(columns), 'column')} {what.format(*words)}")
        lines += [f"{pair!r}." for pair in self.same[:5]]
        if self.least:
            weakest = ", ".join(f"{printable(o.name)} ({o.adds:.2f})" for o in self.least[:5])
            lines.append(f"Adding least: {weakest}.")
        if self.next:
            best = ", ".join(
                f"{printable(one.name)} (+{one.adds:.2f})" for one in self.next[:5]
            )
            lines.append(f"To add next: {best}.")
        return "\n".join(lines)


@dataclass(frozen=True)
class RankedColumn:
    """A column's place in a ranking.

    Attributes
    ----------
    name : str
        The column.
    rank : int
        Its place, 1 = best.
    score, strength : float
        Its score by the rule (its gain or its centrality), and the sum of the weights of its
        edges.
    selected : bool
        Whether it is among the selected.
    nearest : str or None
        The most similar selected column other than itself; None if it is constant or if no
        other column is selected.
    similarity : float or None
        The similarity between the two, before the threshold.
    """

    name: str
    rank: int
    score: float
    strength: float
    selected: bool
    nearest: str | None
    similarity: float | None


def fitted_similarity(selector: TopologicalFeatureSelector, X: Any) -> SimilarityOperator:
    """The similarity that a selector was fitted with to `X`, before its threshold.

    It covers the columns that vary, in the order of `selector.nodes_`. `fit_and_compare` gives
    the same without preparing the columns again.
    """
    # Use the given measure: "auto" accepts columns that the resolved measure does not.
    read = read_table(clone(selector), X, measure_of(selector.similarity))
    if read.table.shape[1] != selector.n_features_in_:
        raise ValueError(
            f"X has {read.table.shape[1]} columns; the selector was fitted on "
            f"{selector.n_features_in_}: give the same table"
        )
    return selector.similarity_.operator(read.columns(selector.nodes_))


def with_correlations(graph: FilteredGraph, similarity: SimilarityOperator) -> FilteredGraph:
    """The same graph with the correlation along each edge; unchanged if there is no sign."""
    correlations = correlations_of_pairs(similarity, *graph.edges.T)
    if correlations is None:
        return graph
    if isinstance(graph, LinkGraph):
        parts = (graph.n_nodes, graph.edges, graph.weights)
        return FilteredGraph(*parts, labels=graph.labels, correlations=correlations)
    return replace(graph, correlations=correlations)


def ranked_columns(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> tuple[RankedColumn, ...]:
    """List the columns from the best to the last.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    similarity : SimilarityOperator
        Of the columns that vary, from `fitted_similarity` or `fit_and_compare`; only the rows
        of the selected columns are computed.

    Returns
    -------
    tuple of RankedColumn

    Examples
    --------
    >>> import numpy as np
    >>> from topofs import TopologicalFeatureSelector
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, 1.0], [3.0, 6.5, 2.0]])
    >>> selector = TopologicalFeatureSelector(1, rule="degree").fit(X)
    >>> [(c.name, c.nearest) for c in ranked_columns(selector, fitted_similarity(selector, X))]
    [('x0', None), ('x1', 'x0'), ('x2', 'x0')]
    """
    nodes = selector.nodes_
    names = selector._column_names()  # noqa: SLF001 - of the same room
    strengths = selector.strength_
    nearest = np.full(selector.n_features_in_, -1)
    weights = np.zeros(selector.n_features_in_)
    nearest[nodes], weights[nodes] = _nearest_selected(selector, similarity)
    return tuple(
        RankedColumn(
            name=str(names[column]),
            rank=int(selector.ranking_[column]),
            score=float(selector.scores_[column]),
            strength=float(strengths[column]),
            selected=bool(selector.support_[column]),
            nearest=str(names[nearest[column]]) if nearest[column] >= 0 else None,
            similarity=float(weights[column]) if nearest[column] >= 0 else None,
        )
        for column in np.argsort(selector.ranking_)
    )


def _nearest_selected(
    selector: TopologicalFeatureSelector, similarity: SimilarityOperator
) -> tuple[Ints, Doubles]:
    """Column of the nearest selected node and the similarity to it, for each node; or −1."""
    nodes = selector.nodes_
    selected = np.flatnonzero(selector.support_[nodes])
    everyone = np.arange(len(nodes))
    nearest, weights = np.full(len(nodes), -1), np.full(len(nodes), -np.inf)
    for first in range(0, len(selected), _ROWS):
        rows = selected[first : first + _ROWS]
        block = similarity_rows(similarity, rows).astype(np.float64)
        # Exclude the node itself.
        block[np.arange(len(rows)), rows] = -np.inf
        best = block.argmax(axis=0)
        found = block[best, everyone]
        # The first among equal ones.
        nearer = found > weights
        nearest[nearer], weights[nearer] = nodes[rows[best[nearer]]], found[nearer]
    return nearest, np.where(nearest >= 0, weights, 0.0)
