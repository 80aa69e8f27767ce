"""Imports point one way through the rooms (ARCHITECTURE.md)."""

import ast
from pathlib import Path

import pytest

import topofs

SOURCE = Path(topofs.__file__).parent
SHARED_MODULES = {
    "atomic_write",
    "errors",
    "graph",
    "graphml",
    "layout",
    "notebook",
    "row_threads",
    "similarity_matrix",
}
MAY_IMPORT = {
    "kernels": set(),
    "similarity": {"kernels"},
    "filtering": {"kernels"},
    "centrality": {"kernels"},
    "selection": {"similarity", "filtering", "centrality", "kernels"},
    "tables": {"similarity"},
}
LIBRARY = {
    "similarity",
    "filtering",
    "centrality",
    "kernels",
    "selection",
    "tables",
}
MAY_IMPORT |= {
    "comparison": LIBRARY,
    "report": LIBRARY | {"comparison"},
    # A picture shows the numbers that the report computes.
    "plot": LIBRARY | {"comparison", "report"},
    # The empty name is the package itself: its version and its public names.
    "cli": LIBRARY | {"comparison", "plot", "report", ""},
}


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "topofs":
            names = [f"topofs.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            package, _, rest = name.partition(".")
            room = rest.partition(".")[0]
            if package == "topofs" and room not in topofs.__all__:
                yield room


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_the_rooms_before_it(room):
    # An import of topofs itself, for its version, is an import of no room.
    allowed = MAY_IMPORT[room] | SHARED_MODULES | {room, ""}
    for path in (SOURCE / room).rglob("*.py"):
        assert set(imported_rooms(path)) <= allowed, path


def test_every_room_is_covered():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert rooms == set(MAY_IMPORT)


def test_public_names_are_sorted():
    assert topofs.__all__ == sorted(topofs.__all__)
