"""Answers of one version of topofs, as JSON, on tables that the files of this folder name.

    PYTHONPATH=CHECKOUT/src:CHECKOUT/study/src python -m benchmarks.answers FOLDER

Each configuration is run on each table that it applies to; what it answers is written to
FOLDER/configuration/table.json. `benchmarks.same_answers` calls this for two versions and compares.
Both versions run the same code, so that code uses only names that both have: those of `topofs`,
and the command line, as ``python -m topofs.cli``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import traceback
import warnings
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.answer_commands import COMMANDS, Command
from benchmarks.answer_configurations import CONFIGURATIONS, Configuration
from benchmarks.answer_tables import Table, answer_tables
from benchmarks.same_answers import is_wanted

SHOWN_VALUES = 500
"""Of a longer array, the first values and a hash of all are written."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the answers are written")
    parser.add_argument("--tables", type=Path, help="the folder of the datasets")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="CONFIGURATION/TABLE")
    parser.add_argument("--checkout", type=Path, help="where topofs must come from")
    parser.add_argument("--resume", action="store_true", help="skip what is answered already")
    arguments = parser.parse_args()
    if arguments.checkout is not None:
        check_origin(arguments.checkout)
    write_answers(arguments.folder, arguments.tables, arguments.only, resume=arguments.resume)


def check_origin(checkout: Path) -> None:
    """Refuse to answer for a version that was not asked for."""
    import topofs

    if not Path(topofs.__file__).resolve().is_relative_to(checkout.resolve()):
        sys.exit(f"topofs comes from {topofs.__file__}, not from {checkout}: check PYTHONPATH")


def write_answers(
    folder: Path, datasets: Path | None, only: list[str], *, resume: bool = False
) -> None:
    """Write the answers of the installed version to all configurations that `only` names."""
    seconds: dict[str, Any] = {}
    skipped: dict[str, Any] = {}
    tables = list(answer_tables(datasets))
    asking: dict[str, Configuration | Command] = {**CONFIGURATIONS, **COMMANDS}
    for name, asked in asking.items():
        for table in tables:
            pair = f"{name}/{table.name}"
            if not is_wanted(pair, only):
                continue
            reason = asked.reason_to_skip(table)
            if reason is not None:
                skipped[pair] = reason
                continue
            if resume and (folder / f"{pair}.json").exists():
                continue
            began = time.perf_counter()
            write(folder, pair, table, encoded_answer(asked.answer, table))
            seconds[pair] = time.perf_counter() - began
    for name, values in (("seconds", seconds), ("skipped", skipped)):
        path = folder / f"{name}.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(before | values, indent=1))


def write(folder: Path, pair: str, table: Table, answer: Any) -> None:
    path = folder / f"{pair}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"table": encode(table.X), "answer": answer}
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(content, indent=1))
    unfinished.replace(path)


def encoded_answer(answer: Any, table: Table) -> Any:
    """Answer and encode; a refusal is an answer, too, and so are the warnings of topofs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = encode(answer(table))
        except Exception as error:
            found = encode_error(error)
    kinds = [one.category.__name__ for one in caught if is_of_topofs(one.category)]
    return {"warnings": sorted(kinds), **found}


def is_of_topofs(category: type) -> bool:
    return category.__module__.partition(".")[0] == "topofs"


def encode_error(error: Exception) -> dict[str, Any]:
    """The built-in kind of an error; its own class may move. The message may be reworded."""
    kind = next(one for one in type(error).__mro__ if one.__module__ == "builtins")
    line = traceback.format_exception_only(error)[-1].strip()
    return {"raises": kind.__name__, "message": line}


def encode(value: Any) -> Any:  # noqa: C901 - one case a type
    """Turn an answer into JSON that is equal where the answer is equal to the last bit."""
    if value is None or isinstance(value, (bool, int, str, float)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return encode_array(value)
    if isinstance(value, Exception):
        return encode_error(value)
    if sparse.issparse(value):
        entries = value.tocoo()
        parts = {"row": entries.row, "column": entries.col, "data": entries.data}
        return {"shape": list(value.shape), **encode(parts)}
    if hasattr(value, "obs_names"):
        return {"X": encode(value.X), "names": [str(name) for name in value.var_names]}
    if hasattr(value, "n_edges"):
        return encode_graph(value)
    if hasattr(value, "compute"):
        return encode(value.compute())
    if hasattr(value, "write_csv"):
        return encode_text(value.write_csv())
    if hasattr(value, "to_csv"):
        return encode_text(value.to_csv())
    if is_dataclass(value):
        public = [one.name for one in fields(value) if not one.name.startswith("_")]
        return {name: encode(getattr(value, name)) for name in public}
    if isinstance(value, dict):
        return {str(key): encode(one) for key, one in value.items()}
    return [encode(one) for one in value]


def encode_array(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "biuf":
        return [str(one) for one in array.ravel()]
    content = np.ascontiguousarray(array)
    return {
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "hash": hashlib.sha256(content.tobytes()).hexdigest(),
        "first": content.ravel()[:SHOWN_VALUES].tolist(),
    }


def encode_text(text: str) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"hash": digest, "first": text.splitlines()[:10]}


def encode_graph(graph: Any) -> dict[str, Any]:
    parts = ("n_nodes", "edges", "weights", "cliques", "separators", "order", "labels")
    return {part: encode(getattr(graph, part)) for part in parts}


if __name__ == "__main__":
    main()
