"""Whether two checkouts of topofs give the same answers on the same tables, to the last bit.

    python -m benchmarks.same_answers --old CHECKOUT --new CHECKOUT
    python -m benchmarks.same_answers --old CHECKOUT --new CHECKOUT --keep FOLDER
    python -m benchmarks.same_answers --old FOLDER/old --new CHECKOUT
    python -m benchmarks.same_answers --old FOLDER/old --new CHECKOUT --only 'tmfg*' '*/wine'

A checkout is a folder with src/topofs. Its answers are computed in a process of its own, by
`benchmarks.answers`. With --keep they stay in FOLDER/old and FOLDER/new; such a folder may be given
in the place of a checkout, and is then read. Compared are rankings, scores, supports, groups,
representatives, shares, graphs, what explain, evaluate, substitute and extend answer, the JSON of
the command line, and the files that it writes.

Not compared: versions and dates. Sentences (messages, notes, reasons, the words of a page) are
compared, but where nothing else differs, the verdict is "words"; --allow-words accepts these.
The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

WORDING = {"message", "notes", "reason", "reasons", "words", "page_numbers", "page_drawn"}
"""Fields of sentences, and of what a page shows beside its data."""

SHOWN_DIFFERENCES = 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--old", type=Path, required=True, help="a checkout, or kept answers")
    parser.add_argument("--new", type=Path, required=True, help="a checkout, or kept answers")
    parser.add_argument("--tables", type=Path, help="the folder of the datasets")
    parser.add_argument("--keep", type=Path, help="where computed answers are kept")
    parser.add_argument(
        "--only",
        nargs="+",
        default=["*"],
        metavar="PATTERN",
        help="configurations, tables, or configuration/table, as 'tmfg/*'",
    )
    parser.add_argument("--resume", action="store_true", help="keep what --keep holds already")
    parser.add_argument("--allow-words", action="store_true", help="sentences may differ")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        kept = arguments.keep or Path(temporary)
        folders, running = {}, []
        for side in ("old", "new"):
            given = getattr(arguments, side)
            folders[side] = given
            if (given / "src" / "topofs").is_dir():
                folders[side] = kept / side
                running.append(compute(given, folders[side], arguments))
            elif not any(given.glob("*/*.json")):
                parser.error(f"--{side} {given}: neither src/topofs nor answers are there")
        if any(status for status in [process.wait() for process in running]):
            sys.exit("a version could not answer")
        verdicts = report(folders["old"], folders["new"], arguments.only)
    differ = verdicts["DIFFERS"] + (0 if arguments.allow_words else verdicts["words"])
    sys.exit(1 if differ or not any(verdicts.values()) else 0)


def compute(
    checkout: Path, folder: Path, arguments: argparse.Namespace
) -> subprocess.Popen[bytes]:
    """Start a process that answers for a checkout."""
    folder.mkdir(parents=True, exist_ok=True)
    checkout = checkout.resolve()
    paths = [checkout / "src", checkout / "study" / "src"]
    command = [sys.executable, "-m", "benchmarks.answers", folder.resolve()]
    command += ["--checkout", checkout, "--only", *arguments.only]
    command += ["--resume"] if arguments.resume else []
    command += ["--tables", arguments.tables.resolve()] if arguments.tables else []
    return subprocess.Popen(
        [str(part) for part in command],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        | {"OMP_NUM_THREADS": "1", "TZ": "UTC", "COLUMNS": "100"},
    )


def report(old: Path, new: Path, only: list[str]) -> dict[str, int]:
    """Print a line for each configuration; give how many pairs have which verdict."""
    answers = [
        {
            f"{path.parent.name}/{path.stem}": path
            for path in folder.glob("*/*.json")
            if is_wanted(f"{path.parent.name}/{path.stem}", only)
        }
        for folder in (old, new)
    ]
    by_configuration: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for pair in sorted({*answers[0], *answers[1]}):
        configuration, table = pair.split("/")
        differences = compare(answers[0].get(pair), answers[1].get(pair))
        by_configuration[configuration][table] = differences
    total = {"same": 0, "words": 0, "DIFFERS": 0}
    for configuration, tables in by_configuration.items():
        verdicts = {table: verdict(differences) for table, differences in tables.items()}
        for one in verdicts.values():
            total[one] += 1
        counts = [f"{list(verdicts.values()).count(one)} {one}" for one in total]
        print(f"{configuration:28} {', '.join(c for c in counts if not c.startswith('0 '))}")
        for table, differences in tables.items():
            for line in sorted(differences, key=is_wording)[:SHOWN_DIFFERENCES]:
                print(f"    {table}: {line}")
            if len(differences) > SHOWN_DIFFERENCES:
                print(f"    {table}: and {len(differences) - SHOWN_DIFFERENCES} more")
    skipped = read(old / "skipped.json") if (old / "skipped.json").exists() else {}
    skipped = {pair: reason for pair, reason in skipped.items() if is_wanted(pair, only)}
    reasons = sorted(set(skipped.values()))
    n_tables = len({pair.split("/")[1] for pair in answers[0]})
    print(
        f"{len(by_configuration)} configurations on up to {n_tables} tables: "
        f"{total['same']} answers are the same, {total['words']} differ in words only, "
        f"{total['DIFFERS']} differ; {len(skipped)} pairs were not asked"
        + "".join(f"\n    not asked: {reason}" for reason in reasons)
    )
    return total


def is_wanted(pair: str, only: list[str]) -> bool:
    """Whether a pattern names the configuration, the table or both, as ``tmfg/*``."""
    return any(fnmatch(part, pattern) for pattern in only for part in (pair, *pair.split("/")))


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def compare(old: Path | None, new: Path | None) -> list[str]:
    """Say in what two files of answers differ, one line a value."""
    if old is None or new is None:
        return [f"there is no {'old' if old is None else 'new'} answer"]
    return list(differences_of(read(old), read(new), ""))


def differences_of(old: Any, new: Any, place: str) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        if "hash" in old and old.get("hash") == new.get("hash"):
            old, new = ({**one, "first": None} for one in (old, new))
        found = []
        for key in dict.fromkeys([*old, *new]):
            where = f"{place} > {key}" if place else key
            if key not in old or key not in new:
                found.append(f"{where}: only in the {'new' if key in new else 'old'} answer")
            else:
                found += differences_of(old[key], new[key], where)
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        found = []
        for position, values in enumerate(zip(old, new, strict=True)):
            found += differences_of(*values, f"{place} > {position}")
        return found
    # As text: NaN is equal to NaN, and 0 is neither 0.0 nor -0.0.
    texts = [json.dumps(one) for one in (old, new)]
    return [] if texts[0] == texts[1] else [f"{place}: {texts[0][:80]} → {texts[1][:80]}"]


def verdict(differences: list[str]) -> str:
    if not differences:
        return "same"
    return "words" if all(map(is_wording, differences)) else "DIFFERS"


def is_wording(difference: str) -> bool:
    place = difference.partition(":")[0]
    return any(part.strip() in WORDING for part in place.split(" > "))


if __name__ == "__main__":
    main()
