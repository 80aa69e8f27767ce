"""Run what the pages show, and write what it printed into them.

Filled in are:

- a ``python`` block after a comment that names a section of an example: the code of that section
  (``# %% name`` up to the next ``# %%``); a ``text`` block after it: what the section prints;
- a ``console`` block: commands with their output;
- a ``text`` block that begins with ``Usage:``: the help of a command;
- a table after the comment ``<!-- api -->``: public names with the first lines of their docstrings.

All of it stands in the pages themselves, so that they can be read without a build. A line ``…``
stands for lines left out: as many lines as stand before and after it are shown. From the root of
the repository::

    pip install -e '.[test,docs-data]' -e ./study
    python docs/make_outputs.py                      # all pages
    python docs/make_outputs.py docs/tutorial/index.md
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
CELL = re.compile(r"^# %%(?: (?P<name>\w+))?$", re.MULTILINE)
TEXT = re.compile(r"\n(?:#.*\n)*")
API = re.compile(
    r"<!-- api(?P<brief>, without methods)? -->\n(?P<rows>\|.*\n\| ---.*\n(?:\|.*(?:\n|$))+)"
)
API_NAME = re.compile(r"^\| `(topofs\w*\.[\w.]+)` \|.*", re.MULTILINE)
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
    return [ROOT / "README.md", *found]


def shown_outputs(page: Path) -> list[Output]:
    """List the outputs of examples that a page shows."""
    return [
        Output(page, found["file"], found["section"], found["output"])
        for found in SHOWN.finditer(page.read_text(encoding="utf-8"))
    ]


def section_of(file: str, section: str) -> str:
    """Give the code of a section of an example, without the text at its beginning."""
    source = (EXAMPLES / file).read_text(encoding="utf-8")
    parts = CELL.split(source)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if section not in sections:
        raise ValueError(f"examples/{file} has no section {section!r}")
    return TEXT.sub("", sections[section], count=1).strip("\n") + "\n"


def with_code(text: str) -> str:
    """Fill in the code of every section that a page shows."""

    def block(found: re.Match[str]) -> str:
        file, section = found["file"], found["section"]
        return (
            f"<!-- examples/{file}, {section} -->\n```python\n{section_of(file, section)}```\n"
        )

    return CODE.sub(block, text)


def public(name: str) -> object:
    """Give what a public name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def with_names(text: str) -> str:
    """Fill in the first line of the docstring of every public name that a page lists.

    A row stays as it is where its module needs a package that is not installed.
    """

    def row(found: re.Match[str]) -> str:
        try:
            documented = public(found[1])
        except ImportError as error:
            if (error.name or "").startswith("topofs"):
                raise
            return found[0]
        line = (inspect.getdoc(documented) or "").split("\n")[0]
        line = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", line).replace("``", "`").replace("|", "\\|")
        return f"| `{found[1]}` | {line} |"

    return API.sub(lambda found: API_NAME.sub(row, found[0]), text)


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
    path.write_text(with_marks(source), encoding="utf-8")
    printed = run(path)
    path.write_text(source, encoding="utf-8")  # commands may load it
    if printed is None:
        return {}
    parts = re.split(rf"{MARK}start (\w+)\n(.*?){MARK}end \1\n", printed, flags=re.DOTALL)
    sections = dict(zip(parts[1::3], parts[2::3], strict=True))
    return {"": "".join(parts[::3]), **sections}


def with_marks(source: str) -> str:
    """Make an example print where its sections begin and end; its lines keep their numbers."""
    current = ""

    def mark(found: re.Match[str] | None) -> str:
        nonlocal current
        name = (found and found["name"]) or ""
        prints = [f"print('{MARK}end {current}', flush=True)"] if current else []
        prints += [f"print('{MARK}start {name}', flush=True)"] if name else []
        current = name
        return "; ".join(prints)

    return CELL.sub(mark, source) + mark(None)


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
    text = with_code(with_names(with_help(page.read_text(encoding="utf-8"))))
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
