"""``topofs apply``: the columns of a saved selection, from another table.

A saved selection is plain JSON: the names of the columns, and how they were selected.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from topofs.cli.messages import Messages, check_outputs, write_together
from topofs.cli.options import TABLE, command, option, read_options
from topofs.cli.summary import SHOWN_NAMES
from topofs.errors import TableError
from topofs.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topofs.io import Table
    from topofs.io.read import ReadOptions


ENDING = ".json"
"""The file name ending of a saved selection."""

_SHOWN_MISSING = 8
_SCHEMA = "topofs_selection"
_SCHEMA_VERSION = 1
_MAX_BYTES = 1 << 26


@command(
    "apply selection.json next_month.csv --out smaller.csv",
    read=partial(read_options, dates=None),
)
def apply(
    selection: Path = typer.Argument(
        metavar="SELECTION", help="What `topofs select --save` wrote.", show_default=False
    ),
    table: str = TABLE,
    *,
    out: Path | None = option("The smaller table: .csv, .tsv, .parquet, .h5ad.", "FILE"),
    messages: Messages,
    read: ReadOptions,
) -> None:
    """Take the columns of a saved selection from another table.

    Nothing is selected anew. Says which columns are new and which are gone; a
    table without a selected column is refused. Without --out it only checks.
    """
    from topofs.io import open_table
    from topofs.io.annotated import check_annotated, is_annotated_ending
    from topofs.io.batches import check_streamed_output, is_many_files
    from topofs.io.write import check_ending

    annotated = out is not None and is_annotated_ending(out)
    check_outputs(table, (out, None))
    by_ending = None if annotated or is_many_files(table) else check_ending
    check_outputs(selection, (out, by_ending), what="the selection")
    saved = read_selection(selection)
    with (
        messages.working(f"reading {table}"),
        open_table(table, how=saved.read_options(read)) as opened,
    ):
        if annotated:
            check_annotated(opened, out)
        elif out is not None and opened.source is not None:
            check_streamed_output(opened.source, out)
        _check_present(saved, opened)
        files = write_together(out=(out, lambda path: _write(saved, opened, path)))
    before = set(saved.columns)
    new = [column for column in opened.columns if column not in before]
    gone = [column for column in saved.columns if column not in opened.schema]
    for names, what in ((new, "new"), (gone, "gone")):
        if names:
            columns = "1 column is" if len(names) == 1 else f"{len(names):,} columns are"
            messages.note(
                f"{columns} {what} since the selection: {listed(names, most=SHOWN_NAMES)}"
            )
    passed = [column for column in saved.passed_through if column in opened.schema]
    lost = [column for column in saved.passed_through if column not in opened.schema]
    if out is not None and lost:
        messages.note(
            f"{out.name} is without {listed(lost, most=SHOWN_NAMES)}, written by `topofs select`"
        )
    content = {
        "selection": str(selection),
        "table": opened.name,
        "n_samples": opened.n_samples,
        "n_columns": len(opened.columns),
        "n_selected": len(saved.selected),
        "selected": list(saved.selected),
        "passed_through": passed,
        "new": new,
        "gone": gone,
        "files": files,
    }
    messages.result(lambda: content, [_sentence(saved, opened, passed)], files)


def _check_present(saved: SavedSelection, table: Table) -> None:
    """Refuse a table that lacks selected columns, and suggest similar names."""
    from topofs.io.annotated import AnnotatedTable
    from topofs.text import suggest

    known = table.genes if isinstance(table, AnnotatedTable) else table.columns
    there = set(known)
    missing = [column for column in saved.selected if column not in there]
    if not missing:
        return
    selected = set(saved.selected)
    others = [column for column in known if column not in selected]
    named = []
    for column in missing[:_SHOWN_MISSING]:
        near = suggest(column, others)
        named.append(repr(column) + (f" ({near})" if near else ""))
    more = len(missing) - len(named)
    raise TableError(
        f"{table.name}: {len(missing)} of {len(saved.selected)} selected columns "
        f"{'is' if len(missing) == 1 else 'are'} missing: {', '.join(named)}"
        + (f" and {more} more" if more else "")
        + "; give a table that has all of them, or select again"
    )


def _write(saved: SavedSelection, table: Table, path: Path) -> None:
    """Write the columns in their saved order, so that tables of two months match."""
    from topofs.io import write_columns
    from topofs.io.annotated import is_annotated_ending, write_genes

    if is_annotated_ending(path):
        ranks = {name: rank for rank, name in enumerate(saved.selected, start=1)}
        ordered = {name: ranks[name] for name in saved.columns if name in ranks}
        write_genes(table, ordered, path, with_groups=saved.has_groups)
        return
    columns = [column for column in saved.written if column in table.schema]
    write_columns(table, columns, path, in_given_order=True)


def _sentence(saved: SavedSelection, table: Table, passed: Sequence[str]) -> str:
    n_selected = len(saved.selected)
    columns = "the selected column" if n_selected == 1 else f"all {n_selected} selected columns"
    beside = f"; beside them {listed(passed, most=SHOWN_NAMES)}" if passed else ""
    rows = f"{table.n_samples:,} row{'s' * (table.n_samples != 1)}"
    return f"{table.name} has {columns}{beside}; {rows}"


class SelectionFileError(ValueError):
    """A file without a usable selection; the message gives the reason."""

    exit_status = 3


@dataclass(frozen=True)
class SavedSelection:
    """A saved selection.

    `selected` are its columns, the best first. `passed_through` are the target and identifiers
    that were written with them. `columns` are all columns of the table, in its order. `decimal`
    and `layer` are the reading options; `has_groups` tells whether selected columns represent
    others. `origin` is information for people: table, settings and version.
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

    def read_options(self, given: ReadOptions) -> ReadOptions:
        """Use the reading options of the first table, unless others are given."""
        decimal: Any = given.decimal or self.decimal
        return replace(given, decimal=decimal, usual_layer=self.layer)


def check_saved_ending(path: Path) -> None:
    """Refuse a file name with a wrong ending."""
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
    path.write_text(text, encoding="utf-8", newline="\n")


def read_selection(path: Path) -> SavedSelection:
    """Read a file of `write_selection`; refuse any other content."""
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
    """Take the entries from a file and check their types."""

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
    """Whether a value is text that a table can hold, without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
