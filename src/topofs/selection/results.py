"""Queries on a fit: representatives, explanations, ratings of lists, columns to add.

`FittedSelection` has the queries, `topofs.selection.answers` the answers. All queries use the
coverage model of the ranking, `Ranking.coverage_model`, which a rule with groups gives. Nodes
are the columns that take part; `nodes_` gives their positions.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from topofs.constraints import column_position, resolve_columns, size_of
from topofs.graphs.filtered_graph import FilteredGraph
from topofs.notebook import groups_html
from topofs.selection.answers import (
    Addition,
    Evaluation,
    Explanation,
    Group,
    Member,
    Neighbor,
    RandomLists,
    Representation,
    SamePair,
    Substitute,
    Substitutes,
    fitted_similarity,
    relevance_in_words,
    with_correlations,
)
from topofs.selection.base import RankingSelector
from topofs.terms import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topofs.constraints import Constraints
    from topofs.rules.base import CoverageModel, Ranking, Rule, RunningGroups
    from topofs.similarity.base import Measure
    from topofs.similarity.relevance import ColumnRelevance
    from topofs.typing import Doubles, Ints

SAME = 0.8
"""Two columns of a list are redundant if one explains this share of the other."""


class FittedSelection(RankingSelector):
    """The queries of a fitted selector; its fit sets the attributes."""

    nodes_: Ints
    similarity_: Measure
    rule_: Rule
    excluded_: Ints
    rare_: Ints
    min_carriers_: int
    _graph: FilteredGraph | None
    _ranking: Ranking
    _greedy: Ranking
    _constraints: Constraints
    _relevance: ColumnRelevance | None = None
    _limited: bool
    _n_demanded: int
    _n_outside: int  # forced columns that do not vary; they are selected as well
    _budget: float | None

    @property
    def graph_(self) -> FilteredGraph:
        """The graph that the columns were ranked by."""
        check_is_fitted(self)
        if self._graph is None:
            ranked = (
                f"n_features_to_select={self.n_features_to_select!r}"
                if size_of(self.n_features_to_select).redundant_from is not None
                else f"rule {self.rule_.name!r}"
            )
            raise AttributeError(f"there is no graph_: {ranked} ranks columns without a graph")
        return self._graph

    def signed_graph(self, X: Any) -> FilteredGraph:
        """Give `graph_` with the correlation along each edge, which has a sign.

        The correlation is Pearson's or Spearman's, as the measure of the fit. `graph_` itself
        does not hold it, so that its memory does not grow.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable
            What it was fitted on.

        Returns
        -------
        FilteredGraph
            With `correlations`.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> graph = TopologicalFeatureSelector(4, graph="mst").fit(X).signed_graph(X)
        >>> graph.weights.round(2).tolist()[:3], graph.correlations.round(2).tolist()[:3]
        ([0.3, 0.41, 0.32], [0.55, 0.64, -0.56])
        """
        graph = self.graph_
        signed = with_correlations(graph, fitted_similarity(self, X))
        if signed.correlations is None:
            raise ValueError(
                f"similarity {self.similarity_.name!r} has no sign: fit with similarity "
                "'pearson' or 'spearman'"
            )
        return signed

    @property
    def strength_(self) -> Doubles:
        """The sum of the weights of each column's links; 0 without a graph."""
        check_is_fitted(self)
        strength = np.zeros(self.n_features_in_)
        if self._graph is not None:
            strength[self.nodes_] = self._graph.strength()
        return strength

    @property
    def relevance_(self) -> Doubles:
        """The relevance of each column; 0 where chance explains it."""
        check_is_fitted(self)
        if self._relevance is None:
            raise AttributeError("relevance_ is there only after a fit with relevance=")
        relevance = np.zeros(self.n_features_in_)
        relevance[self.nodes_] = self._relevance.proven
        return relevance

    @property
    def relevance_target(self) -> str | None:
        """The target of which the relevance is a share; None if there is none."""
        return None if self._relevance is None else self._relevance.target

    @property
    def n_selectable_(self) -> int:
        """Largest number of columns that the constraints allow together."""
        check_is_fitted(self)
        if not self._limited:
            return self.n_features_in_
        return self._ranking.n_selectable + self._n_outside

    @property
    def n_demanded_(self) -> int:
        """Number of columns that are always selected, by `keep` and `at_least`."""
        check_is_fitted(self)
        return self._n_demanded

    @property
    def has_groups(self) -> bool:
        """Whether selected columns represent others by the rule of the fit."""
        check_is_fitted(self)
        return self._ranking.coverage_model is not None

    @property
    def coverage_(self) -> Doubles:
        """Share of the varying columns that the first 1, 2, … of the ranking represent."""
        self._require_groups("coverage_")
        return self._ranking.curve

    @property
    def isolated_(self) -> Ints:
        """Positions of the columns with no neighbour above the noise floor, ascending."""
        check_is_fitted(self)
        if self._ranking.isolated is None:
            raise AttributeError(_only_with_groups("isolated_"))
        return self.nodes_[self._ranking.isolated]

    @property
    def representative_(self) -> Ints:
        """Position of the selected column that represents each column; -1: none."""
        return self._representatives("representative_")[0]

    @property
    def shares_(self) -> Doubles:
        """The share of each column's variance that its representative explains."""
        return self._representatives("shares_")[1]

    @property
    def explained_(self) -> Doubles:
        """The share of each column's variance that all selected columns explain together.

        If the rule does not compute it, this is the share of the representative.
        """
        share = np.zeros(self.n_features_in_)
        share[self.nodes_] = self._require_groups("explained_").explained(
            self._selected_nodes()
        )
        share[self.support_] = 1.0
        return share

    @property
    def groups_(self) -> tuple[Group, ...]:
        """The selected columns, best first, each with the columns it represents."""
        representative, share = self._representatives("groups_")
        names = self._column_names()
        members: dict[int, list[Member]] = {
            i: [] for i in np.flatnonzero(self.support_).tolist()
        }
        for column in np.argsort(-share, kind="stable").tolist():
            by = int(representative[column])
            if by not in (-1, column):
                members[by].append(Member(names[column], column, float(share[column])))
        return tuple(
            Group(names[column], column, int(self.ranking_[column]), tuple(members[column]))
            for column in sorted(members, key=self.ranking_.__getitem__)
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
        # A selected column that takes no part represents no column.
        ends = np.column_stack([members, np.searchsorted(nodes, representative[members])])
        labels = self._column_names()[nodes].tolist()
        return FilteredGraph(len(nodes), ends, self.shares_[nodes[members]], labels=labels)

    def annotate(self, adata: Any) -> None:
        """Write the selection into the annotation of the genes of an AnnData object.

        `adata.var` gets ``selected``, ``rank`` and, with a rule that has groups,
        ``representative`` (empty for a gene that is alone) and ``share``.

        Parameters
        ----------
        adata : AnnData
            With the genes that the selector was fitted to.
        """
        check_is_fitted(self)
        self._check_same_columns(adata.var_names)
        adata.var["selected"] = self.support_
        adata.var["rank"] = self.ranking_
        if self.has_groups:
            names = np.append(self._column_names(), "")
            adata.var["representative"] = names[self.representative_]
            adata.var["share"] = self.shares_

    def explain(self, feature: str | int) -> Explanation:
        """Explain why a feature was or was not selected.

        Parameters
        ----------
        feature : str or int
            Name or position of a column.

        Returns
        -------
        Explanation
            Score, rank, neighbours, representative and represented columns; print it to read
            it.

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
        takes_part = column in self.nodes_
        same = int((self.scores_[self.nodes_] == score).sum()) - 1 if takes_part else 0
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
            neighbors=self._neighbors(column) if takes_part else (),
            left_out=self._left_out.get(column),
            representation=self._representation(column) if self.has_groups else None,
            excluded=column in self.excluded_,
            **self._relevance_of(column),
            demanded_group=self._demanded_group(column),
        )

    def _demanded_group(self, column: int) -> str | None:
        """The group of a selected column, if all its selected columns are demanded."""
        if self.at_least is None or not self.support_[column]:
            return None
        group, labels = self.at_least.groups(self._column_names().tolist())
        number = group[column]
        if number < 0 or (group[self.support_] == number).sum() > self.at_least.number:
            return None
        return str(labels[number])

    def _relevance_of(self, column: int) -> dict[str, Any]:
        """The relevance of a column, and the same in words; empty without relevance."""
        if self._relevance is None:
            return {}
        value = float(self.relevance_[column])
        words = relevance_in_words(value, self.relevance_target)
        return {"relevance": value, "relevance_words": words}

    def _neighbors(self, column: int) -> tuple[Neighbor, ...]:
        """The neighbours of a column in the graph, strongest first."""
        if self._graph is None:
            return ()
        names, adjacency = self._column_names(), self._graph.to_scipy()
        node = int(np.searchsorted(self.nodes_, column))
        row = slice(adjacency.indptr[node], adjacency.indptr[node + 1])
        found = [
            Neighbor(names[other], float(weight), bool(self.support_[other]))
            for other, weight in zip(
                self.nodes_[adjacency.indices[row]], adjacency.data[row], strict=True
            )
        ]
        return tuple(sorted(found, key=lambda neighbor: -neighbor.weight))

    def _representation(self, column: int) -> Representation:
        """The representative of a column, and the columns that it represents."""
        representative, share = self._representatives("representative_")
        names, isolated = self._column_names(), self._ranking.isolated
        members = np.setdiff1d(np.flatnonzero(representative == column), column)
        members = members[np.argsort(-share[members], kind="stable")]
        by = int(representative[column])
        path: tuple[str, ...] = ()
        if by not in (-1, column):
            ends = np.searchsorted(self.nodes_, [by, column]).tolist()
            path = tuple(
                names[self.nodes_[self._require_groups("representative_").path(*ends)]]
            )
        return Representation(
            representative=names[by] if by >= 0 else None,
            share=float(share[column]),
            path=path,
            members=tuple((names[member], float(share[member])) for member in members),
            isolated=isolated is not None and column in self.nodes_[isolated],
            together=float(self.explained_[column]),
            relevance=tuple(
                self._relevance_of(other)["relevance_words"]
                for other in (by, *members.tolist())
                if self._relevance is not None
            ),
        )

    def evaluate(
        self,
        columns: Iterable[str | int] | None = None,
        *,
        same: float | None = None,
        network: FilteredGraph | None = None,
        n_next: int = 10,
        n_random: int = 200,
        random_state: Any = 0,
    ) -> Evaluation:
        """Rate any list of columns.

        Parameters
        ----------
        columns : iterable of str or int, optional
            Names, patterns or positions; by default the selected ones.
        same : float, optional
            Two columns of the list say the same if their absolute topological overlap is above
            it (`FilteredGraph.topological_overlap`). 0.25 is usual for partial correlations.
            By default they do if one explains 80 % of the other.
        network : FilteredGraph, optional
            The network of the overlaps, such as
            ``LoGoCovariance().fit(X).partial_correlations()``; by default `graph_`.
        n_next : int, default=10
            Number of columns to propose, and number of missing groups to list.
        n_random : int, default=200
            Number of random lists for comparison.
        random_state : int, RandomState or None, default=0
            Draws them.

        Returns
        -------
        Evaluation
            Its text form is a few lines.

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
        self._require_groups("evaluate")
        positions = np.flatnonzero(self.support_)
        if columns is not None:
            positions = resolve_columns(
                columns, self._names_given, self.n_features_in_, what="columns"
            )
            if not positions.size:
                raise ValueError("the list is empty: give at least one column to judge")
        listed = self._with_support(positions)
        nodes, names = listed._selected_nodes(), self._column_names()  # noqa: SLF001
        lacking = listed.representative_[self.nodes_] < 0
        isolated = self._ranking.isolated
        isolated = np.zeros_like(lacking) if isolated is None else isolated & lacking
        additions = self._next(nodes, n_next)
        new = [one.position for one in additions]
        extended = self._with_support([*positions, *new])
        missing = [group for group in extended.groups_ if group.position in new]
        alike, least = self._without_each(nodes)
        if same is not None or network is not None:
            alike = self._overlapping(nodes, same, network)
        held = listed.relevance_held(n_lists=n_random, random_state=random_state)
        return Evaluation(
            names=tuple(str(names[i]) for i in positions),
            coverage=float(listed.explained_[self.nodes_].mean()),
            random=self.random_lists(
                min(len(positions), len(self.nodes_)),
                n_lists=n_random,
                random_state=random_state,
            ),
            groups=listed.groups_,
            same=alike,
            least=least,
            alone=tuple(str(names[i]) for i in self.nodes_[lacking & ~isolated]),
            isolated=tuple(str(names[i]) for i in self.nodes_[isolated]),
            next=additions,
            missing=tuple(sorted(missing, key=lambda group: -len(group.members))),
            relevance=None if held is None else held[0],
            random_relevance=None if held is None else held[1],
            target=self.relevance_target,
        )

    def relevance_held(
        self, *, n_lists: int = 200, random_state: Any = 0
    ) -> tuple[float, RandomLists] | None:
        """Tell how much of the relevance of all columns the selected ones hold.

        Each column counts by its relevance and by the share of it that the selection represents.

        Parameters
        ----------
        n_lists : int, default=200
            Number of random lists.
        random_state : int, RandomState or None, default=0
            Draws them.

        Returns
        -------
        share : float
            In [0, 1].
        random : RandomLists
            The same for random lists of the size of the selection. Instead of both None, without
            relevance, or if no column has any.
        """
        model = self._require_groups("relevance_held")
        if self._relevance is None or not self._relevance.proven.any():
            return None
        weights, nodes = self._relevance.proven, self._selected_nodes()
        held = float(np.average(model.explained(nodes), weights=weights))
        return held, self._random_lists(len(nodes), n_lists, random_state, weights=weights)

    def _next(self, nodes: Ints, n_next: int) -> tuple[Addition, ...]:
        """The next columns of a ranking, given some columns."""
        ranking, names = self._ranking_given(nodes, n_next), self._column_names()
        following = ranking.order[len(nodes) : min(ranking.n_selectable, len(nodes) + n_next)]
        return tuple(
            Addition(str(names[self.nodes_[v]]), int(self.nodes_[v]), float(ranking.scores[v]))
            for v in following.tolist()
        )

    def _without_each(self, nodes: Ints) -> tuple[tuple[SamePair, ...], tuple[Addition, ...]]:
        """Redundant columns of a list, and the columns with the least gain."""
        model = self._require_groups("evaluate")
        names, n_nodes = self._column_names(), len(self.nodes_)
        whole = n_nodes * model.coverage(nodes)
        same: dict[frozenset[int], SamePair] = {}
        adds: list[Addition] = []
        for node in nodes.tolist():
            rest, place = nodes[nodes != node], int(self.nodes_[node])
            without = n_nodes * model.coverage(rest)
            adds.append(Addition(str(names[place]), place, float(whole - without)))
            other, share = model.representative_of(node, rest)
            if other >= 0 and share >= SAME:
                pair = SamePair(adds[-1].name, str(names[self.nodes_[other]]), share)
                same.setdefault(frozenset((node, other)), pair)
        alike = tuple(sorted(same.values(), key=lambda pair: -pair.share))
        return alike, tuple(sorted(adds, key=lambda one: one.adds)[:10])

    def _overlapping(
        self, nodes: Ints, least: Any, network: FilteredGraph | None
    ) -> tuple[SamePair, ...]:
        """Pairs of columns of a list whose topological overlap is above a level."""
        number = isinstance(least, (int, float, np.number)) and not isinstance(least, bool)
        if not (number and 0 <= least < 1):
            raise ValueError(
                f"same is {least!r}; give the overlap above which two columns say the same, a "
                "number in [0, 1), such as 0.25"
            )
        if network is None and self._graph is None:
            raise ValueError(
                f"same needs a network, and rule {self.rule_.name!r} ranks without a graph: give "
                "network=, or use rule 'coverage'"
            )
        network, places = self.graph_ if network is None else network, nodes
        if network.n_nodes == self.n_features_in_:
            places = self.nodes_[nodes]
        elif network.n_nodes != len(self.nodes_):
            raise ValueError(
                f"the network has {network.n_nodes} nodes, and the selector was fitted on "
                f"{self.n_features_in_} columns: give the network of these columns"
            )
        model, names = self._require_groups("evaluate"), self._column_names()
        found = network.topological_overlap()[places][:, places]
        found = sparse.triu(found, 1, format="coo")
        pairs = []
        for i, j, overlap in zip(found.row, found.col, found.data.tolist(), strict=True):
            if abs(overlap) > least:
                _, share = model.representative_of(int(nodes[i]), nodes[[j]])
                name, other = (str(names[self.nodes_[nodes[end]]]) for end in (i, j))
                pairs.append(SamePair(name, other, share, overlap))
        return tuple(sorted(pairs, key=lambda pair: -abs(pair.overlap or 0.0)))

    def substitute(self, column: str | int, *, n: int = 5) -> Substitutes:
        r"""Rank the replacements of a selected column, with the other columns fixed.

        A replacement should explain what the lost column explained. Let :math:`e_j(S)` be the
        share of column j that the selected columns S explain. Let G be the lost column s and
        the columns that it represents and shares more than chance with. The loss of column c in
        the place of s is

        .. math::
           \frac{1}{n} \sum_{j \in G} \max(0, e_j(S) - e_j(S \setminus \{s\} \cup \{c\})).

        Only columns that share more than chance with a column of G are listed. The additional
        variance that c explains is given, too, but does not affect the order: `evaluate` lists
        the columns to add.

        Parameters
        ----------
        column : str or int
            Name or position of a selected column.
        n : int, default=5
            Largest number of replacements.

        Returns
        -------
        tuple of Substitute
            The least loss first; its text form has one line per replacement.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> selector = TopologicalFeatureSelector().fit(load_wine(as_frame=True).data)
        >>> selector.substitute("flavanoids", n=2)
        total_phenols ...
        """
        model = self._require_groups("substitute")
        if not is_whole(n) or n < 1:
            raise ValueError(f"n is {n!r}: substitute names a whole number of at least 1")
        names, nodes, n_nodes = self._column_names(), self.nodes_, len(self.nodes_)
        position = column_position(column, names.tolist())
        replaces = str(names[position])
        if not self.support_[position]:
            raise ValueError(f"the column {replaces!r} is not selected: nothing to replace")
        node = np.flatnonzero(nodes == position)
        if not node.size:
            raise ValueError(f"the column {replaces!r} takes no part: nothing replaces it")
        selected = self._selected_nodes()
        rest = np.setdiff1d(selected, node)
        of = np.flatnonzero(
            (model.representatives(selected)[0] == node) & model.neighbors(node)
        )
        before = model.explained(selected)[of]
        losses = np.maximum(before.sum() - model.retained(rest, of, before), 0.0) / n_nodes
        open_ = np.setdiff1d(self._constraints.may_replace(node, rest), node)
        open_ = open_[model.neighbors(of)[open_]]
        tie_rank = self._ranking.tie_rank
        tie_rank = np.arange(n_nodes) if tie_rank is None else tie_rank
        coverage, found = model.coverage(selected), []
        for other in open_[np.lexsort((tie_rank[open_], losses[open_]))][:n].tolist():
            explained = model.explained(np.append(rest, other))
            at, lost = int(nodes[other]), float(losses[other])
            gained = max(0.0, float(explained.mean()) - coverage + lost)
            share = float(explained[node[0]])
            says = self._relevance_of(at)
            found.append(Substitute(str(names[at]), at, lost, gained, share, replaces, **says))
        return Substitutes(found)

    def extend(self, n_more: int) -> Self:
        """Select more columns and keep all selected ones.

        `at` cuts the ranking of the fit at another size. `extend` ranks the other columns
        again, given the current selection.

        Parameters
        ----------
        n_more : int
            Number of columns to add.

        Returns
        -------
        estimator
            A fitted copy; this estimator is not changed.
        """
        check_is_fitted(self)
        if not is_whole(n_more) or n_more < 1:
            raise ValueError(f"extend takes a whole number of at least 1; got {n_more!r}")
        now, n = np.flatnonzero(self.support_), self.n_features_in_
        if n_more > n - len(now):
            raise ValueError(
                f"{n_more} more columns are asked for, but {len(now)} of {n} are selected: ask "
                f"for at most {n - len(now)}"
            )
        other, selected = copy.copy(self), self._selected_nodes()
        ranking = self._ranking_given(selected, int(n_more))
        other._constraints = self._constraints.with_forced(selected)  # noqa: SLF001
        other._ranking = other._greedy = ranking  # noqa: SLF001
        other._put_in_order(ranking.order, ranking.scores, self.nodes_, first=now)  # noqa: SLF001
        return other.at(len(now) + int(n_more))

    def random_lists(
        self, size: int | None = None, *, n_lists: int = 200, random_state: Any = 0
    ) -> RandomLists:
        """Give the coverage of random lists of a size.

        In large tables with large groups (see `Links`), coverage is measured on a random sample
        of 2,048 columns. Its standard error is below 0.011.

        Parameters
        ----------
        size : int, optional
            Number of columns; by default that of the selection.
        n_lists : int, default=200
            Number of lists.
        random_state : int, RandomState or None, default=0
            Draws them.

        Returns
        -------
        RandomLists
        """
        self._require_groups("random_lists")
        n = len(self.nodes_)
        size = len(self._selected_nodes()) if size is None else size
        whole = is_whole(size) and is_whole(n_lists)
        if not whole or not 0 <= size <= n or n_lists < 1:
            raise ValueError(
                f"{n_lists!r} random lists of {size!r} columns are asked for; give whole numbers: "
                f"at least one list, and a size from 0 to {n}"
            )
        return self._random_lists(size, n_lists, random_state)

    def _random_lists(
        self, size: int, n_lists: int, random_state: Any, weights: Doubles | None = None
    ) -> RandomLists:
        """The coverage of random lists, with `weights` a weighted mean."""
        generator, n = check_random_state(random_state), len(self.nodes_)
        lists = [generator.permutation(n)[:size] for _ in range(n_lists)]
        model = self._require_groups("random_lists")
        covered = model.coverages(lists, weights=weights, sampled_by=generator)
        low, high = np.quantile(covered, [0.025, 0.975])
        return RandomLists(float(covered.mean()), float(low), float(high), n_lists)

    def _selection_html(self) -> str:
        """HTML for a notebook: a short list of the groups, if any."""
        if not self.__sklearn_is_fitted__() or not self.has_groups:
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

    def _require_groups(self, wanted: str) -> CoverageModel:
        """The coverage model of the ranking; AttributeError without one."""
        check_is_fitted(self)
        if self._ranking.coverage_model is None:
            raise AttributeError(_only_with_groups(wanted))
        return self._ranking.coverage_model

    def _representatives(self, wanted: str) -> tuple[Ints, Doubles]:
        """Representative of each column and its share; columns not in the graph have none."""
        found, shares = self._require_groups(wanted).representatives(self._selected_nodes())
        representative = np.full(self.n_features_in_, -1, dtype=np.int64)
        share = np.zeros(self.n_features_in_)
        representative[self.nodes_] = np.where(found >= 0, self.nodes_[found], -1)
        share[self.nodes_] = shares
        # A constant column may be selected: forced, or more columns requested than vary.
        selected = np.flatnonzero(self.support_)
        representative[selected] = selected
        share[selected] = 1.0
        return representative, share

    def _ranking_given(self, nodes: Ints, n_more: int) -> Ranking:
        """Rank the other nodes given some nodes, with at least `n` of them in exact order."""
        constraints = self._constraints.with_forced(nodes, n_wanted=len(nodes) + n_more)
        return self.rule_.rerank(self._ranking, constraints)

    def _with_support(self, positions: Ints | list[int]) -> Self:
        """A copy that selects some columns."""
        other = copy.copy(self)
        other.support_ = np.zeros(self.n_features_in_, dtype=np.bool_)
        other.support_[positions] = True
        return other

    def _selected_nodes(self) -> Ints:
        return np.flatnonzero(self.support_[self.nodes_])


def running_groups(selector: FittedSelection) -> RunningGroups:
    """The representatives while the nodes of a fit are selected one by one, best first."""
    order = np.argsort(selector.ranking_[selector.nodes_])
    n_exact = selector._ranking.exact  # noqa: SLF001 - of the same file
    return selector._require_groups("running_groups").running(order, n_exact)  # noqa: SLF001


def _only_with_groups(wanted: str) -> str:
    return f"{wanted} is there only after a fit by a rule with groups, as rule='coverage'"
