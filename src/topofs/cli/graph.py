"""``topofs graph``: the network of a table's columns, as a file for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topofs.cli.fitting import Fitted, fitted
from topofs.cli.messages import Messages, print_json, shown
from topofs.cli.options import Json, Quiet, TableName, how, roles, settings
from topofs.cli.outputs import check_outputs, write_together
from topofs.cli.term_options import option_groups

if TYPE_CHECKING:
    from topofs.io import ColumnRoles
    from topofs.io.read import ReadOptions
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["app", "check_graph_ending", "write_graph"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)

_SHOWN_LINKS = 5


@app.command(epilog="Example:  topofs graph wine.csv --drop class --out wine.graphml")
@option_groups(settings=settings, roles=roles, how=how)
def graph(
    table: TableName,
    *,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="GraphML, or a list of links as .csv, .tsv or .parquet."
        ),
    ],
    settings: TopologicalFeatureSelector,
    roles: ColumnRoles,
    as_json: Json = False,
    quiet: Quiet = False,
    how: ReadOptions,
) -> None:
    """Write the network of a table's columns, for Gephi, Cytoscape and others.

    That is the planar graph "tmfg", unless --graph names another.

    Nodes carry name, score, strength and rank of their column; links their weight.
    """
    from topofs.cli.messages import Output
    from topofs.selection.compatibility import graph_of

    messages = Messages(quiet=quiet)
    check_outputs([out], source=table)
    check_graph_ending(out)
    if graph_of(settings.graph).by_rule:
        settings.set_params(graph="tmfg")
    # Nothing is selected here, and so nothing is left out for want of a place.
    with fitted(
        table,
        size=1.0,
        selector=settings,
        roles=roles,
        how=how,
        messages=messages,
        needs_graph=True,
    ) as found:
        write_together((out, lambda path: write_graph(found, path, with_selected=False)))
    network = found.selector.graph_
    if as_json:
        print_json(_as_json(found, out))
    elif not quiet:
        output, links = Output(), _strongest(found)
        most = "; the strongest:" if links else ", all of weight 0: no two columns are alike"
        output.say(f"{network.n_nodes} columns, {network.n_edges} links{most}")
        for link in links:
            ends = f"{shown(link.source)} – {shown(link.target)}"
            output.say(f"  {ends}  {link.weight:.4g}")
    messages.written([out])


@dataclass(frozen=True)
class _Link:
    """A line of the list of links."""

    source: str
    target: str
    weight: float


def write_graph(found: Fitted, path: Path, *, with_selected: bool = True) -> None:
    """Write the network of a fitted selector, as GraphML or as a list of links."""
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
    if with_selected:
        node_data["selected"] = selector.support_[nodes].tolist()
    document = graphml_document(
        network.n_nodes, network.edges, network.weights, network.labels, node_data
    )
    path.write_bytes(document)


def check_graph_ending(path: Path) -> None:
    """Refuse a file that no network is written to."""
    from topofs.io.write import ENDINGS

    if path.suffix.lower() not in (".graphml", *ENDINGS):
        raise ValueError(
            f"{path}: cannot write {path.suffix or 'a file without an ending'}; end the name in "
            f".graphml, {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )


def _links(found: Fitted) -> list[_Link]:
    network = found.selector.graph_
    labels = network.labels or ()
    return [
        _Link(labels[i], labels[j], weight)
        for (i, j), weight in zip(network.edges.tolist(), network.weights.tolist(), strict=True)
    ]


def _strongest(found: Fitted) -> list[_Link]:
    """The strongest links; those of weight 0 are only there to complete the network."""
    alike = [link for link in _links(found) if link.weight > 0]
    return sorted(alike, key=lambda link: -link.weight)[:_SHOWN_LINKS]


def _as_json(found: Fitted, out: Path) -> dict[str, Any]:
    return {
        "table": found.table.name,
        "n_samples": found.table.n_samples,
        "n_nodes": found.selector.graph_.n_nodes,
        "n_edges": found.selector.graph_.n_edges,
        "strongest": [vars(link) for link in _strongest(found)],
        "left_out": found.left_out,
        "settings": {
            name: value
            for name, value in found.settings.items()
            if name not in ("size", "keep", "exclude", "at_most", "max_similarity")
        },
        "files": {"out": str(out)},
    }
