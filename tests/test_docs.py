"""Code and commands on the pages: the code runs, the commands and their options exist."""

import re
import shlex
import shutil
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

import topofs

ROOT = Path(__file__).parents[1]
shown = pytest.importorskip("docs.make_outputs", reason="the repository alone has the pages")

COMMAND = re.compile(r"^(?:\$ )?(topofs (?=[a-z-])(?:.*\\\n)*.*)$", re.MULTILINE)
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = {"--top": "peaks", "--least": "worth"}  # of examples/own_*.py
GONE = re.compile(
    r"--centrality|centrality=\"|SelectionSettings|SIMILARITIES|representative_weight"
    r"|stands? for (?:the others|it\b|whom|nobody)|topofs\[reproduce\]|topofs\.experiments"
)


def commands(page):
    """Every command that a page shows in a block."""
    found = []
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        if "Usage: topofs" in block:
            continue
        for line in COMMAND.findall(block):
            command = line.replace("\\\n", " ").split("  #")[0].split(" | ")[0]
            found.append(command)
    return found


@cache
def known_options(name):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", shown.help_of(name)))


def shown_commands():
    return [(page, command) for page in shown.pages() for command in commands(page)]


@pytest.mark.parametrize("page", shown.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_exist_with_their_options(page):
    top = {"--load", "--debug", "--install-completion", "--version", "--help"}
    for command in commands(page):
        words = shlex.split(command.replace("…", ""))[1:]
        while words and words[0] in top:
            words = words[2:] if words[0] == "--load" else words[1:]
        if not words or words[0] == "COMMAND":
            continue
        name, *rest = words
        if name == "datasets":
            name, rest = f"datasets {rest[0]}", rest[1:]
        known = known_options(name) if " " not in name else {"--data-dir", "--url"}
        for word in rest:
            if word.startswith("-") and word != "-":
                assert word in known or word in OWN, f"{command!r} has no option {word}"


def test_a_command_that_does_not_exist_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```\ntopofs select t.csv --centrality degree\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="has no option --centrality"):
        test_commands_exist_with_their_options(page)


def test_some_commands_are_found():
    names = {command.split()[1] for _, command in shown_commands()}
    assert {"select", "groups", "explain", "compare", "stability", "graph"} <= names


def test_the_reference_shows_the_help_of_the_commands():
    page = ROOT / "docs/reference/command-line.md"
    text = page.read_text(encoding="utf-8")
    assert shown.with_help(text) == text, f"run python docs/make_outputs.py {page}"


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "README.md", "exec"), names)
    assert "mean radius" in capsys.readouterr().out
    assert (tmp_path / "features.graphml").exists()


@cache  # two pages show the same comparison of the same table
def printed_by(command):
    """What ``topofs …`` prints, in this process."""
    from topofs.cli.app import app

    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    return "".join(f"{line.rstrip()}\n" for line in done.output.splitlines())


def test_the_commands_of_the_readme_run_in_their_order(tmp_path, monkeypatch):
    page = ROOT / "README.md"
    script = re.search(r"^python (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)[1]
    monkeypatch.chdir(tmp_path)
    exec(compile((ROOT / script).read_text(encoding="utf-8"), script, "exec"), {})
    found = [command for command in commands(page) if "--install" not in command]
    assert found
    for command in found:
        assert printed_by(command)
    written = {"breast_cancer.csv", "smaller.csv", "report.html"}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_the_makefile_has_what_the_readme_names():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(re.findall(r"^make ([\w-]+)", readme, re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize("page", shown.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_hold_the_code_of_the_examples(page):
    text = page.read_text(encoding="utf-8")
    assert shown.with_code(text) == text, f"run python docs/make_outputs.py {page}"


REFERENCE = sorted((ROOT / "docs/reference").glob("*.md"))


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.name)
def test_the_reference_lists_names_as_their_docstrings_begin(page):
    text = page.read_text(encoding="utf-8")
    assert shown.with_names(text) == text, f"run python docs/make_outputs.py {page}"


def test_a_stale_line_of_the_reference_is_seen():
    text = "<!-- api -->\n| name | what it is |\n| --- | --- |\n| `topofs.tmfg` | Old. |\n"
    assert "Old." not in shown.with_names(text)


def test_a_name_that_is_gone_is_seen():
    text = "<!-- api -->\n| name | what it is |\n| --- | --- |\n| `topofs.gone` | |\n"
    with pytest.raises(AttributeError, match="gone"):
        shown.with_names(text)


def test_the_reference_lists_every_public_name():
    listed = {
        name
        for page in REFERENCE
        for table in shown.API.finditer(page.read_text(encoding="utf-8"))
        for name in shown.API_NAME.findall(table["rows"])
    }
    assert {f"topofs.{name}" for name in topofs.__all__ if name[0] != "_"} <= listed


# The commands of the study need datasets and minutes.
CONSOLES = [p for p in shown.pages() if "$ topofs" in p.read_text(encoding="utf-8")]
CONSOLES = [page for page in CONSOLES if page.name != "command-line.md"]


TABLES = {"tumours.csv": "from_a_csv.py", "customers.csv": "customer_table.py"}


@pytest.mark.parametrize("page", CONSOLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_the_pages_show(page, tmp_path, monkeypatch):
    text = page.read_text(encoding="utf-8")
    if not any(any(shown.COMMAND.split(f["body"])[2::2]) for f in shown.CONSOLE.finditer(text)):
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    # Lines of progress depend on the machine.
    monkeypatch.setattr("topofs.cli.messages.Pace.is_due", lambda _: False)
    for file in (ROOT / "examples").glob("own_*.py"):
        shutil.copy(file, tmp_path)
    for table, script in TABLES.items():
        if table in text:
            exec(compile(shown.section_of(script, "make"), script, "exec"), {})
    for block in shown.CONSOLE.finditer(text):
        parts = shown.COMMAND.split(block["body"])
        for command, old in zip(parts[1::2], parts[2::2], strict=True):
            if command.startswith("topofs ") and any(parts[2::2]):
                new = shown.shortened(printed_by(command.replace("\\\n", " ")), old)
                assert new == old, f"run python docs/make_outputs.py {page}"


def test_the_code_of_the_front_page_is_that_of_the_readme():
    front = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", front, re.DOTALL)[1]
    assert first in readme


@pytest.mark.parametrize("page", shown.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_old_words_are_gone(page):
    found = GONE.search(shown.API.sub("", page.read_text(encoding="utf-8")))
    assert found is None, found


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_the_map_names_files_that_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    if page == "ARCHITECTURE.md":
        text = "\n".join(line for line in text.splitlines() if line.startswith("| "))
    named = set(re.findall(r"`([\w./-]*/[\w.-]*)`", text))
    files = {path for path in named if "NAME" not in path and path != ".ci/run"}
    assert len(files) > 5
    places = (ROOT, ROOT / "src" / "topofs", ROOT / "src")
    assert {path for path in files if not any((at / path).exists() for at in places)} == set()
