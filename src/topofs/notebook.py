"""HTML of a graph and of a fitted selector, for notebooks.

Names are escaped; no style sheet is needed and no script runs.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from topofs.graphs.filtered_graph import FilteredGraph

__all__ = ["graph_html", "groups_html", "selection_html"]

_MOST_DRAWN = 300
_MOST_LISTED = 10
_MOST_MEMBERS = 4
_WIDTH, _HEIGHT, _MARGIN = 420, 300, 14
# Colours that can be read on a light and on a dark page; text keeps the colour of the page.
_ACCENT, _OTHER = "#e8590c", "#8796aa"
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0"


def graph_html(graph: FilteredGraph) -> str:
    """Describe a graph: its size, its best connected nodes and, up to 300 nodes, its drawing."""
    degree, strength = graph.degree(), graph.strength()
    best = np.lexsort((-strength, -degree))[:_MOST_LISTED].tolist()
    names = graph.labels or [str(node) for node in range(graph.n_nodes)]
    parts = [f"{graph.n_nodes:,} nodes", f"{graph.n_edges:,} edges"]
    if graph.cliques is not None:
        parts.append(f"{len(graph.cliques):,} cliques")
    if graph.n_edges:
        parts.append(f"weights {graph.weights.min():.3g} to {graph.weights.max():.3g}")
    rows = [(names[i], f"{degree[i]:,}", f"{strength[i]:.2f}") for i in best]
    table = _table(("node", "degree", "strength"), rows)
    picture = _drawing(graph, best[:5], names) if 0 < graph.n_nodes <= _MOST_DRAWN else ""
    return (
        f"<div><p><strong>FilteredGraph</strong>: {', '.join(parts)}</p>"
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f"<div><p>Best connected</p>{table}</div>{picture}</div></div>"
    )


def selection_html(
    names: Sequence[str],
    support: npt.NDArray[np.bool_],
    ranking: npt.NDArray[np.int64],
    scores: npt.NDArray[np.float64],
) -> str:
    """List what a fitted selector selected, best first, from arrays over the features."""
    selected = [i for i in np.argsort(ranking).tolist() if support[i]]
    rows = [(names[i], f"{ranking[i]:,}", f"{scores[i]:.4g}") for i in selected]
    table = _table(("feature", "rank", "score"), rows[:_MOST_LISTED])
    more = len(rows) - _MOST_LISTED
    rest = f"<p>and {more:,} more: get_feature_names_out()</p>" if more > 0 else ""
    return _unfolded(
        f"<strong>{len(rows):,} of {len(names):,} features selected</strong>", table + rest
    )


def groups_html(
    groups: Sequence[tuple[str, float, Sequence[str]]],
    *,
    n_features: int,
    covered: float,
    n_isolated: int,
) -> str:
    """List selected features with what each adds and those it represents, best first."""
    rows = [(name, f"{adds:.2f}", _brief(members)) for name, adds, members in groups]
    table = _table(("feature", "adds", "represents"), rows[:_MOST_LISTED], words=(0, 2))
    notes = []
    if len(rows) > _MOST_LISTED:
        notes.append(f"and {len(rows) - _MOST_LISTED:,} more: groups_")
    if n_isolated:
        are = "feature is" if n_isolated == 1 else "features are"
        notes.append(f"{n_isolated:,} {are} isolated: isolated_")
    rest = "".join(f"<p>{note}</p>" for note in notes)
    summary = (
        f"<strong>{len(rows):,} of {n_features:,} features selected</strong>, representing "
        f"{100 * covered:.0f} % of all"
    )
    return _unfolded(summary, table + rest)


def _unfolded(summary: str, details: str) -> str:
    return (
        f'<details open style="margin:0.5em 0"><summary style="cursor:pointer">{summary}</summary>'
        f'<div style="margin:0.4em 0 0 1em">{details}</div></details>'
    )


def _brief(names: Sequence[str]) -> str:
    """The first names, and the number of further ones."""
    if not names:
        return "itself alone"
    return listed(names, most=_MOST_MEMBERS)


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = (0,)
) -> str:
    """A table of numbers, with columns of words."""
    sides = ["left" if at in words else "right" for at in range(len(heads))]
    cell = "text-align:{};padding:0.1em 0.8em 0.1em 0"

    def row(tag: str, values: Sequence[Any]) -> str:
        cells = (
            f'<{tag} style="{cell.format(side)}">{escape(str(value))}</{tag}>'
            for side, value in zip(sides, values, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "".join(row("td", values) for values in rows)
    return f'<table style="{_TABLE}"><thead>{row("th", heads)}</thead><tbody>{body}</tbody></table>'


def _drawing(graph: FilteredGraph, marked: Sequence[int], names: Sequence[str]) -> str:
    """The graph as SVG, with marked nodes; every node shows its name under the pointer."""
    from topofs.layout import layout

    places = layout(graph)
    half = np.abs(places).max(axis=0).clip(min=1e-9)
    size = np.array([_WIDTH, _HEIGHT])
    scale = ((size / 2 - _MARGIN) / half).min()
    at = (size / 2 + places * scale).round(1).tolist()
    lines = "".join(
        f"M{at[i][0]} {at[i][1]}L{at[j][0]} {at[j][1]}" for i, j in graph.edges.tolist()
    )
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="{5 if node in marked else 3.5}" '
        f'fill="{_ACCENT if node in marked else _OTHER}">'
        f"<title>{escape(names[node])}</title></circle>"
        for node, (x, y) in enumerate(at)
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Drawing of the graph" style="max-width:100%"><path d="{lines}" '
        f'fill="none" stroke="{_OTHER}" stroke-opacity="0.45"/>{dots}</svg>'
    )
