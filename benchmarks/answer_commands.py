"""The command lines of which two versions of topofs must give the same answers and files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from benchmarks.answer_tables import Table

VOLATILE = {"version", "date", "seconds", "duration"}
"""Fields that say which program wrote a file, and when."""


@dataclass(frozen=True)
class Command:
    """Command lines that follow one another, and the files that they write.

    ``{table}`` is the table as CSV, ``{target}`` its column of labels, ``{first}``, ``{second}``
    and ``{third}`` are columns.
    """

    lines: tuple[str, ...]
    files: tuple[str, ...] = ()
    only: tuple[str, ...] = ("wine", "business", "missing")
    needs_target: bool = False

    def reason_to_skip(self, table: Table) -> str | None:
        if table.name not in self.only:
            return f"a process each: asked of {', '.join(self.only)} only"
        if self.needs_target and table.y is None:
            return "the table has no column of labels"
        return None

    def answer(self, table: Table) -> dict[str, Any]:
        """Run the lines in a folder of their own."""
        with tempfile.TemporaryDirectory() as place:
            return run_command(self, table, Path(place))


COMMANDS = {
    "command_select": Command(
        (
            "select {table}.csv --out out.csv --ranking ranking.csv --graph-out graph.csv "
            "--report page.html --save saved.json --json",
            "apply saved.json {table}.csv --out applied.csv --json",
        ),
        ("out.csv", "ranking.csv", "graph.csv", "page.html", "saved.json", "applied.csv"),
        only=("wine", "cancer", "business", "missing", "ties"),
    ),
    "command_select_target": Command(
        (
            "select {table}.csv --target {target} -k 4 --graph tmfg --report page.html "
            "--graph-out graph.graphml --out out.parquet --json",
        ),
        ("page.html", "graph.graphml", "out.parquet"),
        needs_target=True,
        only=("wine", "cancer", "business"),
    ),
    "command_select_coverage": Command(
        ("select {table}.csv --coverage 0.6 --similarity spearman --ranking r.tsv --json",),
        ("r.tsv",),
        only=("missing", "ties"),
    ),
    "command_select_constraints": Command(
        (
            "select {table}.csv -k 5 --keep {third} --exclude {first} --drop {second} "
            "--at-most 1 --groups groups.csv --max-similarity 0.7 --report page.html --json",
        ),
        ("page.html",),
        only=("wine", "business", "ties"),
    ),
    "command_select_budget": Command(
        ("select {table}.csv --budget 6 --cost cost.csv --save saved.json --json",),
        ("saved.json",),
        only=("business", "missing"),
    ),
    "command_select_degree": Command(
        (
            "select {table}.csv -k 0.3 --rule degree --graph mst --report page.html --json",
            "select {table}.csv --min-share 0.8 --report share.html --json",
            "select {table}.csv --rule variance -k 4 --report variance.html --json",
        ),
        ("page.html", "share.html", "variance.html"),
        only=("wine", "business"),
    ),
    "command_select_files": Command(
        (
            "select {table}.parquet --out out.tsv --json",
            "select {table}.csv --paper -k 4 --json",
        ),
        ("out.tsv",),
        only=("missing", "ties"),
    ),
    "command_groups": Command(
        ("groups {table}.csv --out groups_out.csv --json",),
        ("groups_out.csv",),
        only=("business", "missing"),
    ),
    "command_graph": Command(
        (
            "graph {table}.csv --out graph.graphml --json",
            "graph {table}.csv --graph links --strongest 3 --out links.csv --json",
            "graph {table}.csv --graph mst --out mst.parquet --json",
        ),
        ("graph.graphml", "links.csv", "mst.parquet"),
        only=("wine", "business"),
    ),
    "command_explain": Command(
        (
            "explain {table}.csv {third} --json",
            "explain {table}.csv {first} -k 2 --graph tmfg --reach paths --json",
        ),
        only=("business", "missing"),
    ),
    "command_panel": Command(
        (
            "panel {table}.csv --panel {first} --panel {third} --next 3 --substitute {first} "
            "--report page.html --json",
        ),
        ("page.html",),
    ),
    "command_stability": Command(
        (
            "stability {table}.csv --resamples 4 --seed 3 --graph tmfg --out stable.csv "
            "--report page.html --json",
        ),
        ("stable.csv", "page.html"),
        only=("wine", "business"),
    ),
    "command_compare": Command(
        (
            "compare {table}.csv --target {target} --sizes 3,auto --folds 2 --repeats 1 "
            "--model tree --report page.html --json",
        ),
        ("page.html",),
        only=("wine", "business"),
        needs_target=True,
    ),
    "command_matrix_file": Command(
        ("select {file} -k 6 --out out.npz.csv --json", "groups {file} --json"),
        ("out.npz.csv",),
        only=("lung_small", "colon"),
    ),
}


def run_command(command: Command, table: Table, place: Path) -> dict[str, Any]:
    """Run the lines in a folder; give exit status, printed JSON and the contents of files."""
    words = prepare(table, place)
    answers: dict[str, Any] = {}
    for line in command.lines:
        parts = [part.format(**words) for part in line.split()]
        done = subprocess.run(
            [sys.executable, "-m", "topofs.cli", *parts],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        answers[line] = {
            "status": done.returncode,
            "printed": printed_json(done.stdout),
            "message": done.stderr.splitlines(),
        }
    return answers | {name: content_of(place / name) for name in command.files}


def printed_json(text: str) -> Any:
    """What was printed as JSON, or the text itself where it is none."""
    try:
        return without_volatile(json.loads(text))
    except ValueError:
        return text


def prepare(table: Table, place: Path) -> dict[str, str]:
    """Write the table and files of groups and costs; give what a command line may name."""
    frame = table.frame
    frame.to_csv(place / f"{table.name}.csv", index=False)
    frame.to_parquet(place / f"{table.name}.parquet", index=False)
    columns = [name for name in frame.columns if name != table.target]
    for name, values in (("group", "xyzuv"), ("cost", "12312")):
        lines = [f"{column},{values[i % 5]}" for i, column in enumerate(frame.columns)]
        path = place / f"{name}{'s' * (name == 'group')}.csv"
        path.write_text("\n".join([f"column,{name}", *lines]) + "\n", encoding="utf-8")
    words = {"table": table.name, "target": table.target}
    if table.file is not None:
        shutil.copy(table.file, place)
        words["file"] = table.file.name
    numbers = [
        name
        for name in columns
        if frame[name].dtype.kind in "iuf" and frame[name].nunique() > 2
    ]
    return words | dict(zip(("first", "second", "third"), numbers[-3:], strict=True))


def content_of(path: Path) -> Any:
    """What a file says, without what changes from run to run."""
    if not path.exists():
        return None
    if path.suffix == ".parquet":
        import polars as pl

        frame = pl.read_parquet(path)
        return {
            "schema": {name: str(kind) for name, kind in frame.schema.items()},
            "rows": frame,
        }
    text = path.read_bytes().decode("utf-8")
    if path.suffix == ".json":
        return without_volatile(json.loads(text))
    if path.suffix == ".html":
        return content_of_page(text)
    return np.array(text.splitlines(keepends=True))


def content_of_page(text: str) -> dict[str, Any]:
    """The data of a report, and the numbers that its text shows, which a new wording may move."""
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    body = re.sub(r"<(script|style|head)\b.*?</\1>", " ", text, flags=re.DOTALL)
    drawn = re.findall(r"\b(?:d|points|width|height|cx|cy|x1?|y1?|x2|y2)=\"([^\"]+)\"", body)
    shown = re.sub(r"<[^>]+>", " ", body)
    return {
        "data": without_volatile(json.loads(data[1])) if data else None,
        "page_drawn": np.array(drawn),
        "page_numbers": re.findall(r"\d[\d,.]*", shown),
    }


def without_volatile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_volatile(one) for key, one in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [without_volatile(one) for one in value]
    return value
