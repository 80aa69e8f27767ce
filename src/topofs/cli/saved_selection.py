"""A selection in a file, to be applied to other tables: names and settings, as plain JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from topofs.tables.how_to_read import HowToRead

__all__ = [
    "ENDING",
    "SavedSelection",
    "SelectionFileError",
    "check_saved_ending",
    "read_selection",
    "write_selection",
]

ENDING = ".json"
"""How the name of a saved selection ends."""

_SCHEMA = "topofs_selection"
_SCHEMA_VERSION = 1
_MAX_BYTES = 1 << 26


class SelectionFileError(ValueError):
    """A file holds no selection that can be applied; the message says why."""

    exit_status = 3


@dataclass(frozen=True)
class SavedSelection:
    """What is kept of a selection.

    `selected` are its columns, the best first, `passed_through` the target and identifiers that
    were written beside them, `columns` all columns of the table, in its order. `decimal` and
    `layer` are how it was read, `has_groups` whether its columns represent others. `origin` is
    for the reader: which table and settings it comes from, and which version wrote it.
    """

    selected: tuple[str, ...]
    passed_through: tuple[str, ...]
    columns: tuple[str, ...]
    has_groups: bool
    decimal: str | None = None
    layer: str | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> tuple[str, ...]:
        """The columns of the reduced table, in its order."""
        wanted = {*self.selected, *self.passed_through}
        return tuple(column for column in self.columns if column in wanted)

    def how_to_read(self, given: HowToRead) -> HowToRead:
        """Read as the first table was read, unless something else is given."""
        decimal: Any = given.decimal or self.decimal
        return replace(given, decimal=decimal, usual_layer=self.layer)


def check_saved_ending(path: Path) -> None:
    """Refuse a name that says something else than what will be in the file."""
    if path.suffix.lower() != ENDING:
        raise ValueError(
            f"--save {path}: a selection is saved as JSON; end the name in {ENDING}"
        )


def write_selection(selection: SavedSelection, path: Path) -> None:
    """Write a selection as JSON."""
    content = {
        _SCHEMA: _SCHEMA_VERSION,
        **selection.origin,
        "selected": selection.selected,
        "passed_through": selection.passed_through,
        "has_groups": selection.has_groups,
        "reading": {"decimal": selection.decimal, "layer": selection.layer},
        "columns": selection.columns,
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if len(text.encode()) > _MAX_BYTES:
        raise SelectionFileError(
            f"the names of {len(selection.columns):,} columns take more than "
            f"{_MAX_BYTES >> 20} MB, which a saved selection may have; shorten them"
        )
    path.write_text(text, encoding="utf-8")


def read_selection(path: Path) -> SavedSelection:
    """Read what `write_selection` wrote; whatever else the file holds is refused."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; give a selection that was saved")
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    with path.open("rb") as file:
        raw = file.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise SelectionFileError(
            f"{path}: has more than {_MAX_BYTES >> 20} MB, which no saved selection has"
        )
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        content = None
    version = content.get(_SCHEMA) if isinstance(content, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise SelectionFileError(
            f"{path}: is no saved selection; `topofs select TABLE --save FILE{ENDING}` writes one"
        )
    if version != _SCHEMA_VERSION:
        raise SelectionFileError(
            f"{path}: is a selection in form {version}, and this version of topofs reads form "
            f"{_SCHEMA_VERSION}; upgrade topofs, or select again"
        )
    return _checked(content, path)


def _checked(content: dict[str, Any], path: Path) -> SavedSelection:
    """Take out of a file what is needed, each of its kind."""

    def refuse(what: str) -> SelectionFileError:
        return SelectionFileError(
            f"{path}: the saved selection is damaged ({what}); select again"
        )

    def names(key: str) -> tuple[str, ...]:
        found = content.get(key)
        if not isinstance(found, list) or not all(_is_text(name) for name in found):
            raise refuse(f"{key!r} is no list of names")
        if len(set(found)) < len(found):
            raise refuse(f"{key!r} has a name twice")
        return tuple(found)

    columns = names("columns")
    found = SavedSelection(
        selected=names("selected"),
        passed_through=names("passed_through"),
        columns=columns,
        has_groups=content.get("has_groups") is True,
    )
    if not found.selected:
        raise refuse("'selected' is empty")
    known = set(columns)
    for name in (*found.selected, *found.passed_through):
        if name not in known:
            raise refuse(f"{name!r} is not among its 'columns'")
    reading = content.get("reading")
    reading = reading if isinstance(reading, dict) else {}
    decimal, layer = reading.get("decimal"), reading.get("layer")
    if decimal not in (None, ",", "."):
        raise refuse("'decimal' is neither a comma nor a point")
    if layer is not None and not _is_text(layer):
        raise refuse("'layer' is no name")
    return replace(found, decimal=decimal, layer=layer)


def _is_text(value: Any) -> bool:
    """Whether a value is a text that a table can hold: half a character is none."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
