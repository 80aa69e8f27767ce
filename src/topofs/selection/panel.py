"""Questions about a list of columns: how good it is, what to add, what replaces one of it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from topofs.rules.rule import coverage_by, covered_by, kept_with, related_to
from topofs.selection.panel_answers import (
    Addition,
    Evaluation,
    RandomLists,
    SamePair,
    Substitute,
    Substitutes,
)
from topofs.selection.representing import RepresentingSelector
from topofs.selection.subset_size import column_position
from topofs.selection.wishes import resolve_columns
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs.rules.rule import Ranking

__all__ = ["PanelSelector"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

SAME = 0.8
"""Two columns of a list say the same where one explains this share of the other."""


class PanelSelector(RepresentingSelector):
    """Base of a selector that answers for any list of columns after its fit."""

    def evaluate(
        self,
        columns: Iterable[str | int] | None = None,
        *,
        n_next: int = 10,
        n_random: int = 200,
        random_state: Any = 0,
    ) -> Evaluation:
        """Judge a list of columns, from wherever it comes.

        Parameters
        ----------
        columns : iterable of str or int, optional
            Names, patterns or positions; by default the selected ones.
        n_next : int, default=10
            How many columns to propose, and how many groups that are missing.
        n_random : int, default=200
            Random lists to compare with.
        random_state : int, RandomState or None, default=0
            Draws them.

        Returns
        -------
        Evaluation
            It shows itself as a few lines to read.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> selector = TopologicalFeatureSelector().fit(load_wine(as_frame=True).data)
        >>> found = selector.evaluate(["alcohol", "hue"])
        >>> round(found.coverage, 3), found.next[0].name
        (0.316, 'flavanoids')
        """
        if not is_whole(n_next) or n_next < 0:
            raise ValueError(
                f"n_next is {n_next!r}: evaluate proposes a whole number of columns, at least 0"
            )
        positions = self._listed(columns)
        listed = self._with_support(positions)
        nodes = np.flatnonzero(np.isin(self.nodes_, positions))
        names = self._column_names()
        lacking = listed.representative_[self.nodes_] < 0
        isolated = self._ranking.isolated
        isolated = np.zeros_like(lacking) if isolated is None else isolated & lacking
        additions = self._next(nodes, n_next)
        new = {one.position for one in additions}
        extended = self._with_support([*positions, *new])
        missing = [group for group in extended.groups_ if group.position in new]
        missing.sort(key=lambda group: -len(group.members))
        same, least = self._without_each(nodes)
        return Evaluation(
            names=tuple(str(names[i]) for i in positions),
            coverage=float(listed.explained_[self.nodes_].mean()),
            random=self.random_lists(
                min(len(positions), len(self.nodes_)),
                n_lists=n_random,
                random_state=random_state,
            ),
            groups=listed.groups_,
            same=same,
            least=least,
            alone=tuple(str(names[i]) for i in self.nodes_[lacking & ~isolated]),
            isolated=tuple(str(names[i]) for i in self.nodes_[isolated]),
            next=additions,
            missing=tuple(missing),
        )

    def substitute(self, column: str | int, *, n: int = 5) -> Substitutes:
        r"""Rank what could take the place of a selected column, the rest fixed.

        A replacement explains what the lost column explained. With :math:`e_j(S)` the share of
        column j that the selected columns S explain, and G the lost column s and those it
        represents, sharing more than chance with it, the column c in the place of s loses

        .. math::
           \frac{1}{n} \sum_{j \in G} \max(0, e_j(S) - e_j(S \setminus \{s\} \cup \{c\})).

        Only columns that share with one of G more than chance are named. What c explains
        beyond what was explained before is told as well, but does not count in the order: what
        a list lacks, `evaluate` says, as what to add next.

        Parameters
        ----------
        column : str or int
            Name or position of a selected column.
        n : int, default=5
            How many to name at most.

        Returns
        -------
        tuple of Substitute
            The least loss first; it prints itself line by line.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> selector = TopologicalFeatureSelector().fit(load_wine(as_frame=True).data)
        >>> selector.substitute("flavanoids", n=2)
        total_phenols ...
        """
        reach = self._reach("substitute")
        if not is_whole(n) or n < 1:
            raise ValueError(f"n is {n!r}: substitute names a whole number of at least 1")
        names = self._column_names()
        position = column_position(column, names.tolist())
        if not self.support_[position]:
            raise ValueError(
                f"the column {names[position]!r} is not selected: nothing to replace"
            )
        node = np.flatnonzero(self.nodes_ == position)
        if not node.size:
            raise ValueError(
                f"the column {names[position]!r} takes no part: nothing replaces it"
            )
        selected = np.flatnonzero(self.support_[self.nodes_])
        rest, n_nodes = np.setdiff1d(selected, node), len(self.nodes_)
        group = (reach.representatives(selected)[0] == node) & related_to(reach, node)
        of = np.flatnonzero(group)
        before = covered_by(reach, selected)[of]
        losses = np.maximum(before.sum() - kept_with(reach, rest, of, before), 0.0) / n_nodes
        open_ = np.setdiff1d(self._wishes.open_beside(rest), node)
        open_ = open_[related_to(reach, of)[open_]]
        place = self._ranking.place if self._ranking.place is not None else np.arange(n_nodes)
        coverage, found = coverage_by(reach, selected), []
        for other in open_[np.lexsort((place[open_], losses[open_]))][:n].tolist():
            explained = covered_by(reach, np.append(rest, other))
            lost = float(losses[other])
            gained = max(0.0, float(explained.mean()) - coverage + lost)
            at, share = int(self.nodes_[other]), float(explained[node[0]])
            found.append(
                Substitute(str(names[at]), at, lost, gained, share, str(names[position]))
            )
        return Substitutes(found)

    def extend(self, n_more: int) -> Self:
        """Select more columns, given those selected now; none is lost.

        `at` cuts the ranking of the fit at another size; `extend` ranks the other columns anew,
        given the selection as it is, whatever it was cut to or forced by.

        Parameters
        ----------
        n_more : int
            How many more.

        Returns
        -------
        estimator
            A fitted copy; this one stays as it is.
        """
        check_is_fitted(self)
        if not is_whole(n_more) or n_more < 1:
            raise ValueError(f"extend takes a whole number of at least 1; got {n_more!r}")
        now = np.flatnonzero(self.support_)
        n = self.n_features_in_
        if n_more > n - len(now):
            raise ValueError(
                f"{n_more} more columns are asked for, but {len(now)} of {n} are selected: ask "
                f"for at most {n - len(now)}"
            )
        other = copy.copy(self)
        other._rank_given(now, int(n_more))  # noqa: SLF001
        return other.at(len(now) + int(n_more))

    def random_lists(
        self, size: int | None = None, *, n_lists: int = 200, random_state: Any = 0
    ) -> RandomLists:
        """Tell the coverage of random lists of a size.

        Parameters
        ----------
        size : int, optional
            How many columns; by default as many as are selected.
        n_lists : int, default=200
            How many lists to draw.
        random_state : int, RandomState or None, default=0
            Draws them.

        Returns
        -------
        RandomLists
        """
        reach = self._reach("random_lists")
        n = len(self.nodes_)
        size = int(self.support_[self.nodes_].sum()) if size is None else size
        whole = is_whole(size) and is_whole(n_lists)
        if not whole or not 0 <= size <= n or n_lists < 1:
            raise ValueError(
                f"{n_lists!r} random lists of {size!r} columns are asked for; give whole numbers: "
                f"at least one list, and a size from 0 to {n}"
            )
        generator = check_random_state(random_state)
        lists = [generator.permutation(n)[:size] for _ in range(n_lists)]
        if hasattr(reach, "coverages"):
            covered = reach.coverages(lists)
        else:
            covered = np.array([coverage_by(reach, some) for some in lists])
        low, high = np.quantile(covered, [0.025, 0.975])
        return RandomLists(float(covered.mean()), float(low), float(high), n_lists)

    def _listed(self, columns: Iterable[str | int] | None) -> Ints:
        self._reach("evaluate")
        if columns is None:
            return np.flatnonzero(self.support_)
        names = self._known_names()
        found = resolve_columns(columns, names, self.n_features_in_, what="columns")
        if not found.size:
            raise ValueError("the list is empty: give at least one column to judge")
        return found

    def _with_support(self, positions: Ints | list[int]) -> Self:
        """A copy that selects some columns."""
        other = copy.copy(self)
        other.support_ = np.zeros(self.n_features_in_, dtype=np.bool_)
        other.support_[positions] = True
        return other

    def _ranking_given(self, nodes: Ints, n_more: int) -> Ranking:
        """Rank the other nodes given some, at least so many of them exactly."""
        wishes = self._wishes.given(nodes, n_wanted=len(nodes) + n_more)
        return self.rule_.again(self._ranking, wishes)

    def _rank_given(self, positions: Ints, n_more: int) -> None:
        """Rank the other columns given some, at least so many of them exactly."""
        chosen = np.flatnonzero(np.isin(self.nodes_, positions))
        self._ranking = self._greedy = self._ranking_given(chosen, n_more)
        self._wishes = self._wishes.given(chosen)
        order, scores, forced = self._ranking.order, self._ranking.scores, self.forced_
        self._rank_and_select(len(positions), positions, order, scores, self.nodes_)
        # Selected before, but by nobody's wish.
        self.forced_ = forced

    def _next(self, nodes: Ints, n_next: int) -> tuple[Addition, ...]:
        """The columns that a ranking given some would take next."""
        ranking = self._ranking_given(nodes, n_next)
        names = self._column_names()
        following = ranking.order[len(nodes) : min(ranking.n_selectable, len(nodes) + n_next)]
        return tuple(
            Addition(str(names[self.nodes_[v]]), int(self.nodes_[v]), float(ranking.scores[v]))
            for v in following.tolist()
        )

    def _without_each(self, nodes: Ints) -> tuple[tuple[SamePair, ...], tuple[Addition, ...]]:
        """Columns of a list that others of it explain, and those that add least beyond them."""
        reach, names = self._reach("evaluate"), self._column_names()
        n_nodes = len(self.nodes_)
        whole = n_nodes * coverage_by(reach, nodes)
        same: dict[frozenset[int], SamePair] = {}
        adds: list[Addition] = []
        for node in nodes.tolist():
            rest = nodes[nodes != node]
            place, (other, share) = int(self.nodes_[node]), _best_among(reach, rest, node)
            without = n_nodes * coverage_by(reach, rest)
            adds.append(Addition(str(names[place]), place, float(whole - without)))
            if other >= 0 and share >= SAME:
                pair = SamePair(adds[-1].name, str(names[self.nodes_[other]]), share)
                same.setdefault(frozenset((node, other)), pair)
        alike = tuple(sorted(same.values(), key=lambda pair: -pair.share))
        return alike, tuple(sorted(adds, key=lambda one: one.adds)[:10])


def _best_among(reach: Any, others: Ints, node: int) -> tuple[int, float]:
    """The one of some nodes that explains most of another, and how much; -1: none does."""
    if not hasattr(reach, "shares"):
        representative, share = reach.representatives(others)
        return int(representative[node]), float(share[node])
    if not len(others):
        return -1, 0.0
    shares = reach.shares(others, slice(node, node + 1))[0]
    return int(others[shares.argmax()]), float(shares.max())
