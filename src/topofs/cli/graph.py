"""``topofs graph``: the network of a table's columns, as a file for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli.fitting import Fitted, fitted
from topofs.cli.messages import Messages, check_outputs, error_translation, write_together
from topofs.cli.options import TABLE, check_jobs, command, option
from topofs.errors import TableError
from topofs.text import joined, listed

if TYPE_CHECKING:
    from topofs.graphs.filtered_graph import FilteredGraph
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import NetworkStability, TopologicalFeatureSelector
    from topofs.typing import Ints

_SHOWN_LINKS = 5
_SHOWN_NAMES = 12
_CONSTRAINTS = ("size", "keep", "exclude", "at_most", "at_least", "max_similarity")


@command("graph wine.csv --drop class --out wine.graphml")
def graph(
    table: str = TABLE,
    *,
    out: Path = option(
        "GraphML, or a list of links as .csv, .tsv or .parquet.", "FILE", default=...
    ),
    communities: bool = option(
        "Find the communities of a TMFG or a PMFG.", None, "--communities", default=False
    ),
    bootstrap: int | None = option(
        "Intervals by so many samples; which rows can be dropped.",
        "N",
        min=20,
    ),
    seed: int = option("Draws the samples.", min=0, max=2**32 - 1, default=0),
    jobs: int = option("Processes; -1 for one a core.", default=1),
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Write the network of a table's columns, for Gephi, Cytoscape and others.

    That is the planar graph "tmfg", unless --graph names another.

    Nodes carry name, score, strength and rank of their column; links their weight,
    and by Pearson or Spearman their correlation, which has a sign.
    """
    from topofs.selection.compatibility import graph_of

    check_jobs(jobs)
    check_outputs(table, (out, check_graph_ending))
    if graph_of(selector.graph).by_rule:
        selector.set_params(graph="tmfg")
    # Nothing is selected here, so no size is needed.
    with fitted(
        *(table, selector, messages),
        size=1.0,
        roles=roles,
        read=read,
        needs_graph=True,
        needs_rows=bootstrap is not None,
    ) as found:
        network = Exported(
            found,
            community=_communities(found) if communities else None,
            stability=_stability(found, messages, bootstrap, seed=seed, jobs=jobs),
            selected=False,
        )
        with messages.working("writing"):
            files = write_together(out=(out, network.write))
    drawn = {} if bootstrap is None else {"seed": seed}
    messages.result(
        lambda: _as_json(network) | drawn | {"files": files}, _lines(network), files
    )


def _communities(found: Fitted) -> Ints:
    with error_translation():
        return found.selector.graph_.communities()


def _stability(
    found: Fitted, messages: Messages, n_resamples: int | None, *, seed: int, jobs: int
) -> NetworkStability | None:
    """The intervals of the network; None if they are not asked for."""
    from topofs.selection import network_stability

    if n_resamples is None:
        return None
    with messages.counting("drawing rows again", "networks") as progress:
        try:
            return network_stability(
                found.selector,
                found.compared.named,
                n_resamples=n_resamples,
                splits=None if found.compared.roles.time is None else "blocks",
                random_state=seed,
                n_jobs=jobs,
                progress=progress,
            )
        except ValueError as error:
            # The options worked on all rows, so the table has too few rows.
            raise TableError(f"{found.table.name}: {error}") from error


@dataclass(frozen=True)
class _Link:
    """A line of the list of links; what is not known of any link is no column of the file."""

    source: str
    target: str
    weight: float
    correlation: float | None = None
    lower: float | None = None
    upper: float | None = None
    frequency: float | None = None
    source_community: int | None = None
    target_community: int | None = None

    @property
    def known(self) -> dict[str, Any]:
        """The values that are known."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, eq=False)
class Exported:
    """The network of a fit, with what is known about its nodes and links.

    `community` is that of each node, from 0. `selected` tells whether GraphML marks the selected
    nodes.
    """

    found: Fitted
    community: Ints | None = None
    stability: NetworkStability | None = None
    selected: bool = True

    @cached_property
    def graph(self) -> FilteredGraph:
        """The graph, with correlations where the measure has a sign."""
        from topofs.selection.answers import with_correlations

        return with_correlations(self.found.selector.graph_, self.found.similarity)

    @cached_property
    def links(self) -> list[_Link]:
        """The links in the order of the edges."""
        labels, edges = self.graph.labels or (), self.graph.edges.T.tolist()
        of_links: dict[str, Any] = {"weight": self.graph.weights.tolist()} | self.edge_data
        if self.graph.correlations is not None:
            of_links["correlation"] = self.graph.correlations.tolist()
        if self.community is not None:
            number = self.community.tolist()
            for end, nodes in zip(("source", "target"), edges, strict=True):
                of_links[f"{end}_community"] = [number[node] for node in nodes]
        rows = zip(*of_links.values(), strict=True)
        return [
            _Link(labels[i], labels[j], **dict(zip(of_links, row, strict=True)))
            for i, j, row in zip(*edges, rows, strict=True)
        ]

    @property
    def edge_data(self) -> dict[str, list[float]]:
        """The intervals of the edges, if there are any; the order of the edges is the same."""
        if self.stability is None:
            return {}
        edges = self.stability.intervals["edge"]
        return {
            "lower": edges.lower.tolist(),
            "upper": edges.upper.tolist(),
            "frequency": self.stability.frequency.tolist(),
        }

    @property
    def node_data(self) -> dict[str, list[Any]]:
        """Score, strength, rank and community of the nodes."""
        selector, nodes = self.found.selector, self.found.selector.nodes_
        data: dict[str, list[Any]] = {
            "score": selector.scores_[nodes].tolist(),
            "strength": self.graph.strength().tolist(),
            "rank": selector.ranking_[nodes].tolist(),
        }
        if self.selected:
            data["selected"] = selector.support_[nodes].tolist()
        if self.community is not None:
            data["community"] = self.community.tolist()
        return data

    def write(self, path: Path) -> None:
        """Write it as GraphML or as a list of links."""
        from topofs.graphs.filtered_graph import graphml_document
        from topofs.io import write_records
        from topofs.io.write import ENDINGS

        if path.suffix.lower() in ENDINGS:
            known = self.links[0].known if self.links else ("source", "target", "weight")
            write_records(self.links, path, kind=_Link, only=tuple(known))
            return
        path.write_bytes(graphml_document(self.graph, self.node_data, self.edge_data))


def check_graph_ending(path: Path) -> None:
    """Refuse a file format that cannot hold a network."""
    from topofs.io.write import ENDINGS

    if path.suffix.lower() not in (".graphml", *ENDINGS):
        raise ValueError(
            f"{path}: cannot write {path.suffix or 'a file without an ending'}; end the name in "
            f"{joined(('.graphml', *ENDINGS), 'or')}"
        )


def _strongest(network: Exported) -> list[_Link]:
    """The strongest links; links of weight 0 only complete the network."""
    alike = [link for link in network.links if link.weight > 0]
    return sorted(alike, key=lambda link: -link.weight)[:_SHOWN_LINKS]


def _members(network: Exported) -> list[list[str]]:
    """The names of the columns of each community."""
    community, labels = network.community, network.graph.labels or ()
    if community is None:
        return []
    return [
        [labels[node] for node in (community == number).nonzero()[0].tolist()]
        for number in range(int(community.max(initial=-1)) + 1)
    ]


def _as_json(network: Exported) -> dict[str, Any]:
    found, graph, stability = network.found, network.graph, network.stability
    answer: dict[str, Any] = {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_nodes": graph.n_nodes,
        "n_edges": graph.n_edges,
        "strongest": [link.known for link in _strongest(network)],
        "left_out": found.left_out,
        "settings": {k: v for k, v in found.settings.items() if k not in _CONSTRAINTS},
    }
    if network.community is not None:
        answer["communities"] = _members(network)
    if stability is not None:
        answer["bootstrap"] = _stability_as_json(network, stability)
    return answer


def _stability_as_json(network: Exported, stability: NetworkStability) -> dict[str, Any]:
    of_nodes = {name: of for name, of in stability.intervals.items() if name != "edge"}
    return {
        "n_resamples": stability.n_resamples,
        "level": stability.level,
        "edges": [link.known for link in network.links],
        "centralities": {
            name: [
                {"column": column, "value": value, "lower": lower, "upper": upper}
                for column, value, lower, upper in zip(
                    stability.names,
                    of.values.tolist(),
                    of.lower.tolist(),
                    of.upper.tolist(),
                    strict=True,
                )
            ]
            for name, of in of_nodes.items()
        },
        "dropped": stability.dropped.tolist(),
        "mean_correlations": {
            name: values.mean(axis=1).tolist()
            for name, values in stability.correlations.items()
        },
        "case_dropping": stability.coefficient,
    }


def _lines(network: Exported) -> Iterator[str]:
    graph, links, stability = network.graph, _strongest(network), network.stability
    most = "; the strongest:" if links else ", all of weight 0: no two columns are alike"
    yield f"{graph.n_nodes} columns, {graph.n_edges} links{most}"
    for link in links:
        line = f"  {link.source} – {link.target}  {link.weight:.4g}"
        if link.correlation is not None:
            line += f", correlation {link.correlation:.2f}"
        if link.lower is not None:
            line += f" ({link.lower:.2f} to {link.upper:.2f}), in {link.frequency:.0%}"
        yield line
    for number, members in enumerate(_members(network)):
        yield f"community {number}: {listed(members, most=_SHOWN_NAMES)}"
    if stability is not None:
        yield (
            f"intervals of {stability.level:.0%} from {stability.n_resamples:,} bootstrap "
            "samples; rows that can be dropped (correlation 0.7 with probability 95%):"
        )
        yield "  " + ", ".join(f"{n} {share:.0%}" for n, share in stability.coefficient.items())
