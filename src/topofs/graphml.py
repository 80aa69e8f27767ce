"""Turn a graph into a GraphML document (http://graphml.graphdrawing.org)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, tostring

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

__all__ = ["graphml_document"]

# XML 1.0 has no way to write these characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_document(
    n_nodes: int,
    edges: npt.NDArray[Any],
    weights: npt.NDArray[Any],
    labels: Sequence[str] | None,
    node_data: Mapping[str, Sequence[bool | float]] | None = None,
) -> bytes:
    """Describe an undirected graph with edge key ``weight`` and node key ``label``, in UTF-8.

    Node i gets the id ``n{i}``, and its number as label where there are none; what XML cannot
    hold (control characters) becomes U+FFFD in labels. Weights are written with all digits.
    `node_data` are more node keys: a number, or a truth value, for each node.
    """
    root = Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    keys = [("label", "node", "string"), ("weight", "edge", "double")]
    more = {key: list(values) for key, values in (node_data or {}).items()}
    keys += [(key, "node", _kind(values)) for key, values in more.items()]
    for key, domain, kind in keys:
        attributes = {"id": key, "for": domain, "attr.name": key, "attr.type": kind}
        SubElement(root, "key", attributes)
    graph = SubElement(root, "graph", edgedefault="undirected")
    names = [str(i) for i in range(n_nodes)] if labels is None else labels
    for i, name in enumerate(names):
        node = SubElement(graph, "node", id=f"n{i}")
        SubElement(node, "data", key="label").text = _NOT_XML.sub("\ufffd", name)
        for key, values in more.items():
            SubElement(node, "data", key=key).text = _written(values[i])
    for (i, j), weight in zip(edges.tolist(), weights.tolist(), strict=True):
        edge = SubElement(graph, "edge", source=f"n{i}", target=f"n{j}")
        SubElement(edge, "data", key="weight").text = repr(weight)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    # Whoever reads XML takes a carriage return for a line feed unless it is escaped.
    return document.replace(b"\r", b"&#13;")


def _kind(values: Sequence[bool | float]) -> str:
    if all(isinstance(value, bool) for value in values):
        return "boolean"
    return "long" if all(isinstance(value, int) for value in values) else "double"


def _written(value: bool | float) -> str:  # noqa: FBT001
    return str(value).lower() if isinstance(value, bool) else repr(value)
