"""`FilteredGraph`: the sparse graph over columns that rules, plots and exports use.

`LinkGraph`, a matrix of shares, is the graph of the rule "coverage". `graphml_document` writes
GraphML (http://graphml.graphdrawing.org) with the standard library's XML writer: an export needs
no extra, weights keep all digits, and characters that XML does not allow are replaced in labels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
from scipy import sparse

from topofs._kernels.numpy_or_numba import UNIT, units
from topofs.errors import import_extra

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from topofs.backends.top_k_neighbors import ShareRows
    from topofs.typing import Doubles, Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class FilteredGraph:
    """An undirected weighted graph over features, kept by an information filter.

    The object is frozen: its arrays are read-only, and two graphs are equal if all their parts
    are. Edges are sorted on creation (``i < j``, rows ascending).

    Parameters
    ----------
    n_nodes : int
        Number of nodes; nodes are ``0 … n_nodes - 1``.
    edges : array of int, shape (n_edges, 2)
        End points of each edge, in any order; no loops, no edge twice.
    weights : array of float, shape (n_edges,)
        Similarity along each edge. Zero is allowed.
    cliques : array of int, shape (n_cliques, largest), optional
        For chordal families: the cliques in the order of insertion. Of a TMFG the first is the
        starting tetrahedron; each later row is the inserted node, then the face it went into.
        Shorter rows are padded with −1.
    separators : array of int, shape (n_cliques - 1, largest - 1), optional
        For chordal families: the nodes that each later clique shares with earlier ones. In a
        TMFG, the triangle that the inserted node was joined to.
    order : array of int, shape (n_nodes,), optional
        For chordal families: nodes in the order of insertion. Its reverse is a perfect
        elimination order.
    labels : sequence of str, optional
        A name for each node.
    correlations : array of float, shape (n_edges,), optional
        The correlation along each edge, with its sign.

    Examples
    --------
    >>> from topofs import FilteredGraph
    >>> graph = FilteredGraph(3, [[2, 1], [0, 1]], [0.5, 0.9], labels=["a", "b", "c"])
    >>> graph
    FilteredGraph(n_nodes=3, n_edges=2, labels=['a', 'b', 'c'])
    >>> graph.edges.tolist()
    [[0, 1], [1, 2]]
    >>> graph.neighbors(1).tolist()
    [0, 2]
    """

    n_nodes: int
    edges: Ints
    weights: Floats
    cliques: Ints | None = field(default=None, kw_only=True)
    separators: Ints | None = field(default=None, kw_only=True)
    order: Ints | None = field(default=None, kw_only=True)
    labels: Sequence[str] | None = field(default=None, kw_only=True)
    correlations: Doubles | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        edges, weights = np.asarray(self.edges), np.asarray(self.weights)
        if edges.size == 0:
            edges = np.empty((0, 2), dtype=np.int64)
        if not np.issubdtype(weights.dtype, np.floating):
            weights = weights.astype(np.float64)
        _check_edges(self.n_nodes, edges, weights)
        edges = edges.astype(np.int64)
        low, high = np.minimum(*edges.T), np.maximum(*edges.T)
        # Sorting one number per edge takes half the time of sorting two.
        number = low * self.n_nodes + high
        position = np.argsort(number)
        edges, number = np.column_stack([low, high])[position], number[position]
        twice = np.flatnonzero(number[1:] == number[:-1])
        if twice.size:
            raise ValueError(f"the edge {tuple(edges[twice[0]].tolist())} is given twice")
        self._freeze("edges", edges)
        self._freeze("weights", weights[position])
        if self.correlations is not None:
            correlations = np.asarray(self.correlations, dtype=np.float64)
            _check_correlations(correlations, len(edges))
            self._freeze("correlations", correlations[position])
        for name in ("cliques", "separators", "order"):
            if getattr(self, name) is not None:
                self._freeze(name, np.array(getattr(self, name), dtype=np.int64))
        if self.labels is not None:
            labels = tuple(str(label) for label in self.labels)
            if len(labels) != self.n_nodes:
                raise ValueError(f"got {len(labels)} labels for {self.n_nodes} nodes")
            object.__setattr__(self, "labels", labels)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # pickle and copy make writable arrays: freeze them again.
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                self._freeze(name, value)
            else:
                object.__setattr__(self, name, value)

    def _freeze(self, name: str, array: npt.NDArray[Any]) -> None:
        array.flags.writeable = False
        object.__setattr__(self, name, array)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    def degree(self) -> Ints:
        """Count the edges at each node.

        Returns
        -------
        array of int, shape (n_nodes,)
        """
        return np.bincount(self.edges.ravel(), minlength=self.n_nodes).astype(np.int64)

    def strength(self) -> Doubles:
        """Sum the weights of the edges at each node.

        Returns
        -------
        array of float, shape (n_nodes,)
        """
        # Sum in the order of rising weight, so that no bit depends on the numbers of the nodes.
        rising = np.argsort(self.weights)
        both = np.repeat(self.weights[rising].astype(np.float64), 2)
        ends = self.edges[rising].ravel()
        total = np.bincount(ends, weights=both, minlength=self.n_nodes)
        return np.asarray(total, dtype=np.float64)

    def neighbors(self, node: int) -> Ints:
        """Nodes joined to `node`, ascending.

        Parameters
        ----------
        node : int
            A node, ``0 <= node < n_nodes``.

        Returns
        -------
        array of int
        """
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"node {node} is not one of 0 … {self.n_nodes - 1}")
        adjacency = self._adjacency
        row = slice(adjacency.indptr[node], adjacency.indptr[node + 1])
        return np.asarray(adjacency.indices[row], dtype=np.int64)

    def renumbered(self, numbers: Ints) -> FilteredGraph:
        """Give the same graph with its nodes renumbered.

        Parameters
        ----------
        numbers : array of int, shape (n_nodes,)
            The new number of each node, a permutation.

        Returns
        -------
        FilteredGraph

        Examples
        --------
        >>> FilteredGraph(3, [[0, 1]], [0.5]).renumbered(np.array([2, 0, 1])).edges.tolist()
        [[0, 2]]
        """
        labels = self.labels
        if labels is not None:
            labels = [labels[node] for node in np.argsort(numbers)]
        # The last entry maps the padding −1 to itself.
        numbers = np.append(numbers, -1)
        cliques, separators, order = (
            None if nodes is None else numbers[nodes]
            for nodes in (self.cliques, self.separators, self.order)
        )
        return replace(
            self,
            edges=numbers[self.edges],
            cliques=cliques,
            separators=separators,
            order=order,
            labels=labels,
        )

    def labelled(self, labels: Sequence[str]) -> FilteredGraph:
        """Give the same graph with a name for each node.

        Parameters
        ----------
        labels : sequence of str
            The names.

        Returns
        -------
        FilteredGraph
        """
        return replace(self, labels=labels)

    def to_scipy(self) -> sparse.csr_array:
        """Weighted adjacency matrix; an edge of weight zero is stored as an explicit zero.

        Returns
        -------
        scipy.sparse.csr_array, shape (n_nodes, n_nodes)
        """
        return self._adjacency.copy()

    def to_networkx(self) -> Any:
        """Copy into networkx, with edge attribute ``weight`` and node attribute ``label``.

        Where the graph has correlations, edges also have the attribute ``correlation``.

        Returns
        -------
        networkx.Graph
        """
        networkx = import_extra("networkx", extra="graphs", purpose="FilteredGraph.to_networkx")
        graph = networkx.Graph()
        if self.labels is None:
            graph.add_nodes_from(range(self.n_nodes))
        else:
            graph.add_nodes_from((i, {"label": name}) for i, name in enumerate(self.labels))
        i, j = self.edges.T.tolist()
        graph.add_weighted_edges_from(zip(i, j, self.weights.tolist(), strict=True))
        if self.correlations is not None:
            signed = dict(zip(zip(i, j, strict=True), self.correlations.tolist(), strict=True))
            networkx.set_edge_attributes(graph, signed, "correlation")
        return graph

    def write_graphml(
        self,
        path: str | os.PathLike[str],
        *,
        node_data: Mapping[str, Sequence[bool | float]] | None = None,
    ) -> None:
        """Write the graph as GraphML, for Gephi, Cytoscape, networkx or igraph.

        The file is written completely or not at all; an existing file is replaced.

        Parameters
        ----------
        path : path-like
            The file to write.
        node_data : mapping, optional
            More attributes of the nodes: for each name, a number or a truth value a node, such
            as ``{"community": graph.communities()}``.
        """
        from pathlib import Path

        from topofs.io.write import replacing

        data = {key: np.asarray(values).tolist() for key, values in (node_data or {}).items()}
        for key, values in data.items():
            _check_node_data(key, values, self.n_nodes)
        with replacing(path) as unfinished:
            Path(unfinished).write_bytes(graphml_document(self, data))

    def communities(self) -> Ints:
        r"""Find the communities of a TMFG or a PMFG by DBHT [1]_.

        A triangle separates the graph if the graph falls apart without it. Taken apart at
        these triangles, the graph is a tree of bubbles. The edge of the tree at a triangle T
        points to the side with the larger sum of weights between T and the nodes of the side.
        Bubbles that no edge leaves converge: each is the core of a community. A node of several
        converging bubbles b belongs to that of the largest

        .. math:: \chi(v, b) = \frac{\sum_{u \in b} w_{uv}}{3 (|b| - 2)}.

        Every other node takes the core that is nearest to it, by the mean length of the shortest
        paths, of those that a directed path leads to from one of its bubbles. The length of an
        edge is :math:`\sqrt{2 (1 - w)}`.

        Returns
        -------
        array of int, shape (n_nodes,)
            The community of each node, from 0, the largest community first.

        Notes
        -----
        The number of communities is a result, not a parameter. If both sides of a triangle have
        the same sum, the edge points to the side with more nodes. Time is O(n) for the bubbles
        of a TMFG, O(n²) for those of a PMFG, and O(n log n) for each node of a core.

        References
        ----------
        .. [1] W.-M. Song, T. Di Matteo and T. Aste (2012). Hierarchical information clustering
           by means of topologically embedded graphs. PLoS ONE 7(3), e31929.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from topofs import TopologicalFeatureSelector
        >>> X = load_breast_cancer(as_frame=True).data
        >>> graph = TopologicalFeatureSelector(4, graph="tmfg").fit(X).graph_
        >>> np.bincount(graph.communities()).tolist()
        [20, 10]
        """
        from topofs.graphs.communities import communities_of

        return communities_of(self)

    def topological_overlap(self) -> sparse.csr_array:
        r"""Weighted topological overlap (wTO) of each pair: how much it shares its neighbours.

        With a the correlations, or the weights where the graph has none, and :math:`k_i =
        \sum_u |a_{iu}|`, signed as in [1]_ and [2]_,

        .. math:: \omega_{ij} = \frac{\sum_u a_{iu} a_{uj} + a_{ij}}
                                     {\min(k_i, k_j) + 1 - |a_{ij}|} .

        In a network of partial correlations, an absolute overlap above 0.25 says that two items
        of a questionnaire say the same [3]_.

        Returns
        -------
        scipy.sparse.csr_array, shape (n_nodes, n_nodes)
            Symmetric, with an empty diagonal. Pairs without a link and without a common
            neighbour are not stored.

        References
        ----------
        .. [1] K. Nowick, T. Gernat, E. Almaas and L. Stubbs (2009). Differences in human and
           chimpanzee gene expression patterns define an evolving network of transcription
           factors in brain. PNAS 106(52), 22358-22363.
        .. [2] D. M. Gysi, A. Voigt, T. M. Fragoso, E. Almaas and K. Nowick (2018). wTO: an R
           package for computing weighted topological overlap and a consensus network with
           integrated visualization tool. BMC Bioinformatics 19, 392.
        .. [3] A. P. Christensen, L. E. Garrido and H. Golino (2023). Unique variable analysis: a
           network psychometrics method to detect local dependence. Multivariate Behavioral
           Research 58(6), 1165-1182.

        Examples
        --------
        >>> graph = FilteredGraph(3, [[0, 1], [0, 2], [1, 2]], [0.5, 0.25, 0.25])
        >>> graph.topological_overlap().toarray().round(3).tolist()
        [[0.0, 0.45, 0.3], [0.45, 0.0, 0.3], [0.3, 0.3, 0.0]]
        """
        values = self.weights if self.correlations is None else self.correlations
        a = sparse.coo_array(
            (values.astype(np.float64), (self.edges[:, 0], self.edges[:, 1])),
            shape=(self.n_nodes, self.n_nodes),
        ).tocsr()
        a = (a + a.T).tocsr()
        # The halves of the product are equal up to rounding: keep one of them.
        shared = sparse.triu(a @ a + a, 1, format="coo")
        i, j = shared.row, shared.col
        total = np.asarray(abs(a).sum(axis=1)).ravel()
        between = np.zeros(len(i))
        number = self.edges[:, 0] * self.n_nodes + self.edges[:, 1]
        wanted = i.astype(np.int64) * self.n_nodes + j
        _, here, there = np.intersect1d(wanted, number, assume_unique=True, return_indices=True)
        between[here] = np.abs(values[there])
        overlap = shared.data / (np.minimum(total[i], total[j]) + 1 - between)
        half = sparse.coo_array((overlap, (i, j)), shape=a.shape).tocsr()
        both = (half + half.T).tocsr()
        both.sort_indices()
        return both

    @cached_property
    def _adjacency(self) -> sparse.csr_array:
        # Older versions of scipy search paths with 32 bit indices only.
        i, j = self.edges.T.astype(np.int32)
        both = (np.concatenate([i, j]), np.concatenate([j, i]))
        weights = np.concatenate([self.weights, self.weights])
        adjacency = sparse.coo_array(
            (weights, both), shape=(self.n_nodes, self.n_nodes)
        ).tocsr()
        adjacency.sort_indices()
        return adjacency

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FilteredGraph):
            return NotImplemented
        return (
            self.n_nodes == other.n_nodes
            and self.labels == other.labels
            and all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in (
                    *("edges", "weights", "correlations"),
                    *("cliques", "separators", "order"),
                )
            )
        )

    def __hash__(self) -> int:
        return hash((self.n_nodes, self.edges.tobytes(), self.labels))

    def __repr__(self) -> str:
        parts = [f"n_nodes={self.n_nodes}", f"n_edges={self.n_edges}"]
        if self.cliques is not None:
            parts.append(f"n_cliques={len(self.cliques)}")
        if self.labels is not None:
            shown = ", ".join(repr(label) for label in self.labels[:3])
            parts.append(f"labels=[{shown}{', …' if self.n_nodes > 3 else ''}]")
        return f"FilteredGraph({', '.join(parts)})"

    def _repr_html_(self) -> str:
        from topofs.notebook import graph_html

        return graph_html(self)


class LinkGraph(FilteredGraph):
    """The strongest links of each column, as a symmetric matrix of shares of variance.

    Edges and their weights (shares) are derived from the matrix on demand, because a list of
    all pairs takes nine times the memory of the matrix.

    Parameters
    ----------
    shares : scipy.sparse.csr_array or array, shape (n_nodes, n_nodes)
        Shares of variance in [0, 1], ones on the diagonal; symmetric, sorted indices.
    sums : array of float, shape (n_nodes,)
        The sum of each column's similarities with all columns. It decides between columns that
        add the same.
    full_rows : ShareRows, optional
        Complete rows of the nodes that have more links than `shares` holds.
    labels : sequence of str, optional
        A name for each node.

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> graph = LinkGraph(shares, shares.sum(axis=0), labels=["a", "b", "c"])
    >>> graph.edges.tolist(), graph.weights.tolist()
    ([[0, 1]], [0.5])
    """

    shares: sparse.csr_array | Doubles
    sums: Doubles
    full_rows: ShareRows | None

    def __init__(
        self,
        shares: sparse.csr_array | Doubles,
        sums: Doubles,
        *,
        full_rows: ShareRows | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        parts = {
            "shares": shares,
            "sums": sums,
            "full_rows": full_rows,
            "n_nodes": shares.shape[0],
            "labels": None if labels is None else tuple(map(str, labels)),
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        # Half of a symmetric matrix is enough.
        shares = self.shares
        half = sparse.triu(shares, 1, format="csr") if sparse.issparse(shares) else shares
        kept = {"sums": self.sums, "full_rows": self.full_rows, "labels": self.labels}
        return {"shares": half, **kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        shares = state["shares"]
        if sparse.issparse(shares):
            shares = shares + shares.T + sparse.eye_array(shares.shape[0], format="csr")
            shares.sort_indices()
        LinkGraph.__init__(self, **{**state, "shares": shares})

    @cached_property
    def edges(self) -> Ints:
        """End points of each link, ``i < j``."""
        return self._links[0]

    @cached_property
    def weights(self) -> Floats:
        """The share of variance along each link."""
        return self._links[1]

    @cached_property
    def _links(self) -> tuple[Ints, Floats]:
        upper = sparse.triu(self._adjacency, format="coo")
        edges = np.column_stack([upper.row, upper.col]).astype(np.int64)
        weights = np.array(upper.data, dtype=np.float64)
        for array in (edges, weights):
            array.flags.writeable = False
        return edges, weights

    @cached_property
    def _adjacency(self) -> sparse.csr_array:
        rows = sparse.csr_array(self.shares)
        rows = rows - sparse.eye_array(self.n_nodes, format="csr")
        rows.eliminate_zeros()
        rows.sort_indices()
        return rows

    @property
    def n_edges(self) -> int:
        """Number of links."""
        if isinstance(self.shares, np.ndarray):
            return (int(np.count_nonzero(self.shares)) - self.n_nodes) // 2
        return (int(self.shares.nnz) - self.n_nodes) // 2

    def strength(self) -> Doubles:
        """Sum the shares of the links at each node.

        Returns
        -------
        array of float, shape (n_nodes,)
        """
        # Sum whole numbers, so that no bit depends on the order of the nodes.
        rows = self._adjacency
        total = np.concatenate([[0], np.cumsum(units(rows.data))])
        return np.asarray(np.diff(total[rows.indptr]) / UNIT)

    def labelled(self, labels: Sequence[str]) -> LinkGraph:
        """Give the same graph with a name for each node.

        Parameters
        ----------
        labels : sequence of str
            The names.

        Returns
        -------
        LinkGraph
        """
        return LinkGraph(self.shares, self.sums, full_rows=self.full_rows, labels=labels)

    def renumbered(self, numbers: Ints) -> FilteredGraph:
        """Give the same links with the nodes renumbered.

        Parameters
        ----------
        numbers : array of int, shape (n_nodes,)
            The new number of each node, a permutation.

        Returns
        -------
        FilteredGraph
        """
        graph = FilteredGraph(self.n_nodes, self.edges, self.weights, labels=self.labels)
        return graph.renumbered(numbers)


def _check_edges(n_nodes: int, edges: npt.NDArray[Any], weights: Floats) -> None:
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise ValueError(
            f"edges must be pairs of whole numbers, shape (n_edges, 2); got {edges.dtype} of "
            f"shape {edges.shape}"
        )
    if weights.ndim != 1:
        raise ValueError(f"weights must be one number an edge; got the shape {weights.shape}")
    if len(weights) != len(edges):
        raise ValueError(f"got {len(edges)} edges and {len(weights)} weights")
    if n_nodes < 0:
        raise ValueError(f"n_nodes is {n_nodes}; it must be 0 or more")
    outside = (edges < 0) | (edges >= n_nodes)
    if outside.any():
        edge = tuple(edges[outside.any(axis=1).argmax()].tolist())
        raise ValueError(f"the edge {edge} leaves the nodes 0 … {n_nodes - 1}")
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if loops.size:
        raise ValueError(f"node {edges[loops[0], 0]} is joined to itself")


def _check_correlations(correlations: Doubles, n_edges: int) -> None:
    if correlations.shape != (n_edges,):
        raise ValueError(
            f"correlations must be one number an edge, of {n_edges} edges; got the shape "
            f"{correlations.shape}"
        )
    if not (np.abs(correlations) <= 1 + 1e-9).all():
        wrong = correlations[~(np.abs(correlations) <= 1 + 1e-9)][0]
        raise ValueError(f"a correlation is {wrong:g}; correlations must lie in [-1, 1]")


def _check_node_data(key: str, values: Any, n_nodes: int) -> None:
    if key in ("label", "weight", "correlation"):
        raise ValueError(
            f"node_data holds {key!r}, which the file uses itself: use another name"
        )
    kinds = isinstance(values, list) and all(isinstance(v, (bool, int, float)) for v in values)
    if not kinds or len(values) != n_nodes:
        raise ValueError(
            f"node_data[{key!r}] must be one number or truth value for each of {n_nodes} nodes"
        )


# XML 1.0 does not allow these characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_document(
    network: FilteredGraph,
    node_data: Mapping[str, Sequence[bool | float]] | None = None,
    edge_data: Mapping[str, Sequence[bool | float]] | None = None,
) -> bytes:
    """Describe a graph with edge key ``weight`` and node key ``label``, in UTF-8.

    Node i gets the id ``n{i}``, and its number as label if the graph has no labels. Control
    characters, which XML does not allow, become U+FFFD. Numbers are written with all digits.
    `node_data` are further node keys: a number or a truth value for each node; `edge_data`
    further edge keys, after ``correlation`` where the graph has correlations.
    """
    root = Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    of_nodes = {key: list(values) for key, values in (node_data or {}).items()}
    of_edges: dict[str, list[Any]] = {"weight": network.weights.tolist()}
    if network.correlations is not None:
        of_edges["correlation"] = network.correlations.tolist()
    of_edges |= {key: list(values) for key, values in (edge_data or {}).items()}
    keys = [("label", "node", "string")]
    keys += [(key, "edge", _kind(values)) for key, values in of_edges.items()]
    keys += [(key, "node", _kind(values)) for key, values in of_nodes.items()]
    for key, domain, kind in keys:
        attributes = {"id": key, "for": domain, "attr.name": key, "attr.type": kind}
        SubElement(root, "key", attributes)
    graph = SubElement(root, "graph", edgedefault="undirected")
    names = network.labels
    for i, name in enumerate(map(str, range(network.n_nodes)) if names is None else names):
        node = SubElement(graph, "node", id=f"n{i}")
        SubElement(node, "data", key="label").text = _NOT_XML.sub("\ufffd", name)
        for key, values in of_nodes.items():
            SubElement(node, "data", key=key).text = _written(values[i])
    for number, (i, j) in enumerate(network.edges.tolist()):
        edge = SubElement(graph, "edge", source=f"n{i}", target=f"n{j}")
        for key, values in of_edges.items():
            SubElement(edge, "data", key=key).text = _written(values[number])
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    # XML readers turn a carriage return into a line feed unless it is escaped.
    return document.replace(b"\r", b"&#13;")


def _kind(values: Sequence[bool | float]) -> str:
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    whole = values and all(isinstance(value, int) for value in values)
    return "long" if whole else "double"


def _written(value: bool | float) -> str:  # noqa: FBT001
    return str(value).lower() if isinstance(value, bool) else repr(value)
