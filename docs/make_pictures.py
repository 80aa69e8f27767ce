"""Draw the pictures of the explanation pages: python docs/make_pictures.py."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import topofs
from topofs import TopologicalFeatureSelector

IMAGES = Path(__file__).parent / "images"
INK, LINK, FIRST, NEW = "#1f2937", "#c3cad5", "#0f766e", "#d97706"
SHORT = {
    "alcalinity_of_ash": "alcalinity",
    "nonflavanoid_phenols": "nonflav.",
    "od280/od315_of_diluted_wines": "od280",
    "proanthocyanins": "proanth.",
    "color_intensity": "colour",
    "total_phenols": "phenols",
}


def planar_positions(network, outer=None):
    """Draw a maximal planar graph without crossings: Tutte's method, areas evened out."""
    faces = triangles_of_embedding(network)
    outer = outer or max(faces, key=lambda face: sum(network.degree[node] for node in face))
    angles = np.pi / 2 + 2 * np.pi * np.arange(3) / 3
    n = len(network)
    position = np.zeros((n, 2))
    position[list(outer)] = np.column_stack([np.cos(angles), np.sin(angles)])
    inner = [node for node in network if node not in outer]
    weight = nx.to_numpy_array(network, nodelist=range(n), weight=None)
    for _ in range(60):
        laplacian = np.diag(weight.sum(axis=1)) - weight
        boundary = -laplacian[np.ix_(inner, list(outer))] @ position[list(outer)]
        position[inner] = np.linalg.solve(laplacian[np.ix_(inner, inner)], boundary)
        size = np.zeros((n, n))
        for a, b, c in faces:
            if {a, b, c} != set(outer):
                area = abs(cross(position[b] - position[a], position[c] - position[a]))
                for i, j in ((a, b), (b, c), (a, c)):
                    size[i, j] += area
                    size[j, i] += area
        weight = np.where(weight > 0, weight * (size + 1e-3) ** 0.15, 0)
    return position


def triangles_of_embedding(network):
    """The faces of a maximal planar graph."""
    _, embedding = nx.check_planarity(network)
    seen = set()
    return [
        tuple(embedding.traverse_face(i, j, mark_half_edges=seen))
        for i, j in embedding.edges
        if (i, j) not in seen
    ]


def cross(left, right):
    """The third component of the cross product of two vectors of the plane."""
    return left[0] * right[1] - left[1] * right[0]


def draw_links(axes, position, links, color=LINK, width=1.3, order=1):
    """Draw straight links."""
    for i, j in links:
        axes.plot(*position[[i, j]].T, color=color, linewidth=width, zorder=order)


def draw_nodes(axes, position, nodes, labels, color, size=330):
    """Draw nodes with their labels."""
    nodes = list(nodes)
    axes.scatter(*position[nodes].T, s=size, color=color, zorder=3, edgecolor="white")
    for node in nodes:
        axes.annotate(
            labels[node],
            position[node],
            ha="center",
            va="center",
            fontsize=9,
            color="white",
            zorder=4,
            weight="bold",
        )


def insertion_steps():
    """Four stages of a TMFG of eight columns of the wine table."""
    X = load_wine(as_frame=True).data.iloc[:, [0, 3, 5, 6, 8, 10, 11, 12]]
    graph = topofs.tmfg(topofs.pearson(X, squared=True))
    network = graph.to_networkx()
    used = {frozenset(separator) for separator in graph.separators.tolist()}
    free = [face for face in triangles_of_embedding(network) if frozenset(face) not in used]
    start = set(graph.order[:4].tolist())
    outer = max(free, key=lambda face: len(start & set(face)))
    position = planar_positions(network, outer)
    labels = np.empty(graph.n_nodes, dtype=object)
    labels[graph.order] = [str(step + 1) for step in range(graph.n_nodes)]
    figure, panels = plt.subplots(1, 4, figsize=(10, 2.9))
    for axes, count in zip(panels, (4, 5, 6, graph.n_nodes), strict=True):
        present = graph.order[:count].tolist()
        inside = [edge for edge in graph.edges.tolist() if set(edge) <= set(present)]
        newest = present[-1] if count in (5, 6) else None
        draw_links(axes, position, [e for e in inside if newest not in e])
        draw_links(axes, position, [e for e in inside if newest in e], NEW, 2.2, 2)
        if newest is not None:
            face = graph.separators[count - 5]
            axes.fill(*position[face].T, color=NEW, alpha=0.15, linewidth=0)
        draw_nodes(
            axes, position, present, labels, [NEW if v == newest else FIRST for v in present]
        )
        axes.set_title(
            {4: "the first four", 5: "the fifth, into a face", 6: "the sixth"}.get(
                count, f"all {count}: {len(inside)} links"
            ),
            color=INK,
            fontsize=11,
        )
        axes.set_xlim(-1.05, 1.05)
        axes.set_ylim(-0.7, 1.15)
        axes.set_axis_off()
    names = [X.columns[node] for node in graph.order]
    print("insertion order:", ", ".join(names))
    save(figure, "tmfg-steps.png")


def three_graphs():
    """MST, PMFG and TMFG of the wine table."""
    X = load_wine(as_frame=True).data
    similarity = topofs.pearson(X, squared=True)
    labels = [SHORT.get(name, name.replace("_", " ")) for name in X.columns]
    tree, pmfg, tmfg = (make(similarity) for make in (topofs.mst, topofs.pmfg, topofs.tmfg))
    in_tree = {tuple(edge) for edge in tree.edges.tolist()}
    figure, panels = plt.subplots(1, 3, figsize=(10.5, 4.4))
    at_pmfg = planar_positions(pmfg.to_networkx())
    at_tmfg = planar_positions(tmfg.to_networkx())
    for axes, name, graph, position in zip(
        panels,
        ("MST", "PMFG", "TMFG"),
        (tree, pmfg, tmfg),
        (at_pmfg, at_pmfg, at_tmfg),
        strict=True,
    ):
        edges = [tuple(edge) for edge in graph.edges.tolist()]
        draw_links(axes, position, [edge for edge in edges if edge not in in_tree])
        shared = [edge for edge in edges if edge in in_tree]
        draw_links(axes, position, shared, FIRST, 2.4, 2)
        axes.scatter(*position.T, s=40, color=INK, zorder=3)
        for label, (x, y) in zip(labels, position, strict=True):
            axes.annotate(
                label,
                (x, y),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8,
                zorder=4,
                bbox={"facecolor": "white", "alpha": 0.75, "pad": 0.6, "linewidth": 0},
            )
        total = graph.weights.sum()
        axes.set_title(f"{name}: {graph.n_edges} links, total weight {total:.2f}", color=INK)
        axes.set_xlim(-1.1, 1.1)
        axes.set_axis_off()
        print(name, graph.n_edges, f"{total:.6f}", "of the tree:", len(shared))
    save(figure, "three-graphs.png")


def hubs():
    """The hubs of the breast cancer table are alike: the network, and the similarities."""
    X = load_breast_cancer(as_frame=True).data
    selector = TopologicalFeatureSelector(8, rule="degree").fit(X)
    graph, chosen = selector.graph_, selector.support_
    position = planar_positions(graph.to_networkx())
    similarity = topofs.pearson(X, squared=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), width_ratios=[1.25, 1])
    both = [edge for edge in graph.edges.tolist() if chosen[edge].all()]
    draw_links(left, position, graph.edges, width=0.9)
    draw_links(left, position, both, FIRST, 2, 2)
    sizes = 14 + 14 * graph.degree()
    left.scatter(*position.T, s=sizes, color=np.where(chosen, FIRST, "#8b95a5"), zorder=3)
    for node in np.flatnonzero(chosen):
        left.annotate(
            graph.labels[node],
            position[node],
            (7, 3),
            textcoords="offset points",
            fontsize=8.5,
            zorder=4,
            bbox={"facecolor": "white", "alpha": 0.8, "pad": 0.6, "linewidth": 0},
        )
    left.set_title("30 columns; the 8 of highest degree marked", color=INK)
    left.set_axis_off()
    pairs = similarity[np.triu_indices(30, 1)]
    inside = similarity[np.ix_(chosen, chosen)][np.triu_indices(8, 1)]
    bins = np.linspace(0, 1, 21)
    for values, color, name in (
        (pairs, LINK, "all pairs"),
        (inside, FIRST, "pairs of selected"),
    ):
        share = np.full(len(values), 1 / len(values))
        right.hist(values, bins, weights=share, color=color, alpha=0.75, label=name)
        right.axvline(
            values.mean(), color=color if color == FIRST else "#8b95a5", linestyle="--"
        )
    right.set_xlabel("squared correlation (dashed: mean)")
    right.set_ylabel("share of the pairs")
    right.legend(frameon=False)
    right.spines[["top", "right"]].set_visible(False)
    print(
        "mean of all pairs",
        pairs.mean(),
        "of selected pairs",
        inside.mean(),
        "links",
        len(both),
    )
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(1000):
        columns = rng.choice(30, 8, replace=False)
        draws.append(similarity[np.ix_(columns, columns)][np.triu_indices(8, 1)].mean())
    print("random subsets of 8:", np.mean(draws), "as high:", np.mean(draws >= inside.mean()))
    save(figure, "hubs.png")


def ties():
    """Degrees of the pixels of the digits, and the group that a cut at 20 goes through."""
    X = load_digits().data
    X = X[:, X.std(axis=0) > 0]
    selector = TopologicalFeatureSelector(20, rule="degree").fit(X)
    degree, chosen = selector.graph_.degree().astype(int), selector.support_
    values = np.arange(3, degree.max() + 1)
    figure, axes = plt.subplots(figsize=(8, 3.4))
    taken = np.array([(degree[chosen] == value).sum() for value in values])
    left = np.array([(degree[~chosen] == value).sum() for value in values])
    axes.bar(values, taken, color=FIRST, label="selected")
    axes.bar(values, left, bottom=taken, color=LINK, label="not selected")
    axes.set_xlabel("degree in the TMFG")
    axes.set_ylabel("number of columns")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    cut = degree[chosen].min()
    where = values == cut
    print(
        f"{len(degree)} columns; the cut goes through degree {cut}: {taken[where]} {left[where]}"
    )
    save(figure, "ties.png")


def save(figure, name):
    """Write a picture on white, so that it can be read on a dark page."""
    figure.tight_layout()
    figure.savefig(IMAGES / name, dpi=130, facecolor="white")
    plt.close(figure)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    insertion_steps()
    three_graphs()
    hubs()
    ties()
