"""The ways of calling topofs from Python of which two versions must give the same answers."""

from __future__ import annotations

import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

import topofs as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.answer_tables import Table

ATTRIBUTES = (
    *("ranking_", "scores_", "support_", "n_features_", "nodes_", "forced_", "excluded_"),
    *("coverage_", "representative_", "shares_", "explained_", "groups_", "isolated_"),
    *("rare_", "min_carriers_", "left_out_", "strength_", "n_selectable_", "graph_"),
)


@dataclass(frozen=True)
class Configuration:
    """What is asked of a table, and which tables it can be asked of."""

    answer: Callable[[Table], Any]
    numbers: bool = False
    complete: bool = False
    least_columns: int = 0
    most_columns: int = 400

    def reason_to_skip(self, table: Table) -> str | None:
        if self.numbers and not table.is_numeric:
            return "takes numbers only"
        if self.complete and not table.is_complete:
            return "needs numbers without missing values"
        if table.shape[1] > self.most_columns:
            return f"takes long for more than {self.most_columns} columns"
        if table.shape[1] < self.least_columns:
            return f"has less than {self.least_columns} columns, whose matrix always fits"
        return None


CONFIGURATIONS: dict[str, Configuration] = {}


def fits(
    name: str,
    size: Any = "auto",
    *,
    most_columns: int = 400,
    numbers: bool = False,
    complete: bool = False,
    **settings: Any,
) -> None:
    """Add a configuration: a selector is fitted to the table as it is, and asked all."""

    def answer(table: Table) -> Any:
        selector = t.TopologicalFeatureSelector(size, **settings)
        return answers_of(selector.fit(table.X), table.X)

    CONFIGURATIONS[name] = Configuration(
        answer, numbers=numbers, complete=complete, most_columns=most_columns
    )


def asks(**limits: Any) -> Callable[[Callable[[Table], Any]], Callable[[Table], Any]]:
    """Add a configuration that is a function of the table."""

    def add(answer: Callable[[Table], Any]) -> Callable[[Table], Any]:
        CONFIGURATIONS[answer.__name__] = Configuration(answer, **limits)
        return answer

    return add


def absolute_correlation(X: Any) -> Any:
    return np.abs(np.corrcoef(np.asarray(X, dtype=np.float64), rowvar=False))


def by_small_memory(selector: Any, table: Table) -> Any:
    """Fit with so little memory that the matrix of similarities does not fit."""
    selector.set_params(memory=3 * table.shape[1] ** 2)
    return answers_of(selector.fit(table.X), table.X)


@cache
def function_named(name: str) -> Any:
    """Find a public function that has no place in `topofs` itself, wherever its module is."""
    root = Path(t.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            parts = path.relative_to(root.parent).with_suffix("").parts
            return getattr(import_module(".".join(parts)), name)
    raise LookupError(f"topofs has no function {name}")


def asked(question: Callable[[], Any]) -> Any:
    """The answer, or the error by which it is refused."""
    try:
        return question()
    except Exception as error:
        return error


def answers_of(selector: Any, X: Any) -> dict[str, Any]:
    """All that a fitted selector says of itself; questions that it refuses give errors."""

    def ask(method: str, *arguments: Any, **settings: Any) -> Any:
        return asked(lambda: getattr(selector, method)(*arguments, **settings))

    answers = {name: asked(partial(getattr, selector, name)) for name in ATTRIBUTES}
    for question in ("get_feature_names_out", "representation_graph"):
        answers[question] = ask(question)
    for term in ("similarity_", "rule_"):
        with suppress(AttributeError):
            answers[term] = type(getattr(selector, term)).__name__
    order = np.argsort(selector.ranking_)
    for size in (1, 4, 0.5, None):
        smaller = ask("at", size)
        answers[f"at {size}"] = getattr(smaller, "support_", smaller)
    if X is not None:
        answers["transform"] = ask("transform", X)
        answers["pick"] = ask("pick", X)
    selected = order[selector.support_[order]]
    others = order[~selector.support_[order]]
    for position in (*selected[:1].tolist(), *others[:1].tolist(), *order[-1:].tolist()):
        answers[f"explain {position}"] = ask("explain", position)
    answers["evaluate"] = ask("evaluate", n_random=10)
    listed = order[[0, len(order) // 2, -1]].tolist()
    answers["evaluate list"] = ask("evaluate", listed, n_next=3, n_random=10, random_state=1)
    answers["substitute"] = asked(lambda: selector.substitute(int(selected[0])))
    answers["extend"] = asked(lambda: selector.extend(2).ranking_)
    return answers


fits("default", most_columns=3000)
# Measures.
fits("pearson_signed", similarity=t.Pearson(squared=False), numbers=True)
fits("pearson_ordered_rows", similarity=t.Pearson(rows="ordered"), numbers=True)
fits("spearman", similarity="spearman", numbers=True, most_columns=3000)
fits("spearman_signed", similarity=t.Spearman(squared=False), graph="tmfg", numbers=True)
fits("mixed", similarity="mixed")
fits("energy", similarity="energy", size=6, rule="strength", most_columns=100, numbers=True)
fits(
    "energy_alpha",
    similarity=t.Energy(alpha=0.2),
    size=6,
    rule="degree",
    most_columns=50,
    numbers=True,
)
fits("mutual_information", similarity="mutual_information", numbers=True)
fits(
    "mutual_information_bins",
    similarity=t.MutualInformation(n_bins=4),
    most_columns=100,
    numbers=True,
)
fits("callable", similarity=absolute_correlation, complete=True)


@asks(complete=True)
def precomputed(table: Table) -> Any:
    S = t.pearson(table.X, squared=True)
    return answers_of(t.TopologicalFeatureSelector(similarity="precomputed").fit(S), None)


@asks(most_columns=100)
def measure_functions(table: Table) -> Any:
    functions = (t.pearson, t.spearman, t.mixed, t.mutual_information, t.energy, t.tfs_score)
    return {call.__name__: asked(partial(call, table.X)) for call in functions}


# Graphs.
fits("links_few", graph=t.Links(strongest=4))
fits("links_all_pairs", graph=t.Links(None))
fits("tmfg", graph="tmfg", most_columns=3000)
fits("tmfg_cut_at_mean", graph="tmfg", threshold="mean")
fits("pmfg", graph="pmfg")
fits("mst", graph="mst")
fits("clique_forest", graph="mfcf")
fits("clique_forest_triangles", graph=t.CliqueForest(max_clique=3))


@asks(complete=True)
def graph_functions(table: Table) -> Any:
    S = t.pearson(table.X, squared=True)
    S[np.isnan(S)] = 0
    graphs = {call.__name__: call(S) for call in (t.tmfg, t.pmfg, t.mst, t.clique_forest)}
    centralities = (t.degree, t.strength, t.closeness, t.betweenness, t.eigenvector)
    places = {
        f"{name} {call.__name__}": asked(partial(call, graph))
        for name, graph in graphs.items()
        for call in (*centralities, t.pagerank)
    }
    return {"cut": t.threshold_mean(S), **graphs, **places}


@asks(complete=True)
def graphml(table: Table) -> Any:
    graph = t.tmfg_from_data(table.X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.graphml"
        graph.write_graphml(path)
        text = path.read_text(encoding="utf-8")
    network = graph.to_networkx()
    return {
        "text": np.array(text.splitlines()),
        "edges": [[a, b, data["weight"]] for a, b, data in network.edges(data=True)],
        "matrix": graph.to_scipy(),
        "neighbors": [graph.neighbors(node) for node in range(min(5, graph.n_nodes))],
    }


# Rules.
fits("reach_edges", rule=t.Coverage(reach="edges"))
fits("reach_edges_tmfg", graph="tmfg", rule=t.Coverage(reach="edges"))
fits("reach_paths", graph="tmfg", rule=t.Coverage(reach="paths"), most_columns=3000)
fits("refine", rule=t.Coverage(refine=True), size=5)
fits("isolated_last", rule=t.Coverage(isolated="last"))
fits("isolated_keep", rule=t.Coverage(isolated="keep"))
fits("ties_by_index", rule=t.Coverage(ties="index"), most_columns=3000)
fits("variance", rule="variance", size=8, most_columns=3000)
fits("min_share", size=t.MinShare(0.8))
fits("until_coverage", size=t.UntilCoverage(0.7))
for name in ("degree", "strength", "closeness", "betweenness", "eigenvector", "pagerank"):
    fits(name, size=6, rule=name)
fits("degree_mst_by_index", size=6, graph="mst", rule=t.Centrality("degree", ties="index"))
# Constraints and sizes.
fits("half", size=None)
fits("fraction", size=0.2, graph="tmfg")
fits("keep_exclude", keep=[3, 7], exclude=[0, 5])
fits("max_similarity", size=8, max_similarity=0.4)
fits("min_carriers", min_carriers=8)


@asks()
def at_most(table: Table) -> Any:
    groups = [f"group {i % 7}" if i % 5 else None for i in range(table.shape[1])]
    limit = t.AtMost(1, of=groups)
    selector = t.TopologicalFeatureSelector(7, at_most=limit).fit(table.X)
    return answers_of(selector, table.X)


@asks()
def budget(table: Table) -> Any:
    cost = 1 + np.arange(table.shape[1]) % 4
    selector = t.TopologicalFeatureSelector(t.Budget(9, cost=cost)).fit(table.X)
    return answers_of(selector, table.X)


@asks()
def all_constraints(table: Table) -> Any:
    selector = t.TopologicalFeatureSelector(
        6,
        keep=[4],
        exclude=[1, 2],
        at_most=t.AtMost(2, of=[i % 5 for i in range(table.shape[1])]),
        max_similarity=0.6,
        graph="tmfg",
    )
    return answers_of(selector.fit(table.X), table.X)


# Ways to hold a table.
@asks(complete=True, least_columns=200, most_columns=3000)
def without_matrix(table: Table) -> Any:
    return by_small_memory(t.TopologicalFeatureSelector(graph=t.Links(2)), table)


@asks(complete=True, least_columns=300, most_columns=3000)
def without_matrix_tmfg(table: Table) -> Any:
    return by_small_memory(t.TopologicalFeatureSelector(9, graph="tmfg"), table)


@asks(complete=True, least_columns=300, most_columns=3000)
def without_matrix_paper(table: Table) -> Any:
    return by_small_memory(t.TopologicalFeatureSelector.paper(9), table)


@asks(complete=True, most_columns=3000)
def sparse_columns(table: Table) -> Any:
    X = sparse.csr_array(table.matrix)
    return answers_of(t.TopologicalFeatureSelector().fit(X), X)


@asks(complete=True, most_columns=3000)
def float32(table: Table) -> Any:
    X = table.matrix.astype(np.float32)
    return answers_of(t.TopologicalFeatureSelector().fit(X), X)


@asks(complete=True)
def dask_chunks(table: Table) -> Any:
    import dask
    import dask.array

    from_array: Any = dask.array.from_array
    X = from_array(table.matrix, chunks=(97, 40))
    with dask.config.set(scheduler="synchronous"):
        return answers_of(t.TopologicalFeatureSelector().fit(X), X)


@asks()
def polars_frame(table: Table) -> Any:
    import polars as pl

    X = pl.from_pandas(table.frame)
    return answers_of(t.TopologicalFeatureSelector().fit(X), X)


@asks(complete=True)
def annotated(table: Table) -> Any:
    import anndata

    X = anndata.AnnData(table.matrix)
    selector = t.TopologicalFeatureSelector().fit(X)
    selector.annotate(X)
    noted = {key: np.asarray(X.var[key]) for key in X.var.columns}
    return {"selector": answers_of(selector, X), "noted": noted}


# The published method and its rival; what is built on a selection or a graph.
@asks(complete=True, most_columns=3000)
def paper(table: Table) -> Any:
    return answers_of(t.TopologicalFeatureSelector.paper(None).fit(table.X), table.X)


@asks(complete=True)
def paper_spearman(table: Table) -> Any:
    selector = t.TopologicalFeatureSelector.paper(5, similarity="spearman", keep=[2])
    return answers_of(selector.fit(table.X), table.X)


@asks(complete=True)
def infinite(table: Table) -> Any:
    return answers_of(t.InfiniteFeatureSelector(5).fit(table.X), table.X)


@asks()
def stability(table: Table) -> Any:
    selector = t.TopologicalFeatureSelector(graph="tmfg")
    return t.stability(selector, table.X, n_resamples=4, random_state=0)


@asks(complete=True)
def covariance(table: Table) -> Any:
    X = table.matrix[:, np.ptp(table.matrix, axis=0) > 0]
    answers = {}
    for graph in ("tmfg", "mst"):
        model = t.LoGoCovariance(graph).fit(X)
        names = (
            "location_",
            "precision_",
            "covariance_",
            "logdet_",
            "shrinkage_",
            "graph_",
        )
        answers[graph] = {name: getattr(model, name) for name in names} | {
            "score": model.score(X),
            "mahalanobis": model.mahalanobis(X),
            "conditional": model.conditional([0, 2], X[:3, [0, 2]]),
        }
    return answers


@asks(complete=True, most_columns=100)
def noise_features(table: Table) -> Any:
    call = function_named("noise_features")
    return call(table.X, n_permutations=2, random_state=0)
