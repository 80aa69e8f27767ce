"""The study is a distribution of its own, on top of the library and imported by none."""

import ast
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import topofs
import topofs_study

LIBRARY = Path(topofs.__file__).parent
STUDY = Path(topofs_study.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
MAY_IMPORT = {
    "datasets": set(),
    "running": {"datasets"},
    "paper": {"datasets", "running"},
    "benchmark": {"datasets", "running", "paper"},
    "report": {"paper", "benchmark"},
    "cli": {"datasets", "running", "paper", "benchmark", "report"},
}


def imported_modules(folder):
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module == "topofs_study":
                yield from (f"topofs_study.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module


def test_the_library_imports_nothing_of_the_study():
    assert not [name for name in imported_modules(LIBRARY) if name.startswith("topofs_study")]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_the_rooms_before_it(room):
    names = [name for name in imported_modules(STUDY / room) if name.startswith("topofs_study")]
    found = {name.split(".")[1] for name in names}
    assert found <= MAY_IMPORT[room] | {room, "errors"}


def test_every_room_is_covered():
    assert {path.parent.name for path in STUDY.glob("*/__init__.py")} == set(MAY_IMPORT)


def test_both_have_the_same_version():
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    assert topofs_study.__version__ == topofs.__version__
    assert f"topofs[cli,plot,report]=={topofs.__version__}" in project["dependencies"]


def test_its_commands_are_announced():
    found = {
        entry.name: entry.value
        for entry in metadata.entry_points(group="topofs.commands")
        if entry.dist.name == "topofs-study"
    }
    names = ("benchmark", "datasets", "reproduce")
    assert found == {name: f"topofs_study.cli.{name}:app" for name in names}
