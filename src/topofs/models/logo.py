"""LoGo: the Gaussian model whose precision matrix has the zeros of a chordal graph.

`LoGoCovariance` first; below it the shrinkage of the correlations (`ledoit_wolf_intensity`,
`links_intensity`, `pairwise_intensity`), the regressions of each column on its neighbours before
it, the correlations of cliques with missing values, and the graph of the columns of a table
(`graph_of_table`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse
from sklearn.covariance import EmpiricalCovariance
from sklearn.utils.validation import check_is_fitted, validate_data

from topofs._kernels.elimination import information
from topofs.backends.dispatch import build_network, columns_to_compare
from topofs.graphs.filtered_graph import FilteredGraph, LinkGraph
from topofs.io.frames import (
    FIRST_ROUNDED,
    column_names,
    dense_frame,
    refuse_without_rows,
    unmasked,
)
from topofs.models.elimination import Conditional, conditional_moments, elimination_of
from topofs.network import Needs
from topofs.runtime import parse_memory
from topofs.selection.compatibility import graph_of
from topofs.similarity.correlation import Pearson, correlations_of_pairs
from topofs.similarity.table import is_constant
from topofs.terms import is_whole

if TYPE_CHECKING:
    from topofs.graphs.base import Graph
    from topofs.models.elimination import Elimination
    from topofs.typing import Bools, Doubles, Ints

__all__ = ["LoGoCovariance", "graph_of_table", "ledoit_wolf_intensity"]

_BLOCK = 1024
"""Rows of a matrix of products that are held at a time."""

_ENTRIES = 2**22
"""Entries, or products of entries, of the table that are held at a time."""

_LEAST_EIGENVALUE = 0.01
"""Least eigenvalue of the correlations of a clique with missing values, by automatic shrinkage."""

_NOTHING = 1e-13
"""Residual variance by rounding of a column that its neighbours determine."""


class LoGoCovariance(EmpiricalCovariance):
    r"""Sparse Gaussian model: the maximum of the likelihood among those with the graph's zeros.

    Where two columns are not joined in a chordal graph, the precision matrix J is 0. Of all
    Gaussians of this kind the likeliest has a closed form, from the sample covariance C of
    the cliques c and of the separators s between them [1]_:

    .. math:: J = \sum_c \left[(C_c)^{-1}\right] - \sum_s \left[(C_s)^{-1}\right].

    Its inverse agrees with C on every clique, and is the completion of these entries with the
    largest determinant. Time and memory are O(n) once the graph is known.

    Missing values stay missing: each entry of C on a clique comes from the rows that both columns
    share, means and variances from the rows of each column. Such a C need not be positive
    definite on every clique. See `shrinkage`.

    Parameters
    ----------
    graph : str, Graph or FilteredGraph, default="tmfg"
        A chordal family, built from squared correlations ("tmfg", "mst", "mfcf" or an object
        such as ``CliqueForest(max_clique=3)``), or a given chordal graph.
    shrinkage : "auto", float in [0, 1] or None, default="auto"
        C is :math:`(1 - \alpha) S + \alpha \operatorname{diag} S` with S the sample
        covariance: variances stay, correlations are pulled towards 0. "auto" takes the
        intensity of Ledoit and Wolf: for the correlations of all columns where there are fewer
        rows than columns, for those of linked columns otherwise. It falls as 1 / n_samples.
        If values are missing, the intensity is at least that which makes the smallest
        eigenvalue of the correlations of every clique 0.01.
        None or 0 is the maximum of the likelihood.
    memory : int, str or None, default="2GB"
        Memory for the graph beside the table. If the matrix of all similarities needs more, a
        TMFG is built without it.

    Attributes
    ----------
    location_ : array of float64, shape (n_features,)
        The means.
    precision_ : scipy.sparse.csc_array, shape (n_features, n_features)
        J; an entry is stored for each column and each link.
    covariance_ : array of float64, shape (n_features, n_features)
        The inverse of J, a dense matrix that is computed when it is first asked for.
    logdet_ : float
        The logarithm of the determinant of J.
    graph_ : FilteredGraph
        The graph.
    shrinkage_ : float
        The intensity :math:`\alpha` that was used.
    n_features_in_ : int
        Number of columns given to fit.
    feature_names_in_ : array of str
        Their names, where all of them are strings.

    See Also
    --------
    sklearn.covariance.GraphicalLassoCV : Searches the zeros by a penalty; O(n³).

    Notes
    -----
    Every node is regressed on its neighbours that were inserted before it, all cliques at
    once: with slopes B and variances D of what is left, :math:`J = (I - B)^T D^{-1} (I - B)`.
    This is the sum above in another order, is positive definite whatever the rounding, and is
    the Cholesky factor of J at the same time: :math:`\log\det J = -\sum \log D`.

    References
    ----------
    .. [1] W. Barfuss, G. P. Massara, T. Di Matteo and T. Aste (2016). Parsimonious modeling
       with information filtering networks. Physical Review E 94, 062306.
    .. [2] S. L. Lauritzen (1996). Graphical models, section 5.3. Oxford.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from topofs import LoGoCovariance
    >>> X = load_breast_cancer().data
    >>> model = LoGoCovariance().fit(X[::2])
    >>> model.precision_.nnz  # of 30 columns and 84 links
    198
    >>> bool(model.score(X[1::2]) > LoGoCovariance("mst").fit(X[::2]).score(X[1::2]))
    True
    """

    def __init__(
        self,
        graph: str | Graph | FilteredGraph = "tmfg",
        *,
        shrinkage: float | str | None = "auto",
        memory: int | str | None = "2GB",
    ) -> None:
        self.graph = graph
        self.shrinkage = shrinkage
        self.memory = memory

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Build the graph and the model.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or AnnData, shape (n_samples, n_features)
            Numbers; every column varies, NaN marks a missing value. Linked columns must share
            more rows than a clique has columns. A sparse table is made dense.
        y : ignored
            Plays no part.

        Returns
        -------
        self
        """
        _check_shrinkage(self.shrinkage)
        refuse_without_rows(X)
        self._names_given = column_names(X)
        X = self._checked(X, reset=True)
        names = self._names_given or ()
        self._position_of = {names[i]: i for i in reversed(range(len(names)))}
        constant = np.flatnonzero(is_constant(X))
        if constant.size:
            rounded = np.abs(X[0, constant]).max() >= FIRST_ROUNDED
            raise ValueError(
                f"{constant.size} of {X.shape[1]} columns are constant, first "
                f"{self._name(constant[0])}: a Gaussian model needs columns that vary, leave "
                "them out (sklearn.feature_selection.VarianceThreshold)"
                + ", or count whole numbers beyond 2**53 from their lowest first"
                * bool(rounded)
            )
        self.graph_ = graph_of_table(X, self.graph, memory=self.memory)
        self._elimination = elimination_of(self.graph_)
        holes = bool(np.isnan(X).any())
        self.location_ = np.nanmean(X, axis=0) if holes else X.mean(axis=0)
        scale = np.nanstd(X, axis=0) if holes else X.std(axis=0)
        of_cliques = self._pairwise_cliques(X) if holes else None
        X = (X - self.location_) / scale
        self.shrinkage_ = self._intensity(X, of_cliques)
        slopes, spread = clique_regressions(
            X, self._elimination, 1 - self.shrinkage_, of_cliques
        )
        if not (spread > 0).all():
            dependent = self._elimination.order[np.argmin(spread)]
            raise ValueError(
                f"{self._name(dependent)} is a linear combination of its neighbours in the "
                f"graph (shrinkage {self.shrinkage_:g}, {len(X)} rows): set shrinkage to a "
                "number above 0, or leave it out"
            )
        self._variance = scale**2
        self._set_model(slopes, spread, scale)
        return self

    def _pairwise_cliques(self, X: Doubles) -> PairwiseCliques:
        """The correlations on the cliques, from shared rows; refuse too few of these."""
        operator: Any = Pearson(squared=False).operator(X)
        i, j = self.graph_.edges.T
        shared = operator.shared_samples(i, j)
        least = self._elimination.parents.shape[1] + 2
        if shared.size and shared.min() < least:
            worst = int(shared.argmin())
            raise ValueError(
                f"{self._name(i[worst])} and {self._name(j[worst])} are linked and share "
                f"{shared[worst]:g} rows without missing values; cliques of {least - 1} columns "
                f"need at least {least}: fill missing values in (sklearn.impute), or leave one of "
                "the two out"
            )
        found = correlations_of_pairs(operator, i, j)
        assert found is not None
        return PairwiseCliques(X.shape[1], i * X.shape[1] + j, found)

    def _intensity(self, standardised: Doubles, of_cliques: PairwiseCliques | None) -> float:
        if of_cliques is not None:
            return self._intensity_with_holes(standardised, of_cliques)
        if self.shrinkage != "auto":
            return float(self.shrinkage or 0)
        n_samples, n_features = standardised.shape
        # The links are the strongest of many: of few rows they look better than they are.
        if n_samples < n_features:
            return ledoit_wolf_intensity(standardised)
        return links_intensity(standardised, self.graph_.edges)

    def _intensity_with_holes(
        self, standardised: Doubles, of_cliques: PairwiseCliques
    ) -> float:
        """The intensity, by which every clique is positive definite; refuse one that fails."""
        least = of_cliques.least_eigenvalue(self._elimination)
        if self.shrinkage != "auto":
            given = float(self.shrinkage or 0)
            if (1 - given) * least + given < _NOTHING:
                raise ValueError(
                    "with missing values the correlations of linked columns are not positive "
                    f"definite (smallest eigenvalue {least:.3g}, shrinkage {given:g}): set "
                    "shrinkage to 'auto' or to a larger number, or fill missing values in "
                    "(sklearn.impute)"
                )
            return given
        n_samples, n_features = standardised.shape
        edges = None if n_samples < n_features else self.graph_.edges
        raised = (_LEAST_EIGENVALUE - least) / (1 - least) if least < _LEAST_EIGENVALUE else 0.0
        return max(pairwise_intensity(standardised, edges), raised)

    def _set_model(self, slopes: Doubles, spread: Doubles, scale: Doubles) -> None:
        """Turn regressions of standardised columns into those of the columns, and into J."""
        order, parents = self._elimination.order, self._elimination.parents
        in_order = scale[order]
        self._slopes = slopes * in_order[:, None] / in_order[parents]
        self._spread = spread * in_order**2
        self.logdet_ = -float(np.log(self._spread).sum())
        diagonal, beside = information(parents, self._slopes, self._spread)
        row, slot = np.nonzero(parents >= 0)
        i, j = order[row], order[parents[row, slot]]
        beside = beside[row, slot]
        n = len(order)
        self.precision_ = sparse.csc_array(
            (
                np.concatenate([diagonal, beside, beside]),
                (np.concatenate([order, i, j]), np.concatenate([order, j, i])),
            ),
            shape=(n, n),
        )
        self._covariance: Doubles | None = None

    @property
    def covariance_(self) -> Doubles:
        """The dense inverse of the precision matrix, computed when it is first asked for."""
        check_is_fitted(self)
        if self._covariance is None:
            self._covariance = dense_covariance(self._elimination, self._slopes, self._spread)
        return self._covariance

    def get_precision(self) -> sparse.csc_array:
        """Give the precision matrix.

        Returns
        -------
        scipy.sparse.csc_array, shape (n_features, n_features)
        """
        check_is_fitted(self)
        return self.precision_

    def partial_correlations(self) -> FilteredGraph:
        r"""Give the graph with the partial correlation along each edge.

        .. math:: p_{ij} = -\frac{J_{ij}}{\sqrt{J_{ii} J_{jj}}}

        Returns
        -------
        FilteredGraph
            Its weights are the absolute values, its `correlations` the values with their signs.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import LoGoCovariance
        >>> X = load_wine(as_frame=True).data
        >>> graph = LoGoCovariance().fit(X).partial_correlations()
        >>> i, j = graph.edges[graph.weights.argmax()]
        >>> graph.labels[i], graph.labels[j], float(graph.weights.max().round(2))
        ('ash', 'alcalinity_of_ash', 0.59)
        """
        check_is_fitted(self)
        graph, beside = self.graph_, sparse.triu(self.precision_, 1, format="coo")
        size = np.sqrt(self.precision_.diagonal())
        partial = -beside.data / (size[beside.row] * size[beside.col])
        np.clip(partial, -1.0, 1.0, out=partial)
        return FilteredGraph(
            graph.n_nodes,
            np.column_stack([beside.row, beside.col]),
            np.abs(partial),
            cliques=graph.cliques,
            separators=graph.separators,
            order=graph.order,
            labels=graph.labels if self._names_given is None else self._names_given,
            correlations=partial,
        )

    def mahalanobis(self, X: Any) -> Doubles:
        """Squared Mahalanobis distances of rows from the mean, in O(n) a row.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            The rows.

        Returns
        -------
        array of float64, shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False) - self.location_
        order, parents = self._elimination.order, self._elimination.parents
        row, slot = np.nonzero(parents >= 0)
        slopes = sparse.csr_array(
            (self._slopes[row, slot], (row, parents[row, slot])), shape=(len(order),) * 2
        )
        in_order = X.T[order]
        left = in_order - slopes @ in_order
        return np.asarray((left**2 / self._spread[:, None]).sum(axis=0))

    def score(self, X_test: Any, y: Any = None) -> float:  # noqa: ARG002
        """Mean log-likelihood of rows under the model, from the cliques alone.

        Parameters
        ----------
        X_test : array-like, shape (n_samples, n_features)
            Rows, if possible other ones than those of the fit.
        y : ignored
            Plays no part.

        Returns
        -------
        float
        """
        distance = self.mahalanobis(X_test).mean()
        n_features = len(self.location_)
        return float(self.logdet_ - n_features * np.log(2 * np.pi) - distance) / 2

    def conditional(self, known: Any, values: Any = None) -> Conditional:
        r"""Mean and variance of the other columns, given values of some.

        .. math::
           E[x_u \mid x_k] = \mu_u - J_{uu}^{-1} J_{uk} (x_k - \mu_k), \qquad
           \operatorname{Var}[x_u \mid x_k] = \operatorname{diag} J_{uu}^{-1},

        by elimination in the reverse order of insertion, which makes no fill-in: O(n), where
        the dense formula is O(n³) from J, and O(n k²) with the covariance at hand and k known.

        Parameters
        ----------
        known : sequence of int or str
            The columns that are known, by position or by name.
        values : array-like, shape (n_known,) or (n_rows, n_known), optional
            Their values, in the order of `known`. Without them they lie at their means.

        Returns
        -------
        Conditional
            `columns`, `mean`, `variance` and the `share` of the variance that is explained.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from topofs import LoGoCovariance
        >>> X = load_wine(as_frame=True).data
        >>> panel = LoGoCovariance().fit(X).conditional(["flavanoids", "alcohol"])
        >>> str(X.columns[panel.columns[panel.share.argmax()]]), float(panel.share.max().round(2))
        ('total_phenols', 0.72)
        """
        check_is_fitted(self)
        positions = self._positions(known)
        given = self._known_values(values, positions)
        is_other = np.ones(len(self.location_), dtype=np.bool_)
        is_other[positions] = False
        others = np.flatnonzero(is_other)
        mean, variance = conditional_moments(
            self._elimination,
            self._slopes,
            self._spread,
            positions,
            others,
            np.atleast_2d(given) - self.location_[positions],
        )
        mean += self.location_.take(others)
        share = np.maximum(0, 1 - variance / self._variance.take(others))
        return Conditional(others, mean if given.ndim == 2 else mean[0], variance, share)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags

    def _checked(self, X: Any, *, reset: bool) -> Doubles:
        """Check that a table is of float64 values: finite, but for a fit NaN is allowed."""
        X = validate_data(
            self,
            dense_frame(X, what="LoGoCovariance takes"),
            reset=reset,
            dtype=np.float64,
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
        allowed = ~np.isinf(X) if reset else np.isfinite(X)
        if not allowed.all():
            where = np.flatnonzero(~allowed.all(axis=0))
            which = "infinite values (inf" if reset else "missing or infinite values (NaN, inf"
            raise ValueError(
                f"X has {which}) in {where.size} of {X.shape[1]} columns, first in "
                f"{self._name(where[0])}: fill them in (sklearn.impute) or leave these columns "
                "out"
            )
        return np.asarray(X)

    def _name(self, column: int) -> str:
        names = self._names_given
        return f"column {column}" if names is None else repr(names[column])

    def _positions(self, known: Any) -> Ints:
        """Positions of columns that are given by position or by name."""
        n, position_of = len(self.location_), self._position_of
        if isinstance(known, str) or not np.iterable(known):
            known = [known]
        positions = []
        for column in known.tolist() if isinstance(known, np.ndarray) else known:
            if isinstance(column, str) and column in position_of:
                positions.append(position_of[column])
            elif is_whole(column) and 0 <= column < n:
                positions.append(int(column))
            else:
                raise ValueError(
                    f"the known column {column!r} is none of the {n} columns: give positions "
                    f"0 … {n - 1}" + (" or names" if position_of else "")
                )
        if len(set(positions)) < len(positions):
            raise ValueError("a known column is given twice; name each once")
        return np.array(positions, dtype=np.int64)

    def _known_values(self, values: Any, positions: Ints) -> Doubles:
        if values is None:
            return np.asarray(self.location_[positions])
        given = np.asarray(unmasked(values), dtype=np.float64)
        if given.ndim not in (1, 2) or given.shape[-1] != len(positions):
            raise ValueError(
                f"{len(positions)} columns are known, but values has the shape {given.shape}: "
                "give one value a known column, or rows of them"
            )
        if not np.isfinite(given).all():
            raise ValueError("values has missing or infinite entries: leave their columns out")
        return given


def _check_shrinkage(shrinkage: Any) -> None:
    if shrinkage is None or (isinstance(shrinkage, str) and shrinkage == "auto"):
        return
    number = isinstance(shrinkage, (int, float, np.number)) and not isinstance(shrinkage, bool)
    if not (number and 0 <= shrinkage <= 1):
        raise ValueError(
            f"shrinkage is {shrinkage!r}; give 'auto', a number in [0, 1], or None for none"
        )


def ledoit_wolf_intensity(standardised: Doubles) -> float:
    r"""Weight of the identity that brings a correlation matrix closest to the true one [1]_.

    With :math:`z_s` the S rows, of n standardised columns, and R their correlation,

    .. math::
       \alpha = \min\left(1,
           \frac{\frac{1}{S^2} \sum_s \lVert z_s z_s^T - R \rVert^2}{\lVert R - I \rVert^2}
       \right).

    The norm of R is that of the S × S matrix of products of rows where that is smaller, so
    the cost is O(Sn min(S, n)), and no whole matrix is held.

    .. [1] O. Ledoit and M. Wolf (2004). A well-conditioned estimator for large-dimensional
       covariance matrices. Journal of Multivariate Analysis 88, 365-411.
    """
    n_samples, n_features = standardised.shape
    smaller = standardised if n_samples < n_features else standardised.T
    total = 0.0
    for first in range(0, len(smaller), _BLOCK):
        total += float(np.sum((smaller[first : first + _BLOCK] @ smaller.T) ** 2))
    of_correlation = total / n_samples**2
    of_rows = float(np.sum(np.sum(standardised**2, axis=1) ** 2)) / n_samples
    distance = of_correlation - n_features
    if distance <= 0:
        return 1.0
    return float(min(1.0, (of_rows - of_correlation) / n_samples / distance))


def links_intensity(standardised: Doubles, edges: Ints) -> float:
    r"""Do the same for the correlations of linked columns alone [1]_; 0 without a link.

    .. math::
       \alpha = \min\left(1, \frac{\sum_{ij} \widehat{\operatorname{Var}}(r_{ij})}
       {\sum_{ij} r_{ij}^2}\right), \qquad
       \widehat{\operatorname{Var}}(r_{ij}) = \frac{1}{S^2} \sum_s (z_{si} z_{sj} - r_{ij})^2.

    .. [1] J. Schäfer and K. Strimmer (2005). A shrinkage approach to large-scale covariance
       matrix estimation. Statistical Applications in Genetics and Molecular Biology 4, 32.
    """
    n_samples = len(standardised)
    variance = squares = 0.0
    step = max(1, _ENTRIES // n_samples)
    for first in range(0, len(edges), step):
        i, j = edges[first : first + step].T
        products = standardised[:, i] * standardised[:, j]
        variance += float(products.var(axis=0).sum()) / n_samples
        squares += float(np.sum(products.mean(axis=0) ** 2))
    return min(1.0, variance / squares) if squares > 0 else 0.0


def pairwise_intensity(standardised: Doubles, edges: Ints | None) -> float:
    """Do the same with missing values: each pair by the rows that it shares.

    For the correlations of linked columns, or of all pairs if `edges` is None.
    """
    variance = squares = 0.0
    if edges is None:
        observed = ~np.isnan(standardised)
        mask, values = observed.astype(np.float64), np.where(observed, standardised, 0.0)
        for first in range(0, values.shape[1], _BLOCK):
            some = slice(first, first + _BLOCK)
            count = np.maximum(mask[:, some].T @ mask, 1.0)
            mean = values[:, some].T @ values / count
            spread = (values[:, some] ** 2).T @ values**2 / count - mean**2
            variance += float((spread / count).sum())
            squares += float((mean**2).sum())
        squares -= values.shape[1]
        return min(1.0, variance / squares) if squares > 0 else 1.0
    step = max(1, _ENTRIES // len(standardised))
    for first in range(0, len(edges), step):
        i, j = edges[first : first + step].T
        products = standardised[:, i] * standardised[:, j]
        count = (~np.isnan(products)).sum(axis=0)
        variance += float((np.nanvar(products, axis=0) / count).sum())
        squares += float((np.nanmean(products, axis=0) ** 2).sum())
    return min(1.0, variance / squares) if squares > 0 else 0.0


@dataclass(frozen=True, eq=False)
class PairwiseCliques:
    """Correlations of linked columns, from the rows that each pair shares.

    `number` is ``i * n + j`` of each edge, ascending; `values` are their correlations.
    """

    n: int
    number: Ints
    values: Doubles

    def among(self, cliques: Ints) -> Doubles:
        """The correlations among the columns of each clique; ones on the diagonal."""
        left, right = cliques[:, :, None], cliques[:, None, :]
        number = np.minimum(left, right) * self.n + np.maximum(left, right)
        place = np.minimum(np.searchsorted(self.number, number), len(self.number) - 1)
        return np.where(left == right, 1.0, self.values[place])

    def least_eigenvalue(self, elimination: Elimination) -> float:
        """The smallest eigenvalue of the correlations of any clique."""
        order, parents = elimination.order, elimination.parents
        least, width = 1.0, parents.shape[1]
        step = max(1, _ENTRIES // (width + 1) ** 2)
        for first in range(0, len(order) if width else 0, step):
            some = slice(first, first + step)
            places = np.column_stack([np.arange(len(order))[some], parents[some]])
            correlation = without_missing(self.among(order[places]), places < 0)
            least = min(least, float(np.linalg.eigvalsh(correlation)[:, 0].min()))
        return least


def without_missing(correlation: Doubles, missing: Bools) -> Doubles:
    """Make the places that a clique does not fill independent of all others, in place."""
    correlation[missing[:, :, None] | missing[:, None, :]] = 0.0
    diagonal = np.arange(missing.shape[1])
    correlation[:, diagonal, diagonal] = 1.0
    return correlation


def clique_regressions(
    standardised: Doubles,
    elimination: Elimination,
    factor: float,
    of_cliques: PairwiseCliques | None = None,
) -> tuple[Doubles, Doubles]:
    """Regress every standardised column on its parents, correlations multiplied by `factor`.

    The correlations are those of `of_cliques`, if values are missing.

    Gives the slopes (n, width), 0 where there is no parent, and the variance that is left, 0
    where rounding alone is left; both in the order of insertion.
    """
    order, parents = elimination.order, elimination.parents
    n, width = parents.shape
    slopes, spread = np.zeros((n, width)), np.ones(n)
    columns = np.ascontiguousarray(standardised.T)
    step = max(1, _ENTRIES // ((width + 1) * columns.shape[1]))
    for first in range(0, n if width else 0, step):
        some = slice(first, first + step)
        places = np.column_stack([np.arange(n)[some], parents[some]])
        missing = places < 0
        if of_cliques is None:
            cliques = columns[order[places]]
            correlation = cliques @ cliques.transpose(0, 2, 1) * (factor / columns.shape[1])
        else:
            correlation = of_cliques.among(order[places]) * factor
        without_missing(correlation, missing)
        among, to = correlation[:, 1:, 1:], correlation[:, 1:, 0]
        slopes[some] = np.linalg.solve(_kept_regular(among), to[..., None])[..., 0]
        spread[some] = 1.0 - np.einsum("ij,ij->i", slopes[some], to)
    spread[spread < _NOTHING] = 0.0
    return slopes, spread


def _kept_regular(matrices: Doubles) -> Doubles:
    """The same matrices, with the identity where one is singular: such parents are refused."""
    sign, size = np.linalg.slogdet(matrices)
    singular = (sign <= 0) | (size < np.log(_NOTHING))
    return np.where(singular[:, None, None], np.eye(matrices.shape[1]), matrices)


def dense_covariance(elimination: Elimination, slopes: Doubles, spread: Doubles) -> Doubles:
    """Fill the covariance row by row (the parents' rows times the slopes); in order of columns."""
    n = len(spread)
    covariance = np.zeros((n, n))
    for p in range(n):
        parents = elimination.parents[p]
        parents = parents[parents >= 0]
        coefficients = slopes[p, : len(parents)]
        row = coefficients @ covariance[parents, :p]
        covariance[p, :p] = covariance[:p, p] = row
        covariance[p, p] = spread[p] + coefficients @ row[parents]
    return covariance[np.ix_(elimination.place, elimination.place)]


def graph_of_table(X: Doubles, graph: Any, *, memory: Any) -> FilteredGraph:
    """Filter the squared correlations of checked columns; a `FilteredGraph` is taken as it is.

    Where their matrix needs more than `memory`, a graph that can do without it does.
    """
    if isinstance(graph, FilteredGraph):
        if graph.n_nodes != X.shape[1]:
            raise ValueError(
                f"the graph has {graph.n_nodes} nodes and X {X.shape[1]} columns: give the "
                "graph of these columns"
            )
        return graph
    columns = columns_to_compare(X, Pearson(), memory=parse_memory(memory))
    built = build_network(columns, graph_of(graph), needs=Needs(), threshold=None).graph
    assert built is not None
    # Without the whole rows: they hold on to the table or the matrix, and are not needed here.
    return LinkGraph(built.shares, built.sums) if isinstance(built, LinkGraph) else built
