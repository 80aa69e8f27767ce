"""Who represents whom: the selected columns and the groups around them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from topofs.errors import IsolatedFeatureWarning, NoStructureWarning
from topofs.graph import FilteredGraph
from topofs.notebook import groups_html
from topofs.rules.rule import covered_by
from topofs.selection.explanation import Explanation, Neighbor, Representation
from topofs.selection.ranking_selector import RankingSelector
from topofs.selection.saying import say
from topofs.selection.sizes import Budget, MinShare, UntilCoverage
from topofs.selection.subset_size import column_position

if TYPE_CHECKING:
    from topofs.rules.rule import Ranking, Reach, Rule
    from topofs.rules.running_groups import RunningGroups
    from topofs.rules.wishes import Wishes
    from topofs.selection.reading import RareColumns

__all__ = ["Group", "Member", "RepresentingSelector", "running_groups"]

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


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


class RepresentingSelector(RankingSelector):
    """Base of a selector whose rule may have groups: what can be said after its fit."""

    nodes_: Ints
    rule_: Rule
    _ranking: Ranking
    _greedy: Ranking
    excluded_: Ints
    _wishes: Wishes
    _limited: bool
    _rare: RareColumns
    _budget: float | None
    _graph: FilteredGraph | None

    @property
    def graph_(self) -> FilteredGraph:
        """The graph that the columns were ranked by."""
        check_is_fitted(self)
        if self._graph is None:
            ranked = (
                f"n_features_to_select={self.n_features_to_select!r}"
                if isinstance(self.n_features_to_select, MinShare)
                else f"rule {self.rule_.name!r}"
            )
            raise AttributeError(f"there is no graph_: {ranked} ranks columns without a graph")
        return self._graph

    @property
    def strength_(self) -> Doubles:
        """The sum of the weights of each column's links; 0 where there is no graph."""
        check_is_fitted(self)
        strength = np.zeros(self.n_features_in_)
        if self._graph is not None:
            strength[self.nodes_] = self._graph.strength()
        return strength

    def at(self, n_features_to_select: float | str | None) -> Self:
        """Cut the same ranking at another size, without fitting again.

        Parameters
        ----------
        n_features_to_select : int, float, str or None
            As in the constructor.

        Returns
        -------
        estimator
            A fitted copy; this one stays as it is. The copy shares its fitted arrays.
        """
        check_is_fitted(self)
        greedy = copy.copy(self)
        if self._greedy is not self._ranking:
            greedy._put_in_order(self._greedy)  # noqa: SLF001
        other = super(RepresentingSelector, greedy).at(n_features_to_select)
        size, exact = other.n_features_, self._greedy.exact
        if exact is not None and size > exact:
            wishes = replace(self._wishes, n_wanted=size)
            other._greedy = self.rule_.again(self._greedy, wishes)  # noqa: SLF001
            other._put_in_order(other._greedy)  # noqa: SLF001
            # By whole rows fewer may reach a coverage.
            wanted = None if isinstance(n_features_to_select, UntilCoverage) else size
            other.support_ = other._support(wanted)  # noqa: SLF001
        other._refine()  # noqa: SLF001
        return other

    def _refine(self) -> None:
        """Let the rule improve what was selected by its greedy ranking."""
        self._greedy = ranking = self._ranking
        selected = np.flatnonzero(self.support_[self.nodes_])
        # By MinShare there is no graph, and the rule plays no part.
        if self._graph is None or not len(selected):
            return
        wanted, worth = self.n_features_to_select, None
        if isinstance(wanted, str):
            worth = 1
        elif isinstance(wanted, Budget):
            worth = 0
        refined = self.rule_.refined(ranking, self._wishes, selected, worth)
        if refined is not ranking:
            self._put_in_order(refined)
            self.support_ = self.support_.copy()
            self.support_[self.nodes_] = False
            self.support_[self.nodes_[refined.order[: refined.end]]] = True

    def _put_in_order(self, ranking: Ranking) -> None:
        """Take the order and the scores of a ranking; the selected columns stay."""
        self._ranking = ranking
        self._set_ranking(self.forced_, ranking.order, ranking.scores, self.nodes_)

    @property
    def coverage_(self) -> Doubles:
        """Share of the varying columns that the first 1, 2, … of the ranking represent."""
        self._reach("coverage_")
        return self._ranking.curve

    @property
    def isolated_(self) -> Ints:
        """Positions of the columns with no neighbour above the noise floor, ascending."""
        check_is_fitted(self)
        if self._ranking.isolated is None:
            raise AttributeError(self._only_by_some_rules("isolated_"))
        return self.nodes_[self._ranking.isolated]

    @property
    def rare_(self) -> Ints:
        """Positions of the columns that too few samples carry."""
        check_is_fitted(self)
        return self._rare.positions

    @property
    def min_carriers_(self) -> int:
        """How many samples must carry a column."""
        check_is_fitted(self)
        return self._rare.least

    @property
    def representative_(self) -> Ints:
        """Position of the selected column that represents each column; -1: none does."""
        return self._representatives("representative_")[0]

    @property
    def shares_(self) -> Doubles:
        """The share of each column's variance that its representative explains."""
        return self._representatives("shares_")[1]

    @property
    def explained_(self) -> Doubles:
        """The share of each column's variance that all selected columns explain together.

        Where the rule does not tell, that is the share of the representative.
        """
        reach = self._reach("explained_")
        share = np.zeros(self.n_features_in_)
        share[self.nodes_] = covered_by(reach, np.flatnonzero(self.support_[self.nodes_]))
        share[self.support_] = 1.0
        return share

    @property
    def groups_(self) -> tuple[Group, ...]:
        """The selected columns, best first, each with the columns it represents."""
        representative, share = self._representatives("groups_")
        names = self._column_names()
        selected = np.flatnonzero(self.support_)
        members: dict[int, list[Member]] = {int(column): [] for column in selected}
        for column in np.argsort(-share, kind="stable").tolist():
            if representative[column] >= 0 and representative[column] != column:
                member = Member(names[column], column, float(share[column]))
                members[int(representative[column])].append(member)
        return tuple(
            Group(names[column], column, int(self.ranking_[column]), tuple(members[column]))
            for column in sorted(members, key=lambda column: self.ranking_[column])
        )

    def representation_graph(self) -> FilteredGraph:
        """Join each column to the selected one that represents it, by its share.

        Returns
        -------
        FilteredGraph
            Over the columns that vary, labelled with their names.
        """
        nodes, representative = self.nodes_, self.representative_[self.nodes_]
        members = np.flatnonzero((representative >= 0) & (representative != nodes))
        # A column that is selected without taking part represents nobody.
        ends = np.column_stack([members, np.searchsorted(nodes, representative[members])])
        labels = self._column_names()[nodes].tolist()
        return FilteredGraph(len(nodes), ends, self.shares_[nodes[members]], labels=labels)

    @property
    def has_groups(self) -> bool:
        """Whether selected columns represent others, by the rule of the fit."""
        check_is_fitted(self)
        return self._ranking.reach is not None

    def _selection_html(self) -> str:
        """For a notebook: the groups in short where there are some."""
        if not self.__sklearn_is_fitted__() or self._ranking.reach is None:
            return super()._selection_html()
        groups = [
            (
                group.name,
                float(self.scores_[group.position]),
                [member.name for member in group.members],
            )
            for group in self.groups_
        ]
        isolated = self._ranking.isolated
        return groups_html(
            groups,
            n_features=self.n_features_in_,
            covered=float(self.explained_[self.nodes_].mean()),
            n_isolated=0 if isolated is None else int(isolated.sum()),
        )

    def _support(self, size: int | None) -> npt.NDArray[np.bool_]:
        """The best ranked columns, up to the size; None: as many as the ranking says."""
        size = self._size_by_ranking() if size is None else size
        most = self._most()
        if size > most:
            limit, advice = "under the wishes", "wish for less"
            if self._budget is not None and self._is_unpaid_left():
                limit = f"within the budget of {self._budget:.12g}"
                advice = "fit again with a larger Budget"
            raise ValueError(
                f"{size} columns are asked for, but only {most} can be selected together "
                f"{limit}: ask for fewer, or {advice}"
            )
        return super()._support(size)

    def _is_unpaid_left(self) -> bool:
        """Whether more columns could be selected if only more could be paid."""
        taken = self._ranking.order[: self._ranking.n_selectable]
        return len(replace(self._wishes, budget=np.inf).open_beside(taken)) > 0

    def _size_by_ranking(self) -> int:
        """As many as the ranking has to the end that was asked for."""
        ranking, wanted = self._ranking, self.n_features_to_select
        if not ranking.n_selectable and not isinstance(wanted, (Budget, MinShare)):
            raise self._none_to_select(kept=len(self.forced_) > 0)
        outside = self._n_forced_outside()
        n_chosen = len(self.forced_) - outside
        if isinstance(wanted, UntilCoverage):
            return outside + max(self._until(wanted.coverage), n_chosen)
        if isinstance(wanted, Budget):
            adds = ranking.scores[ranking.order[: ranking.n_selectable]]
            return outside + n_chosen + int((adds[n_chosen:] > 0).sum())
        assert ranking.end is not None
        return outside + ranking.end

    def _until(self, coverage: float) -> int:
        """How many nodes of the ranking represent a share of the variance of all."""
        curve = self._ranking.curve[: self._ranking.n_selectable]
        # Rounding must not ask for a column more.
        enough = np.flatnonzero(curve >= coverage - 1e-12)
        if not enough.size:
            raise ValueError(
                f"a coverage of {coverage:g} cannot be reached: all {len(curve)} columns that "
                f"may be selected represent {curve[-1]:.4g}"
            )
        return int(enough[0]) + 1

    def _none_to_select(self, *, kept: bool) -> ValueError:
        and_kept = ", and what is kept does not vary" if kept else ""
        return ValueError(
            f"the wishes leave none of the {len(self.nodes_)} columns that vary to select"
            f"{and_kept}: exclude fewer, or allow more"
        )

    def _n_forced_outside(self) -> int:
        """How many forced columns do not vary: they are selected beside those that do."""
        return len(np.setdiff1d(self.forced_, self.nodes_))

    @property
    def n_selectable_(self) -> int:
        """How many columns can be selected together: all, unless wishes set a limit."""
        check_is_fitted(self)
        return self._most()

    def _most(self) -> int:
        """All columns; under a limit, those that it allows and forced ones outside the graph."""
        if not self._limited:
            return self.n_features_in_
        return self._ranking.n_selectable + self._n_forced_outside()

    def _warn_of_isolated_columns(self) -> None:
        """Say how many columns the automatic size leaves out since they are like no other."""
        isolated = self._ranking.isolated
        # By MinShare isolated only means that nothing explains a column to that share.
        if isolated is None or isinstance(self.n_features_to_select, MinShare):
            return
        if isolated.all() and len(isolated) > 1:
            self._warn_without_structure(len(isolated))
            return
        left_out = np.setdiff1d(self.nodes_[isolated], np.flatnonzero(self.support_))
        n = len(np.setdiff1d(left_out, self.excluded_))
        if not n or self.n_features_to_select != "auto":
            return
        are, they, them = ("is", "it shares", "it") if n == 1 else ("are", "they share", "them")
        other = self.rule_.keeping_isolated()
        way = "" if other is None else f", and rule={other!r} selects {them}"
        say(
            f"{n} of {self.n_features_in_} columns {are} isolated: {they} with no other more "
            f"than chance explains, so the automatic size leaves {them} out; isolated_ has "
            f"{them}{way}",
            IsolatedFeatureWarning,
            depth=4,
        )

    def _warn_without_structure(self, n_columns: int) -> None:
        n, selected = self.n_features_, "all of them are selected"
        if n != n_columns:
            verb = "is" if n == 1 else "are"
            selected = f"{n} of them {verb} selected; give a number to have more"
        say(
            f"no two of the {n_columns} columns share more than chance explains: there is "
            f"nothing to choose by, and {selected}",
            NoStructureWarning,
            depth=5,
        )

    def explain(self, feature: str | int) -> Explanation:
        """Say why a feature was or was not selected.

        Parameters
        ----------
        feature : str or int
            Name or position of a column.

        Returns
        -------
        Explanation
            Score, rank, neighbours, who represents it and whom it represents; print it to
            read it.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> print(TopologicalFeatureSelector(4).fit(X).explain("proline"))
        proline is not selected.
        Rank 11 of 13 (4 selected), coverage gain 0.588952.
        alcohol represents it, with 0.411 of its variance.
        Joined to 9 features, 2 of them selected:
          alcohol  0.411  selected
          total_phenols  0.2438
          flavanoids  0.2399  selected
          alcalinity_of_ash  0.1895
          magnesium  0.1499
          proanthocyanins  0.1041
          color_intensity  0.09481
          od280/od315_of_diluted_wines  0.09269
          … and 1 weaker link
        """
        check_is_fitted(self)
        names = self._column_names()
        column = column_position(feature, names.tolist())
        score = float(self.scores_[column])
        node = np.flatnonzero(self.nodes_ == column)
        neighbors: list[Neighbor] = []
        same = 0
        if node.size:
            neighbors = self._neighbors(int(node[0]))
            same = int((self.scores_[self.nodes_] == score).sum()) - 1
        return Explanation(
            feature=names[column],
            selected=bool(self.support_[column]),
            forced=column in self.forced_,
            score=score,
            rank=int(self.ranking_[column]),
            n_features=self.n_features_in_,
            n_selected=self.n_features_,
            n_same_score=same,
            score_name=self.rule_.words.short,
            neighbors=tuple(sorted(neighbors, key=lambda neighbor: -neighbor.weight)),
            left_out=self._left_out.get(column),
            representation=self._representation(column),
            excluded=column in self.excluded_,
        )

    def _neighbors(self, node: int) -> list[Neighbor]:
        names = self._column_names()
        if self._graph is None:
            return []
        adjacency = self._graph.to_scipy()
        row = slice(adjacency.indptr[node], adjacency.indptr[node + 1])
        columns = self.nodes_[adjacency.indices[row]]
        return [
            Neighbor(names[column], float(weight), bool(self.support_[column]))
            for column, weight in zip(columns, adjacency.data[row], strict=True)
        ]

    def _representation(self, column: int) -> Representation | None:
        """Who represents a column, and whom it represents."""
        if self._ranking.reach is None:
            return None
        representative, share = self._representatives("representative_")
        names = self._column_names()
        members = np.setdiff1d(np.flatnonzero(representative == column), column)
        members = members[np.argsort(-share[members], kind="stable")]
        by = int(representative[column])
        isolated = self._ranking.isolated
        return Representation(
            representative=names[by] if by >= 0 else None,
            share=float(share[column]),
            path=self._path_to(column, by),
            members=tuple((names[member], float(share[member])) for member in members),
            isolated=isolated is not None and column in self.nodes_[isolated],
            together=float(self.explained_[column]),
        )

    def _path_to(self, column: int, representative: int) -> tuple[str, ...]:
        """Names of the columns between a column and its representative, nearest first."""
        if representative in (-1, column):
            return ()
        ends = np.searchsorted(self.nodes_, [representative, column]).tolist()
        path = self._reach("representative_").path(*ends)
        return tuple(self._column_names()[self.nodes_[path]])

    def _representatives(self, wanted: str) -> tuple[Ints, Doubles]:
        """Representative of each column and its share; columns not in the graph have none."""
        reach = self._reach(wanted)
        representative = np.full(self.n_features_in_, -1, dtype=np.int64)
        share = np.zeros(self.n_features_in_)
        found, shares = reach.representatives(np.flatnonzero(self.support_[self.nodes_]))
        representative[self.nodes_] = np.where(found >= 0, self.nodes_[found], -1)
        share[self.nodes_] = shares
        # A constant column may be selected (forced, or more are asked for than vary).
        selected = np.flatnonzero(self.support_)
        representative[selected] = selected
        share[selected] = 1.0
        return representative, share

    def _reach(self, wanted: str) -> Reach:
        check_is_fitted(self)
        if self._ranking.reach is None:
            raise AttributeError(self._only_by_some_rules(wanted))
        return self._ranking.reach

    def _only_by_some_rules(self, wanted: str) -> str:
        return f"{wanted} is there only after a fit by a rule with groups, as rule='coverage'"


def running_groups(selector: RepresentingSelector) -> RunningGroups:
    """Who represents whom while the nodes of a fit are selected one by one, best first."""
    order = np.argsort(selector.ranking_[selector.nodes_])
    n_exact = selector._ranking.exact  # noqa: SLF001 - of the same file
    return selector._reach("running_groups").running(order, n_exact)  # noqa: SLF001
