"""Run what the pages show, and write what it printed into them.

Four kinds of blocks are filled in: a ``python`` block after a comment that names a section of an
example is the code of that section, and a ``text`` block after it what the section prints; a
``console`` block holds commands with their output; a ``text`` block that begins with ``Usage:``
is the help of a command. The code stands in the pages themselves, so that they can be read where
nobody renders them. A line ``…`` stands for lines left out: as many
lines as stand before and after it are shown. From the root of the repository::

    pip install -e '.[test,docs-data]' -e ./study
    python docs/make_outputs.py                      # all pages
    python docs/make_outputs.py docs/tutorial/index.md
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
START = re.compile(r"^# --8<-- \[(start|end):(\w+)\]$", re.MULTILINE)
INCLUDED = re.compile(r'``` \{\.python\}\n--8<-- "(?P<file>\w+\.py):(?P<section>\w+)"\n```\n')
CODE = re.compile(
    r"<!-- examples/(?P<file>\w+\.py), (?P<section>\w+) -->\n"
    r"```python\n(?P<code>(?:(?!```).)*)```\n",
    re.DOTALL,
)
SHOWN = re.compile(CODE.pattern + r"\n```text\n(?P<output>.*?)```\n", re.DOTALL)
CONSOLE = re.compile(r"```console\n(?P<body>.*?)```\n", re.DOTALL)
HELP = re.compile(r"```text\n(?P<body>Usage: topofs (?P<name>\S+) .*?)```\n", re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)
PROGRESS = re.compile(r"^[a-z ]+: [\d,]+ of [\d,]+ .*\n", re.MULTILINE)
"""Lines of long work, which depend on the machine."""
MARK = "\x01"


@dataclass(frozen=True)
class Output:
    """What the section of an example prints, as a page shows it."""

    page: Path
    file: str
    section: str
    text: str


def pages() -> list[Path]:
    """List the pages that are written by hand."""
    made = {"reproduction.md", "benchmark.md", "report.md"}
    found = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in made)
    return [ROOT / "README.md", *found, ROOT / "docs/reference/report.md"]


def shown_outputs(page: Path) -> list[Output]:
    """List the outputs of examples that a page shows."""
    return [
        Output(page, found["file"], found["section"], found["output"])
        for found in SHOWN.finditer(page.read_text(encoding="utf-8"))
    ]


def section_of(file: str, section: str) -> str:
    """Give the code of a section of an example."""
    source = (EXAMPLES / file).read_text(encoding="utf-8")
    found = re.search(
        rf"^# --8<-- \[start:{section}\]\n(.*?)^# --8<-- \[end:{section}\]$",
        source,
        re.DOTALL | re.MULTILINE,
    )
    if found is None:
        raise ValueError(f"examples/{file} has no section {section!r}")
    return START.sub("", found[1]).strip("\n") + "\n"


def with_code(text: str) -> str:
    """Fill in the code of every section that a page shows."""

    def block(found: re.Match[str]) -> str:
        file, section = found["file"], found["section"]
        return (
            f"<!-- examples/{file}, {section} -->\n```python\n{section_of(file, section)}```\n"
        )

    return CODE.sub(block, INCLUDED.sub(block, text))


def environment() -> dict[str, str]:
    """Give the terminal that pages show: 80 columns, no colours."""
    commands = str(Path(sys.executable).parent)
    path = os.pathsep.join([commands, os.environ.get("PATH", "")])
    return {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "PATH": path}


def printed_by(path: Path) -> str | None:
    """Run a script in its folder; None where it needs a package that is not installed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    if "MissingExtraError" in done.stderr or "No module named 'torch'" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(f"examples/{path.name} fails:\n{done.stderr}")
    return done.stdout


def run_example(
    file: str, folder: Path, run: Callable[[Path], str | None] = printed_by
) -> dict[str, str]:
    """Run an example in a folder and give what each of its sections printed.

    Nothing where it needs a package that is not installed: the page stays as it is.
    """
    source = (EXAMPLES / file).read_text(encoding="utf-8")
    path = folder / file
    path.write_text(START.sub(rf"print('{MARK}\1 \2', flush=True)", source), encoding="utf-8")
    printed = run(path)
    path.write_text(source, encoding="utf-8")  # commands may load it
    if printed is None:
        return {}
    parts = re.split(rf"{MARK}start (\w+)\n(.*?){MARK}end \1\n", printed, flags=re.DOTALL)
    sections = dict(zip(parts[1::3], parts[2::3], strict=True))
    return {"": "".join(parts[::3]), **sections}


def shortened(new: str, old: str) -> str:
    """Leave out lines where the page does."""
    lines, before = new.splitlines(), old.splitlines()
    if "…" not in before:
        return new
    head = before.index("…")
    tail = len(before) - head - 1
    shown = [*lines[:head], "…", *lines[len(lines) - tail :]]
    return "".join(f"{line}\n" for line in shown)


def run_commands(body: str, folder: Path) -> str:
    """Run the commands of a console block that shows output."""
    parts = COMMAND.split(body)
    if not any(parts[2::2]):
        return body
    found = [parts[0]]
    for command, old in zip(parts[1::2], parts[2::2], strict=True):
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env=environment(),
        )
        new = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
        new = PROGRESS.sub("", new)
        found += [f"$ {command}\n", shortened(new, old)]
    return "".join(found)


@cache
def help_of(name: str) -> str:
    """Give the help of a command."""
    command = [sys.executable, "-m", "topofs.cli", name, "--help"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment()
    )
    lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def with_help(text: str) -> str:
    """Fill in the help of every command that a page shows."""
    return HELP.sub(lambda found: f"```text\n{help_of(found['name'])}```\n", text)


def rendered(page: Path) -> str:
    """Give a page with what its code and its commands print now."""
    text = with_code(with_help(page.read_text(encoding="utf-8")))
    files = [found["file"] for found in CODE.finditer(text)]
    if "tumours.csv" in text:
        files.append("from_a_csv.py")
    with TemporaryDirectory() as name:
        folder = Path(name)
        printed = {file: run_example(file, folder) for file in dict.fromkeys(files)}

        def output(found: re.Match[str]) -> str:
            if not printed[found["file"]]:
                return found[0]
            start, end = found.span("output")
            new = shortened(printed[found["file"]][found["section"]], found["output"])
            whole = found.string[found.start() : start] + new + found.string[end : found.end()]
            return whole.replace("```text\n\n", "```text\n")

        text = SHOWN.sub(output, text)
        if page.name == "command-line.md":  # its examples need datasets
            return text
        return CONSOLE.sub(
            lambda found: f"```console\n{run_commands(found['body'], folder)}```\n", text
        )


def main() -> None:
    """Fill in the pages that are named, or all."""
    named = [Path(name).resolve() for name in sys.argv[1:]]
    for page in named or pages():
        text = rendered(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print("written:", page.relative_to(ROOT))


if __name__ == "__main__":
    if shutil.which("topofs", path=environment()["PATH"]) is None:
        sys.exit("install topofs first: pip install -e '.[test,docs-data]' -e ./study")
    main()
