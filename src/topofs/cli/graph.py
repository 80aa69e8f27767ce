"""``topofs graph``: the network of a table's columns, as a file for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.cli.fitting import Fitted, fitted
from topofs.cli.messages import Messages, check_outputs, write_together
from topofs.cli.options import TABLE, command, option
from topofs.text import joined

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

_SHOWN_LINKS = 5
_CONSTRAINTS = ("size", "keep", "exclude", "at_most", "at_least", "max_similarity")


@command("graph wine.csv --drop class --out wine.graphml")
def graph(
    table: str = TABLE,
    *,
    out: Path = option(
        "GraphML, or a list of links as .csv, .tsv or .parquet.", "FILE", default=...
    ),
    selector: TopologicalFeatureSelector,
    roles: ColumnRoles,
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Write the network of a table's columns, for Gephi, Cytoscape and others.

    That is the planar graph "tmfg", unless --graph names another.

    Nodes carry name, score, strength and rank of their column; links their weight.
    """
    from topofs.selection.compatibility import graph_of

    check_outputs(table, (out, check_graph_ending))
    if graph_of(selector.graph).by_rule:
        selector.set_params(graph="tmfg")
    # Nothing is selected here, so no size is needed.
    with fitted(
        table, selector, messages, size=1.0, roles=roles, read=read, needs_graph=True
    ) as found:
        files = write_together(out=(out, lambda path: write_graph(found, path, selected=False)))
    messages.result(lambda: _as_json(found) | {"files": files}, _lines(found), files)


@dataclass(frozen=True)
class _Link:
    """A line of the list of links."""

    source: str
    target: str
    weight: float


def write_graph(found: Fitted, path: Path, *, selected: bool = True) -> None:
    """Write the network of a fit as GraphML or as a list of links; GraphML marks selected nodes."""
    from topofs.graphs.filtered_graph import graphml_document
    from topofs.io import write_records
    from topofs.io.write import ENDINGS

    if path.suffix.lower() in ENDINGS:
        write_records(_links(found), path, kind=_Link)
        return
    selector, network, nodes = found.selector, found.selector.graph_, found.selector.nodes_
    node_data: dict[str, Any] = {
        "score": selector.scores_[nodes].tolist(),
        "strength": network.strength().tolist(),
        "rank": selector.ranking_[nodes].tolist(),
    }
    if selected:
        node_data["selected"] = selector.support_[nodes].tolist()
    document = graphml_document(
        network.n_nodes, network.edges, network.weights, network.labels, node_data
    )
    path.write_bytes(document)


def check_graph_ending(path: Path) -> None:
    """Refuse a file format that cannot hold a network."""
    from topofs.io.write import ENDINGS

    if path.suffix.lower() not in (".graphml", *ENDINGS):
        raise ValueError(
            f"{path}: cannot write {path.suffix or 'a file without an ending'}; end the name in "
            f"{joined(('.graphml', *ENDINGS), 'or')}"
        )


def _links(found: Fitted) -> list[_Link]:
    network = found.selector.graph_
    labels = network.labels or ()
    return [
        _Link(labels[i], labels[j], weight)
        for (i, j), weight in zip(network.edges.tolist(), network.weights.tolist(), strict=True)
    ]


def _strongest(found: Fitted) -> list[_Link]:
    """The strongest links; links of weight 0 only complete the network."""
    alike = [link for link in _links(found) if link.weight > 0]
    return sorted(alike, key=lambda link: -link.weight)[:_SHOWN_LINKS]


def _as_json(found: Fitted) -> dict[str, Any]:
    network = found.selector.graph_
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_nodes": network.n_nodes,
        "n_edges": network.n_edges,
        "strongest": [vars(link) for link in _strongest(found)],
        "left_out": found.left_out,
        "settings": {k: v for k, v in found.settings.items() if k not in _CONSTRAINTS},
    }


def _lines(found: Fitted) -> Iterator[str]:
    network, links = found.selector.graph_, _strongest(found)
    most = "; the strongest:" if links else ", all of weight 0: no two columns are alike"
    yield f"{network.n_nodes} columns, {network.n_edges} links{most}"
    for link in links:
        yield f"  {link.source} – {link.target}  {link.weight:.4g}"
