"""Topological Feature Selection as a scikit-learn estimator: its parameters, fit and sizes.

Queries on a fit are in `topofs.selection.results`, the base of all selectors in
`topofs.selection.base`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if

from topofs.backends.device_arrays import arrays_of_device, on_host
from topofs.backends.dispatch import build_network, columns_to_compare
from topofs.backends.stream import ValueMoments
from topofs.constraints import Size, resolve_constraints, resolve_size, size_of
from topofs.errors import (
    IsolatedFeatureWarning,
    NoRelevanceWarning,
    NoStructureWarning,
    say,
)
from topofs.graphs.filtered_graph import LinkGraph
from topofs.io.batches import BatchSource, batch_source, is_stream
from topofs.io.frames import column_of_obs, named_matrix
from topofs.rules.base import relevant_first, tie_breaking_ranks
from topofs.rules.centrality import Centrality
from topofs.rules.coverage import redundancy_ranking
from topofs.runtime import parse_memory
from topofs.selection.compatibility import (
    TERMS,
    check_end,
    check_terms,
    graph_for,
    measure_of,
    rule_of,
)
from topofs.selection.reading import (
    columns_that_vary,
    find_rare_columns,
    read_rows,
    read_table,
    warn_of_columns,
    warn_of_dependent_rows,
    warn_of_rare_columns,
)
from topofs.selection.results import FittedSelection
from topofs.similarity.relevance import column_relevance, relevance_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from topofs.backends.dispatch import ColumnsToCompare
    from topofs.constraints import AtLeast, AtMost, Constraints
    from topofs.graphs.base import Graph
    from topofs.network import Needs, Network
    from topofs.rules.base import Ranking, Rule
    from topofs.similarity.base import Measure
    from topofs.similarity.relevance import ColumnRelevance, Relevance
    from topofs.terms import Term


def _takes_batches(selector: TopologicalFeatureSelector) -> bool:
    """Whether rows can come one batch after the other; the error says why not."""
    if selector.relevance is not None:
        raise AttributeError(
            "partial_fit has no relevance, which compares the columns with y in all rows: give "
            "these to fit, or leave relevance out"
        )
    measure = measure_of(selector.similarity)
    if measure.products != "values":
        raise AttributeError(
            f"partial_fit has no similarity {measure.name!r}, which needs all rows at once: use "
            "'pearson', or give all rows to fit"
        )
    return True


class TopologicalFeatureSelector(FittedSelection):
    r"""Select columns that represent the others.

    The selector compares the columns, keeps the relevant links as a graph, and selects the
    columns with the largest coverage along that graph. Labels are not used. With :math:`w_{ij}`
    the variance that i and j share (below), each next column is the one that adds most to the
    coverage

    .. math:: F(S) = \sum_j \max_{i \in S} w_{ij},

    and the selection ends automatically where the next column would explain no more than
    itself. `Coverage` describes the ranking at larger sizes. `TopologicalFeatureSelector.paper`
    is the published method, which ranks by degree.

    Parameters
    ----------
    n_features_to_select : "auto", int, float or None, default="auto"
        "auto": the number that the rule determines, if it has an automatic end. (The end of
        "coverage": the columns that explain more than themselves.) Or a count, a fraction in
        (0, 1], or None for half of the columns; or `UntilCoverage`, `MinShare` (leave out only
        redundant columns) or `Budget`.
    similarity : str, Measure or callable, default="auto"
        How two columns are compared. `Auto` ("auto"): `Mixed` where columns of text,
        categories or booleans take part, else `Pearson`. Or "pearson", "spearman", "mixed",
        "mutual_information", "energy", "precomputed" (X is the n × n similarity itself), the
        name of a measure that was registered, or an object with parameters, such as
        ``Spearman(squared=False)``. A function takes the table of the columns that vary and
        returns their similarity.
    threshold : {"auto", "mean", None}, default="auto"
        "mean": set similarities below their mean to 0 in the graph, as the authors' program
        does. "auto": by the rule. Centralities use the mean. Coverage uses the noise floor
        instead; a given similarity has no noise floor, so coverage sets its entries below the
        off-diagonal mean to 0.
    graph : str or Graph, default="auto"
        The graph that the rule ranks by: `Links` ("links"), each column's strongest links above
        the noise floor; a planar or sparser filter of all pairs, "tmfg", "pmfg", "mst" or
        "mfcf"; or an object. "auto": "links" for coverage, "tmfg" for centralities. The rule
        "variance" and `MinShare` rank without a graph and refuse one.
    rule : str or Rule, default="coverage"
        How columns are ranked: `Coverage` ("coverage"), by what each adds; `Variance`
        ("variance"), by the variance that each explains beyond those before it, from the
        columns themselves, without a graph; or `Centrality`
        ("degree", "strength", "eigenvector", "pagerank", "closeness", "betweenness"), by
        their place in the graph.
    keep : list of str or int, default=None
        Names or positions of columns that are always selected. A whole number is a position;
        the name of a column labelled 10 is ``"10"``. They come first in the ranking, and the
        other columns are ranked given these. They count in a given size, and are added to the
        columns of "auto". Patterns such as ``"HLA-*"`` name several columns.
    exclude : list of str or int, default=None
        Columns that cannot be selected, but count in the coverage.
    at_most : AtMost, default=None
        A limit on the selected columns of each group: ``AtMost(1, of=groups)``.
    at_least : AtLeast, default=None
        A number of columns of each group that are selected first: ``AtLeast(2, of=groups)``.
        With `at_most`, both have the same groups. Not together with `max_similarity`.
    max_similarity : float, default=None
        No two selected columns have a higher similarity than this, on the scale of the measure.
    relevance : None, "target", array-like, callable or Relevance, default=None
        How much each column counts. None: all alike, and y is never looked at. "target": by the
        share of y that the column explains alone, less chance; y holds classes, numbers or
        several targets, and a row without y counts for the similarity only. Or one weight per
        column, or a function ``(X, y) -> scores``. "auto" then selects columns while they add
        more about the target than chance gives. Needs the rule "coverage". See `Relevance`.
    min_carriers : "auto" or int, default="auto"
        Least number of samples that carry a column. A sample carries a column if its value
        differs from the most frequent value, which is mostly 0 in a sparse table. Two columns
        with five carriers each, a few of them shared by chance, seem to share most of their
        variance. Columns with fewer carriers take no part, with a warning, unless they are in
        `keep`. "auto": 0 for up to 1,000 samples, and four more each time their number doubles
        (4 for 2,000, 13 for 10,000, 22 for 50,000, 39 for a million). With 0 all columns take
        part, and a dask table needs no pass that counts carriers.
    memory : int, str or None, default=None
        Memory limit: bytes, text such as "2GB", or None for half of the machine's memory. If
        the n × n similarity does not fit, links and TMFG are built without it; the graph is the
        same (see `topofs.tmfg_from_data`).
    device : str or None, default="auto"
        Device that multiplies columns: "cpu", or "cuda" (or "cuda:1", …) with PyTorch or CuPy
        installed. "auto" is the device of the table.

    Attributes
    ----------
    scores_ : array of float, shape (n_features,)
        The gain in coverage of each column at its turn, or its centrality; 0 for columns that
        take no part.
    ranking_ : array of int, shape (n_features,)
        A permutation of 1 … n_features; 1 is the best.
    support_ : array of bool, shape (n_features,)
        The selected columns.
    n_features_ : int
        Number of selected columns.
    coverage_ : array of float, shape (len(nodes_),)
        Share of the columns that the first 1, 2, … of the ranking represent.
    representative_, shares_ : arrays of int and float, shape (n_features,)
        Position of the selected column that represents each column (-1: none), and the share of
        variance that it explains.
    explained_ : array of float, shape (n_features,)
        The share of each column's variance that all selected columns explain together, by the
        rule "variance"; by other rules the share of its representative.
    groups_ : tuple of Group
        The selected columns, best first, each with the columns it represents.
    isolated_ : array of int
        Positions of the columns with no neighbour above the noise floor.
    similarity_ : Measure
        The measure that was used, with "auto" resolved.
    rule_ : Rule
        The rule that was used.
    graph_ : FilteredGraph
        The graph of the columns that vary, by which they were ranked, labelled with their
        names; absent if the rule uses no graph.
    strength_ : array of float, shape (n_features,)
        The sum of the weights of each column's links in the graph; 0 without a graph.
    nodes_ : array of int
        The column of each node of the graph.
    rare_ : array of int
        Positions of the columns that take no part because fewer than `min_carriers_` samples
        carry them.
    min_carriers_ : int
        Least number of samples that carry a column, with "auto" resolved.
    relevance_ : array of float, shape (n_features,)
        The relevance of each column; 0 where chance explains it, and for columns that take no
        part. It exists if `relevance` is given.
    forced_, excluded_ : arrays of int
        Positions of the columns in `keep` and in `exclude`.
    n_features_in_ : int
        Number of columns given to fit.
    feature_names_in_ : array of str
        Their names, where all of them are strings.

    Notes
    -----
    The terms are objects with parameters, which scikit-learn's nested names set:
    ``similarity__squared``, ``rule__reach``. Use `topofs.register` to register further terms.

    Shared variance is the squared correlation (or the value of another measure), corrected for
    chance. It is 0 below the noise floor, which some pair of unrelated normal columns exceeds
    in 5 % of all tables. (Heavy tails and rare events exceed it more often: see
    `topofs.similarity.noise_floor`.) With missing values, correction and floor depend on the
    samples that a pair shares. In time order, where each row is like the one before it, rows
    count as fewer samples with ``similarity__rows="ordered"``. A warning appears if rows seem
    to be ordered and the parameter is not set.

    Masked values of an array of `numpy.ma` are missing. The lowest value of the column is
    subtracted from whole numbers beyond 2⁵³, so that float64 distinguishes them; a similarity
    function gets the differences. Infinite values are refused with their column and row.

    Constant columns, and names that hardly repeat, take no part in the graph, score 0 and
    rank last, with a warning. Each pair of columns is compared over the samples observed in
    both. A sparse table stays sparse with Pearson's correlation; other measures make it dense,
    if memory allows. Workers reduce the chunks of a dask array or dataframe without missing
    values, and `transform` keeps it lazy. From a data frame with text, categories or booleans,
    `transform` selects unchanged columns of the frame.

    The attributes from `coverage_` to `isolated_` exist if the rule has groups, as coverage
    has; they change with `at`.

    References
    ----------
    .. [1] Briola & Aste, "Topological Feature Selection", 2023, Section 2.3.
    .. [2] G. L. Nemhauser, L. A. Wolsey and M. L. Fisher (1978). An analysis of
       approximations for maximizing submodular set functions. Mathematical Programming 14,
       265-294.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = TopologicalFeatureSelector().fit(X)
    >>> for group in selector.groups_:
    ...     print(group.name, "for", ", ".join(member.name for member in group.members))
    flavanoids for total_phenols, od280/od315_of_diluted_wines, proanthocyanins, hue,
    nonflavanoid_phenols, malic_acid
    alcohol for proline, color_intensity
    ash for alcalinity_of_ash, magnesium
    >>> selector.at(2).get_feature_names_out().tolist()
    ['alcohol', 'flavanoids']
    """

    def __init__(  # noqa: PLR0913 - one argument a parameter
        self,
        n_features_to_select: float | str | Size | None = "auto",
        *,
        similarity: str | Measure | Callable[[Any], npt.ArrayLike] = "auto",
        threshold: str | None = "auto",
        graph: str | Graph = "auto",
        rule: str | Rule = "coverage",
        keep: Iterable[str | int] | None = None,
        exclude: Iterable[str | int] | None = None,
        at_most: AtMost | None = None,
        at_least: AtLeast | None = None,
        max_similarity: float | None = None,
        relevance: Any = None,
        min_carriers: int | str = "auto",
        memory: int | str | None = None,
        device: str | None = "auto",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.threshold = threshold
        self.graph = graph
        self.rule = rule
        self.keep = keep
        self.exclude = exclude
        self.at_most = at_most
        self.at_least = at_least
        self.max_similarity = max_similarity
        self.relevance = relevance
        self.min_carriers = min_carriers
        self.memory = memory
        self.device = device

    @classmethod
    def paper(
        cls,
        n_features_to_select: float | None = None,
        *,
        similarity: str | Measure | Callable[[Any], npt.ArrayLike] = "pearson",
        keep: Iterable[str | int] | None = None,
    ) -> Self:
        """Give the published method: mean threshold, TMFG, degree, ties by position.

        Parameters
        ----------
        n_features_to_select, similarity, keep
            As in the constructor; the paper tunes the similarity with labels.

        Returns
        -------
        TopologicalFeatureSelector

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> TopologicalFeatureSelector.paper(2).fit(X).get_feature_names_out().tolist()
        ['total_phenols', 'flavanoids']
        """
        return cls(
            n_features_to_select,
            similarity=similarity,
            threshold="mean",
            graph="tmfg",
            rule=Centrality("degree", ties="index"),
            keep=keep,
            min_carriers=0,
        )

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        layer: str | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Build the graph of the columns and rank them.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, AnnData, dask collection or stream of \
batches, shape (n_samples, n_features)
            The table; the n × n similarity where ``similarity="precomputed"``. Of an AnnData
            object (cells × genes) the matrix is taken, sparse or dense, with its `var_names`.
            More rows than memory holds come as a polars LazyFrame, a dataset of Arrow, a DuckDB
            relation, any stream of Arrow batches, or what `topofs.io.scan_table` gives.
        y : array-like, data frame or str, optional
            The target, for `relevance`: classes, numbers, or several targets, one a column; a
            missing value is a row without a target. A column of `obs` of an AnnData object by its
            name. Without `relevance` it is ignored.
        layer : str, optional
            The layer of an AnnData object to take instead of its X.
        feature_names : sequence of str, optional
            Names of the columns of a matrix that carries none, such as a sparse one.

        Returns
        -------
        self
        """
        if isinstance(y, str) and self.relevance is not None:
            y = column_of_obs(X, y)
        if layer is not None or feature_names is not None:
            X = named_matrix(X, layer=layer, feature_names=feature_names)
        before = dict(vars(self))
        try:
            self._fit(X, y)
        except BaseException:
            # What was refused leaves an earlier fit as it was.
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    @available_if(_takes_batches)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows to those of earlier calls, and select from all of them.

        Only the moments of the columns are kept, so memory does not grow with the rows. The
        result is that of `fit` on all rows together, whatever the batches and their order are,
        except that exact ties between columns may be decided otherwise.

        Parameters
        ----------
        X : array-like or data frame, shape (n_samples, n_features)
            Further rows of numbers; NaN marks a missing value.
        y : ignored
            Labels need all rows: see `fit`.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_wine(as_frame=True).data
        >>> selector = TopologicalFeatureSelector()
        >>> for rows in (X[:60], X[60:61], X[61:]):
        ...     _ = selector.partial_fit(rows)
        >>> selector.get_feature_names_out().tolist()
        ['alcohol', 'ash', 'flavanoids']
        """
        before = dict(vars(self))
        try:
            earlier = getattr(self, "_rows", None)
            rows = read_rows(self, on_host(X), first=earlier is None)
            names = self._column_names().tolist()
            earlier = ValueMoments(rows.shape[1]) if earlier is None else earlier
            self._rows = earlier.with_rows(rows, names)
            self._fit_table(self._rows.table(names), y)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, y: Any = None) -> ColumnsToCompare:
        """Fit, and give the prepared columns."""
        self.__dict__.pop("_rows", None)
        if not is_stream(X) or isinstance(X, BatchSource):
            return self._fit_table(X, y)
        with batch_source(X) as source:
            return self._fit_table(source, y)

    def _fit_table(self, X: Any, y: Any) -> ColumnsToCompare:
        measure, self.rule_ = measure_of(self.similarity), rule_of(self.rule)
        graph = graph_for(self.graph, self.rule_, self.n_features_to_select)
        relevance = relevance_of(self.relevance)
        check_terms(measure, graph, self.rule_, self.threshold, relevance)
        memory, arrays = parse_memory(self.memory), arrays_of_device(self.device, X)

        read = read_table(self, on_host(X), measure, memory=memory)
        names, self.similarity_ = self._column_names(), read.measure
        constraints = resolve_constraints(
            names.tolist(),
            keep=self.keep,
            exclude=self.exclude,
            at_most=self.at_most,
            at_least=self.at_least,
            max_similarity=self.max_similarity,
            size=self.n_features_to_select,
        )
        self.forced_, self.excluded_ = constraints.forced, constraints.excluded
        self._n_demanded = constraints.n_first
        size = self._size(self.n_features_to_select)

        least, rare = find_rare_columns(read, self.min_carriers, forced=self.forced_)
        self.min_carriers_, self.rare_ = least, np.array(list(rare), dtype=np.int64)
        warn_of_columns(read, names)
        constant = read.constant
        if constant is None:
            constant = np.zeros(self.n_features_in_, dtype=np.bool_)
        nodes, self._left_out = columns_that_vary(
            names, constant, read.identifiers, left_out=read.left_out, rare=rare
        )
        if rare:
            warn_of_rare_columns(names[self.rare_].tolist(), least, read.table.shape)

        needs, table = self._needs(), read.columns(nodes)
        by_scale = graph is not None and (graph.needs_scale or graph.leaves_out_chance)
        if len(nodes) > 1 and (needs.scale or needs.columns or by_scale):
            warn_of_dependent_rows(table, read.measure)
        among = None
        if sparse.issparse(table):
            # The table is in memory anyway; taking some columns would make a copy.
            table, among = read.table, nodes
        columns = columns_to_compare(
            table, read.measure, memory=memory, needs=needs, arrays=arrays, nodes=among
        )
        if columns.constant is not None:
            # The workers have determined the constant columns.
            constant[nodes] = columns.constant
            nodes, self._left_out = columns_that_vary(names, constant, rare=rare)
        self.nodes_, self._has_names = nodes, read.has_names

        # A wrong y is refused before the similarities are computed.
        self._relevance = None
        if relevance is not None:
            self._relevance = column_relevance(
                relevance, read.measure, read.table, y, names=names.tolist(), nodes=nodes
            )
        threshold = self.threshold
        if threshold == "auto":
            threshold = self.rule_.threshold_for(read.measure)
        network = build_network(columns, graph, needs=needs, threshold=threshold)
        if relevance is not None and self._relevance is not None:
            network = replace(network, relevance=self._relevance.of_nodes(relevance))
        self._select_from(network, constraints, size)
        return columns

    def _select_from(
        self, network: Network, constraints: Constraints, size: int | None
    ) -> None:
        """Rank the nodes of a network, and select the best."""
        self._graph = network.graph
        if self._graph is not None:
            self._graph = self._graph.labelled(self._column_names()[self.nodes_].tolist())
            network = replace(network, graph=self._graph)
        self._ranking = self._rank(network, constraints, size)
        if isinstance(self._graph, LinkGraph) and self._graph.full_rows is not None:
            self._graph.full_rows.forget_matrix()
        self._take(self._ranking)
        self._select(size)
        self._refine()
        if self._relevance is not None:
            self._warn_of_no_relevance(self._relevance)
        elif size is None:
            self._warn_of_isolated_columns()

    def _needs(self) -> Needs:
        """The needs of the rule, and the pairs that the constraints need."""
        needs, measure = self.rule_.needs, self.similarity_
        share = size_of(self.n_features_to_select).redundant_from
        if share is not None:
            limits = self.max_similarity, self.at_most, self.at_least
            if any(limit is not None for limit in limits):
                raise ValueError(
                    "MinShare keeps every column that no other explains, so it does not go "
                    "together with at_most, at_least and max_similarity: leave them out"
                )
            return replace(needs, pairs_from=float(share), pairs_of_shares=True, columns=False)
        if self.max_similarity is None:
            return needs
        if not measure.means_alike:
            raise ValueError(
                "max_similarity needs a measure whose high values mean alike, and "
                f"{measure.name!r} is none: choose another similarity"
            )
        return replace(needs, pairs_from=float(self.max_similarity))

    def _rank(self, network: Network, constraints: Constraints, size: int | None) -> Ranking:
        """Rank the nodes of the network, by the rule or by redundancy (`MinShare`)."""
        wanted, nodes = size_of(self.n_features_to_select), self.nodes_
        self._limited = constraints.limited or self.max_similarity is not None
        self._budget = wanted.budget
        self._n_outside = len(np.setdiff1d(self.forced_, nodes))
        by_rule = wanted.redundant_from is None
        if wanted.least_coverage is not None and self.rule_.explains_together:
            size = len(nodes)  # not known before the ranking
        self._constraints = constraints = constraints.among(
            nodes, too_alike=network.pairs if by_rule else None, n_wanted=size
        )
        if not by_rule:
            tie_rank = None if network.value_rank is None else tie_breaking_ranks(network)
            if network.relevance is not None:
                tie_rank = relevant_first(network.relevance, tie_rank)
            return redundancy_ranking(network.pairs, constraints, tie_rank)
        if constraints.too_alike is not None:
            self._check_kept_alike(constraints)
        ranking = self.rule_.rank(network, constraints)
        if wanted.least_coverage is not None and ranking.exact is not None:
            reached = int((ranking.curve < wanted.least_coverage).sum()) + 1
            if reached > ranking.exact:
                ranking = self.rule_.rerank(ranking, replace(constraints, n_wanted=reached))
        return ranking

    def _check_kept_alike(self, constraints: Constraints) -> None:
        """Refuse kept columns whose similarity exceeds `max_similarity`."""
        kept = constraints.forced
        among = constraints.too_alike[kept][:, kept].tocoo()
        if among.nnz:
            names = self._column_names()[self.nodes_[kept]]
            left, right = names[among.row[0]], names[among.col[0]]
            raise ValueError(
                f"keep names {left!r} and {right!r}, which are more alike ({among.data[0]:.3g}) "
                f"than max_similarity {self.max_similarity:g} allows: keep one of them, or "
                "allow more"
            )

    def _size(self, given: Any) -> int | None:
        check_end(self.rule_, given)
        if isinstance(given, Size):
            if not self.rule_.has_groups:
                raise ValueError(
                    f"n_features_to_select is {given!r}, which needs a rule by which columns "
                    "represent others, as rule='coverage'"
                )
            return None
        if isinstance(given, str) and given == "auto":
            return None
        least, auto = len(self.forced_), self.rule_.has_end
        size = resolve_size(given, self.n_features_in_, least=least, auto=auto)
        if size < self._n_demanded:
            raise ValueError(
                f"at_least demands {self._n_demanded} columns, kept ones included, but only {size} "
                "are to be selected: raise n_features_to_select, or demand fewer"
            )
        return size

    def _take(self, ranking: Ranking) -> None:
        """Set the order and the scores of a ranking; the selected columns stay."""
        self._ranking = ranking
        self._put_in_order(ranking.order, ranking.scores, self.nodes_, first=self.forced_)

    def _select(self, size: int | None) -> None:
        """Select the best ranked columns, up to a size; None: the size of the ranking."""
        ranking, n_forced = self._ranking, len(self.forced_)
        wanted = size_of(self.n_features_to_select)
        has_end = size is None and not wanted.has_own_ranking
        if not ranking.n_selectable and (has_end or not n_forced):
            and_kept = ", and what is kept does not vary" if n_forced else ""
            raise ValueError(
                f"the constraints leave none of the {len(self.nodes_)} columns that vary to "
                f"select{and_kept}: exclude fewer, or allow more"
            )
        if size is None:
            n_outside = self._n_outside
            size = n_outside + wanted.n_nodes(ranking, self._constraints.n_first)
        most = ranking.n_selectable + self._n_outside
        if self._limited and size > most:
            limit, advice = "under the constraints", "relax the constraints"
            if self._budget is not None:
                taken = ranking.order[: ranking.n_selectable]
                unpaid = replace(self._constraints, budget=np.inf).open_beside(taken)
                if len(unpaid):
                    limit = f"within the budget of {self._budget:.12g}"
                    advice = "fit again with a larger Budget"
            raise ValueError(
                f"{size} columns are asked for, but only {most} can be selected together "
                f"{limit}: ask for fewer, or {advice}"
            )
        self.support_ = self.ranking_ <= size

    def _refine(self) -> None:
        """Let the rule improve the columns selected by its greedy ranking."""
        self._greedy = ranking = self._ranking
        selected = np.flatnonzero(self.support_[self.nodes_])
        # With MinShare there is no graph, and the rule is not used.
        if self._graph is None or not len(selected):
            return
        wanted = self.n_features_to_select
        by_end, budget = isinstance(wanted, str), size_of(wanted).budget
        worth = 1 if by_end else None if budget is None else 0
        refined = self.rule_.exchange(ranking, self._constraints, selected, worth)
        if refined is not ranking:
            self._take(refined)
            self.support_ = self.support_.copy()
            self.support_[self.nodes_] = False
            self.support_[self.nodes_[refined.order[: refined.end]]] = True

    def _resize(self, size: int | None) -> None:
        """Cut the ranking of the fit at another size, and refine the selected columns."""
        if self._greedy is not self._ranking:
            self._take(self._greedy)
        self._select(size)
        n_selected, exact = self.n_features_, self._greedy.exact
        if exact is not None and n_selected > exact:
            constraints = replace(self._constraints, n_wanted=n_selected)
            self._take(self.rule_.rerank(self._greedy, constraints))
            # With complete rows fewer columns may reach a coverage.
            until = size_of(self.n_features_to_select).least_coverage
            self._select(n_selected if until is None else None)
        self._refine()

    def _warn_of_no_relevance(self, relevance: ColumnRelevance) -> None:
        """Warn if no column has relevance, or if none that has may be selected."""
        none, wanted = not relevance.proven.any(), self.n_features_to_select
        n_beside = self.n_features_ - len(self.forced_)
        if not n_beside and isinstance(wanted, str):
            who = "no column" if none else "no column that the constraints allow"
            kept = "only what is kept" if len(self.forced_) else "none"
            say(
                f"{who} says more about {relevance.target} than chance gives, so {kept} is "
                "selected: give a number of columns, or leave relevance out",
                NoRelevanceWarning,
            )
        # By MinShare, relevance decides between equal columns only.
        elif n_beside and none and size_of(wanted).redundant_from is None:
            say(
                f"no column says more about {relevance.target} than chance gives: the choice of "
                f"{n_beside} columns is a guess; the size 'auto' selects none",
                NoRelevanceWarning,
            )

    def _warn_of_isolated_columns(self) -> None:
        """Warn of isolated columns that the automatic size leaves out."""
        isolated = self._ranking.isolated
        # With MinShare, isolated only means that no column explains that share of a column.
        if isolated is None or size_of(self.n_features_to_select).redundant_from is not None:
            return
        if isolated.all() and len(isolated) > 1:
            n, selected = self.n_features_, "all of them are selected"
            if n != len(isolated):
                verb = "is" if n == 1 else "are"
                selected = f"{n} of them {verb} selected; give a number to have more"
            say(
                f"no two of the {len(isolated)} columns share more than chance explains: there "
                f"is nothing to choose by, and {selected}",
                NoStructureWarning,
            )
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
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Give the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Also give those of the terms, such as ``similarity__squared``.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for name, resolve in _NESTED.items():
                # `fit` refuses an unknown name.
                with suppress(ValueError):
                    nested = resolve(params[name]).get_params().items()
                    params |= {f"{name}__{key}": value for key, value in nested}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of terms by nested names.

        A term is frozen, so a nested parameter replaces the term.

        Parameters
        ----------
        **params : object
            New values, such as ``rule__reach="edges"``.

        Returns
        -------
        self
        """
        nested: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for key, value in params.items():
            name, separator, parameter = key.partition("__")
            if separator and name in _NESTED:
                nested.setdefault(name, {})[parameter] = value
            else:
                own[key] = value
        super().set_params(**own)
        for name, changes in nested.items():
            setattr(self, name, _NESTED[name](getattr(self, name)).replace(**changes))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # `fit` refuses an unknown name; before that, parameters can be read.
        with suppress(ValueError):
            relevance = relevance_of(self.relevance)
            tags.target_tags.required = relevance is not None and relevance.needs_target
            measure = measure_of(self.similarity)
            tags.input_tags.sparse = measure.takes_table
            tags.input_tags.string = measure.takes_names and not measure.takes_arrays
        return tags


def _size_of(given: Any) -> Size:
    if not isinstance(given, Size):
        raise ValueError(
            f"n_features_to_select is {given!r}, which has no parameters: set it to a size, such "
            "as MinShare(0.9), first"
        )
    return given


def _relevance_of(given: Any) -> Relevance:
    found = relevance_of(given)
    if found is None:
        raise ValueError(
            "relevance is None, which has no parameters: set it to 'target', or to a Relevance, "
            "first"
        )
    return found


_NESTED: dict[str, Callable[[Any], Term]] = {
    **TERMS,
    "n_features_to_select": _size_of,
    "relevance": _relevance_of,
}
"""The parameters that may be objects with parameters, each with its resolver."""


def fit_and_compare(
    selector: TopologicalFeatureSelector, X: Any, y: Any = None
) -> ColumnsToCompare:
    """Fit a selector and give the prepared columns of `selector.nodes_`.

    A report or a list of nearest columns computes similarities from them.
    """
    return selector._fit(X, y)  # noqa: SLF001 - of the same file
