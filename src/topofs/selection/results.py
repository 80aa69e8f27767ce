"""Who represents whom: the selected columns and the groups around them.

Questions about a list of columns: how good it is, what to add, what replaces one of it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from topofs.constraints import Budget, MinShare, UntilCoverage, column_position, resolve_columns
from topofs.errors import IsolatedFeatureWarning, NoStructureWarning, say
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.notebook import groups_html
from topofs.rules.base import coverage_by, covered_by, kept_with, related_to
from topofs.selection.answers import (
    Addition,
    Evaluation,
    Explanation,
    Neighbor,
    RandomLists,
    Representation,
    SamePair,
    Substitute,
    Substitutes,
)
from topofs.selection.base import RankingSelector
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs.constraints import Constraints
    from topofs.rules.base import CoverageModel, Ranking, Rule, RunningGroups
    from topofs.selection.reading import RareColumns


__all__ = ["Group", "Member", "PanelSelector", "RepresentingSelector", "running_groups"]


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
    _wishes: Constraints
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
            constraints = replace(self._wishes, n_wanted=size)
            other._greedy = self.rule_.again(self._greedy, constraints)  # noqa: SLF001
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
            limit, advice = "under the constraints", "wish for less"
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
            f"the constraints leave none of the {len(self.nodes_)} columns that vary to select"
            f"{and_kept}: exclude fewer, or allow more"
        )

    def _n_forced_outside(self) -> int:
        """How many forced columns do not vary: they are selected beside those that do."""
        return len(np.setdiff1d(self.forced_, self.nodes_))

    @property
    def n_selectable_(self) -> int:
        """How many columns can be selected together: all, unless constraints set a limit."""
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

    def _reach(self, wanted: str) -> CoverageModel:
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
        constraints = self._wishes.given(nodes, n_wanted=len(nodes) + n_more)
        return self.rule_.again(self._ranking, constraints)

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
