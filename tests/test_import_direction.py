"""Imports point one way through the rooms (ARCHITECTURE.md)."""

import ast
from functools import cache

import pytest

import topofs
from tests.syntax_trees import SOURCE, module_of, room_of, source_files

IN_NO_ROOM = {
    "atomic_write",
    "errors",
    "graph",
    "graphml",
    "layout",
    "matrix_sums",
    "memory_size",
    "planar_layout",
    "network",
    "notebook",
    "progress",
    "row_threads",
    "similarity_matrix",
    "terms",
}
"""Modules that every room but the kernels may import; they import only each other."""

ON_A_KERNEL = {
    "graph": {"kernels.units"},
    "layout": {"kernels"},
    "matrix_sums": {"kernels"},
}
"""Those of them that stand on a part of `kernels`, which itself imports nothing of topofs."""

WITHOUT_NUMBA = ("kernels/__init__.py", "kernels/dispatch.py", "kernels/units.py")
"""What of the kernels is imported for any table."""

BELOW_RULES = {"similarity", "filtering", "centrality", "kernels"}
BELOW_COMPARISON = BELOW_RULES | {"rules", "engines", "tables", "selection"}
MAY_IMPORT = {
    "kernels": set(),
    "tables": set(),
    # What a table in memory is, not how files are read.
    "similarity": {
        "kernels",
        "tables.columns",
        "tables.given",
        "tables.levels",
        "tables.typed_table",
    },
    "filtering": {"kernels"},
    "centrality": {"kernels"},
    "rules": BELOW_RULES,
    "engines": BELOW_RULES,
    "selection": BELOW_RULES | {"rules", "engines", "tables"},
    "models": BELOW_RULES | {"engines", "selection", "tables.given"},
    "torch": BELOW_RULES | {"engines", "selection", "models", "tables.given"},
    "comparison": BELOW_COMPARISON,
    "report": BELOW_COMPARISON | {"comparison"},
    "plot": BELOW_COMPARISON | {"comparison", "report"},
    "cli": BELOW_COMPARISON | {"comparison", "report", "plot"},
}
SEES_ALL = {"comparison", "report", "plot", "cli"}
"""Rooms that may import the package itself, by which every public name can be reached."""


def wrong_imports(source, module):
    """What a module imports from where it may not, at its top or inside a function."""
    room = room_of(module)
    if room is None:
        allowed = IN_NO_ROOM | ON_A_KERNEL.get(module, set())
    else:
        shared = IN_NO_ROOM if room != "kernels" else set()
        allowed = MAY_IMPORT[room] | shared | {room} | ({""} if room in SEES_ALL else set())
    by_name = module not in ("__init__", "terms")
    return [
        target
        for target in imported(source, module, by_name=by_name)
        if not any(target == name or target.startswith(f"{name}.") for name in allowed)
    ]


def imported(source, module, *, by_name=True):
    """Modules of topofs that a source imports: "graph", "tables.columns"; "" is all of it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _below(alias.name)
        elif isinstance(node, ast.ImportFrom):
            package = _absolute(node, module)
            for alias in node.names:
                yield from _of_name(package, alias.name)
        elif by_name and isinstance(node, ast.Call):
            yield from _by_name(node)


def _below(name):
    """The module below topofs that a dotted name stands for; another package has none."""
    package, _, rest = name.partition(".")
    if package in ("topofs", "topofs_study"):
        yield rest if package == "topofs" else package


def _absolute(node, module):
    """The package of a from-import, whose dots are counted from the importing module."""
    if not node.level:
        return node.module or ""
    path = SOURCE.joinpath(*module.split("."))
    parts = ["topofs", *module.split(".")] if module != "__init__" else ["topofs"]
    inside = parts if path.is_dir() or module == "__init__" else parts[:-1]
    above = inside[: len(inside) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _of_name(package, name):
    """The module that a name from a package comes from."""
    if package != "topofs":
        for below in _below(package):
            inside = SOURCE.joinpath(*below.split("."), f"{name}.py")
            yield f"{below}.{name}" if inside.exists() else below
    elif name != "__version__":
        yield public_names().get(name, name if room_of(name) or name in IN_NO_ROOM else "")


@cache
def public_names():
    """The room, or module in no room, of every public name."""
    return {
        name: getattr(topofs, name).__module__.removeprefix("topofs.").partition(".")[0]
        for name in topofs.__all__
        if name != "__version__"
    }


def _by_name(call):
    """Imports by a text, such as ``import_module("topofs.cli")``, also one put together."""
    function = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if function not in ("import_module", "__import__") or not call.args:
        return
    text = call.args[0]
    if isinstance(text, ast.JoinedStr):
        text = text.values[0]
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        yield from _below(text.value.removesuffix("."))


FILES = {module_of(path): path for path in source_files()}


@pytest.mark.parametrize("module", sorted(FILES.keys() - {"__init__"}))
def test_a_module_imports_only_what_lies_before_it(module):
    assert wrong_imports(FILES[module].read_text(), module) == []


def test_the_package_itself_imports_nothing_before_a_name_is_used():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    for_types = [
        node
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
    ]
    assert for_types
    tree.body = [node for node in tree.body if not isinstance(node, ast.If)]
    assert list(imported(ast.unparse(tree), "__init__", by_name=False)) == []


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("kernels.tmfg", "from topofs import TopologicalFeatureSelector", ["selection"]),
        ("kernels.tmfg", "from topofs import FilteredGraph", ["graph"]),
        ("kernels.tmfg", "from topofs.runtime import for_row_ranges", ["row_threads"]),
        ("kernels.tmfg", "import topofs", [""]),
        ("kernels.tmfg", "from topofs import *", [""]),
        ("kernels.tmfg", "from topofs import selection", ["selection"]),
        ("kernels.tmfg", "from ..selection import stability", ["selection.stability"]),
        ("kernels.tmfg", "from .. import selection", ["selection"]),
        (
            "kernels.tmfg",
            "def late():\n    from topofs.graphs.filtered_graph import FilteredGraph",
            ["graph"],
        ),
        ("similarity.pearson", "from topofs import tmfg", ["filtering"]),
        ("similarity.pearson", "from topofs.io.read import a", ["tables.opening"]),
        ("similarity.pearson", "from topofs.io import opening", ["tables.opening"]),
        ("similarity.pearson", "import topofs.io.delimited", ["tables.records"]),
        (
            "filtering.mst",
            "from topofs.similarity.operator import dense",
            ["similarity.operator"],
        ),
        ("centrality.degree", "from topofs.rules import Rule", ["rules"]),
        ("rules.coverage", "from topofs.backends.dispatch import a", ["engines.choosing"]),
        ("engines.choosing", "from topofs.rules.base import Rule", ["rules.rule"]),
        ("engines.choosing", "import_module('topofs.selection')", ["selection"]),
        ("engines.choosing", "importlib.import_module(f'topofs.cli.{name}')", ["cli"]),
        ("engines.choosing", "import_module(f'topofs.{name}')", [""]),
        ("tables.columns", "from topofs.similarity.base import a", ["similarity.measure"]),
        ("tables", "from .opening import a\nfrom ..rules import b", ["rules"]),
        ("selection.noise", "from topofs.report.document import a", ["report.document"]),
        ("selection.noise", "import topofs", [""]),
        ("selection.noise", "from topofs_study import registry", ["topofs_study"]),
        ("cli.app", "import topofs_study.run", ["topofs_study"]),
        ("report.document", "from topofs.cli.app import main", ["cli.app"]),
        ("report.document", "from topofs.plot import network", ["plot.network"]),
        ("graph", "from topofs.selection import stability", ["selection.stability"]),
        ("graph", "def late():\n    from topofs import pearson", ["similarity"]),
        (
            "graphml",
            "def late():\n    from topofs._kernels.tmfg_lists import a",
            ["kernels.tmfg"],
        ),
        ("graph", "import_module('topofs.rules')", ["rules"]),
        ("terms", "from topofs.rules import Coverage", ["rules"]),
        ("errors", "from .tables import columns", ["tables.columns"]),
    ],
)
def test_a_wrong_import_is_found(module, source, found):
    assert wrong_imports(source, module) == found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "kernels.tmfg",
            "import numpy\nfrom topofs._kernels.block_maxima import a\nfrom . import b",
        ),
        ("similarity.mixed", "from topofs.io.types import TypedTable"),
        ("similarity.mixed", "from topofs import FilteredGraph, __version__"),
        ("selection.noise", "from topofs import Coverage, MST, pearson, register"),
        ("terms", "import_module(f'topofs.{room}')"),
        ("graph", "from topofs._kernels.dispatch import UNIT"),
        ("layout", "from topofs._kernels.spring_layout import relax"),
        ("cli.app", "import topofs\nfrom topofs.plot import network"),
        ("tables", "import_module(f'topofs.io.{name}')"),
    ],
)
def test_other_imports_are_not(module, source):
    assert wrong_imports(source, module) == []


def test_every_room_and_every_module_in_no_room_is_covered():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert rooms == MAY_IMPORT.keys()
    modules = {path.stem for path in SOURCE.glob("*.py")}
    assert modules == IN_NO_ROOM | {"__init__"}


@pytest.mark.parametrize("file", WITHOUT_NUMBA)
def test_what_any_table_imports_of_the_kernels_needs_numpy_alone(file):
    tree = ast.parse((SOURCE / file).read_text())
    needed = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert needed <= {"__future__", "typing", "numpy"}


def test_public_names_are_sorted():
    """Abbreviations, then classes, then functions, as ruff sorts them."""

    def place(name):
        return not name.isupper(), not name[0].isupper(), name

    assert topofs.__all__ == sorted(topofs.__all__, key=place)
