"""Options come from the terms: those of topofs, of a file, of another distribution."""

import ast
import inspect
import os
import subprocess
import sys
from dataclasses import fields
from importlib import metadata
from pathlib import Path

import polars as pl
import pytest
from sklearn.datasets import load_wine

import topofs
from tests.cli.running import run, run_json
from topofs import TopologicalFeatureSelector, registered
from topofs import terms as terms_module
from topofs.cli import compare, options
from topofs.cli.app import app
from topofs.cli.messages import translated
from topofs.comparison.compare import DEFAULT_SIZES
from topofs.selection.compatibility import THRESHOLDS
from topofs.terms import DEFAULTS

SOURCE = Path(topofs.__file__).parent

MEASURE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from topofs import Measure, parameter, register
from topofs.similarity.base import MatrixOperator
from topofs.similarity.noise_floor import GivenScale


def check_power(power):
    if power < 1:
        raise ValueError(f"power is {power}; it must be at least 1")


@dataclass(frozen=True, repr=False)
class Cosine(Measure):
    """The cosine of centred columns, to a power."""

    short_name: ClassVar[str] = "cosine"
    knows_chance: ClassVar[bool] = False

    power: int = parameter(2, help="Raise the cosine to it.", check=check_power)
    least: float | None = parameter(None, help="Smaller values are 0.")
    of_ranks: bool = parameter(False, help="Compare ranks.")

    def operator(self, table):
        if self.of_ranks:
            table = table.argsort(axis=0).argsort(axis=0).astype(float)
        centred = table - table.mean(axis=0)
        unit = centred / np.linalg.norm(centred, axis=0)
        values = np.abs(unit.T @ unit) ** self.power
        if self.least is not None:
            values[values < self.least] = 0
        return MatrixOperator(values)

    def scale(self, operator, *, n_samples, n_features):
        return GivenScale()


register(Cosine())
'''


@pytest.fixture
def wine_csv(tmp_path):
    path = tmp_path / "wine.csv"
    load_wine(as_frame=True).data.to_csv(path, index=False)
    return path


@pytest.fixture
def nothing_stays(tmp_path):
    """What a test registers, and imports from its own folder, is gone after it."""
    known = {kind: dict(named) for kind, named in terms_module._terms.items()}
    path = list(sys.path)
    yield
    for kind, named in known.items():
        terms_module._terms[kind].clear()
        terms_module._terms[kind].update(named)
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]
    sys.path[:] = path
    options.forget_term_options()


@pytest.fixture
def cosine_file(tmp_path, nothing_stays):
    path = tmp_path / "cosine_of_mine.py"
    path.write_text(MEASURE, encoding="utf-8")
    return path


def options_of(command):
    return inspect.signature(command.registered_commands[0].callback).parameters


def test_names_and_parameters_are_those_of_the_terms():
    listed = list(options_of(compare.compare))
    for kind in DEFAULTS:
        assert kind in listed
        offered = options.offered(kind)
        expected = [n for n, t in registered(kind).items() if getattr(t, "takes_table", True)]
        assert sorted(offered) == sorted(expected)
        assert next(iter(offered)) == DEFAULTS[kind]
        for term in offered.values():
            for known in fields(term):
                assert (known.name in listed) == known.metadata["option"]
    assert "precomputed" not in options.offered("similarity")


def test_what_stands_here_for_speed_is_what_the_library_has():
    parameters = inspect.signature(TopologicalFeatureSelector).parameters
    assert {kind: parameters[kind].default for kind in DEFAULTS} == DEFAULTS
    thresholds = [
        None if value is options.NOTHING else value for value in options._THRESHOLDS.values()
    ]
    assert tuple(thresholds) == THRESHOLDS
    assert ", ".join(map(str, DEFAULT_SIZES)) == compare.SIZES
    published = TopologicalFeatureSelector.paper()
    changed = {
        name
        for name, value in published.get_params(deep=False).items()
        if name != "n_features_to_select"
        and value != TopologicalFeatureSelector().get_params()[name]
    }
    # Both can be given beside --paper.
    assert changed - {"similarity", "min_carriers"} <= set(options._SETTLED_BY_PAPER)


def test_a_measure_of_a_file_has_its_options(wine_csv, cosine_file):
    arguments = ("--load", cosine_file, "select", wine_csv, "--similarity", "cosine")
    found = run_json(*arguments, "--power", 3, "--least", 0.001, "--of-ranks", "-k", 4)
    settings = {"name": "cosine", "power": 3, "least": 0.001, "of_ranks": True}
    assert found["settings"]["similarity"] == settings
    measure = registered("similarity")["cosine"].replace(power=3, least=0.001, of_ranks=True)
    X = load_wine(as_frame=True).data
    selector = TopologicalFeatureSelector(4, similarity=measure).fit(X)
    assert {column["name"] for column in found["selected"]} == set(
        selector.get_feature_names_out()
    )
    plain = run_json(*arguments, "--least", "none", "--no-of-ranks")["settings"]["similarity"]
    assert plain == {"name": "cosine", "power": 2, "least": None, "of_ranks": False}
    help_text = " ".join(run("--load", cosine_file, "select", "--help").stdout.split())
    assert "cosine" in help_text.partition("Compare columns by: ")[2].partition(".")[0]
    assert "--power N" in help_text
    assert "For cosine: raise the cosine to it. [default: 2]" in help_text
    assert "--of-ranks / --no-of-ranks" in help_text


@pytest.mark.parametrize("command", ["groups", "explain", "graph", "stability", "compare"])
def test_it_works_in_every_command(wine_csv, cosine_file, tmp_path, command):
    more = {
        "explain": ["ash"],
        "graph": ["--out", tmp_path / "g.graphml"],
        "stability": ["--resamples", 3],
        "compare": ["--target", "ash", "--sizes", 2, "--folds", 2, "--repeats", 1],
    }
    arguments = ("--load", cosine_file, command, wine_csv, *more.get(command, []))
    result = run(*arguments, "--similarity", "cosine", "--power", 4)
    assert result.exit_code == 0, result.output


def test_other_processes_find_the_measure_again(wine_csv, cosine_file):
    command = [sys.executable, "-m", "topofs.cli", "--load", cosine_file, "stability", wine_csv]
    command += ["--similarity", "cosine", "--resamples", "4", "--jobs", "2", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["--power", "3"], "--power 3 is for --similarity cosine; choose that, or leave"),
        (["--similarity", "cosine", "--power", "0"], "--power 0: it must be at least 1"),
        (["--similarity", "cosine", "--power", "x"], "'x' is not a whole number"),
        (["--similarity", "cosine", "--least", "x"], "'x' is not a number or none"),
        (["--similarity", "cosine", "--no-squared"], "--no-squared is for --similarity auto"),
        (["--similarity", "cosin"], "did you mean 'cosine'?"),
        (["--similarity", "precomputed"], "'precomputed' is none of auto, "),
    ],
)
def test_its_parameters_are_checked_in_the_words_of_the_options(
    wine_csv, cosine_file, given, reason
):
    result = run("--load", cosine_file, "select", wine_csv, *given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


def test_options_are_made_once_for_all_commands(wine_csv, monkeypatch):
    options.forget_term_options()
    described = []
    make = options._term_option
    monkeypatch.setattr(
        options, "_term_option", lambda *given: described.append(given[1]) or make(*given)
    )
    for command in ("select", "select", "stability", "graph"):
        assert run(command, "--help").exit_code == 0
    assert described
    assert len(described) == len(set(described))


def test_what_a_command_settles_is_no_option():
    assert "--keep" not in run("panel", "--help").stdout
    assert "--exclude" in run("panel", "--help").stdout
    assert "--dates" not in run("apply", "--help").stdout
    assert "--decimal" in run("apply", "--help").stdout


def test_completion_knows_it(monkeypatch, capsys, cosine_file):
    for words, expected in (
        (f"topofs --load {cosine_file} select --similarity c", "cosine"),
        (f"topofs --load {cosine_file} select --po", "--power"),
    ):
        monkeypatch.setenv("_TOPOFS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        with pytest.raises(SystemExit):
            app(prog_name="topofs")
        assert expected in capsys.readouterr().out.split()


RULE = '''
from dataclasses import dataclass

import numpy as np

from topofs import Ranking, Rule, parameter, register


@dataclass(frozen=True, repr=False)
class Alphabetic(Rule):
    """By position, and it ends after some columns."""

    has_end = True
    first: int = parameter(3, help="How many.")

    def rank(self, network, constraints):
        forced = constraints.forced
        order = np.arange(network.n_nodes)
        rest = np.setdiff1d(order, forced)
        return Ranking(np.concatenate([forced, rest]), -order.astype(float), self.first)


register(Alphabetic())
'''


def test_a_rule_with_an_end_and_no_groups(wine_csv, tmp_path, nothing_stays):
    path = tmp_path / "alphabetic_rule.py"
    path.write_text(RULE, encoding="utf-8")
    arguments = ("--load", path, "select", wine_csv, "--rule", "alphabetic")
    printed = run(*arguments, "--first", 2).stdout
    said = "2 of 13 columns of wine.csv, by alphabetic in the TMFG; the ranking ends there"
    assert printed.splitlines()[0] == said
    found = run_json(*arguments, "-k", 5)
    assert found["stopping"] == {
        "size": 5,
        "reason": "as many as asked for",
        "auto": 3,
        "beyond_auto": None,
        "next_adds": None,
    }
    assert found["groups"] is None
    ranking = tmp_path / "r.csv"
    assert run(*arguments, "--ranking", ranking).exit_code == 0
    assert pl.read_csv(ranking)["representative"].null_count() == 13


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no such file"),
        ("x = 1 +\n", "cannot be imported (SyntaxError: "),
        ("\n\nimport nowhere_at_all\n", "cannot be imported, line 3 (ModuleNotFoundError: "),
        ("import sys\nsys.exit()\n", "cannot be imported, line 2 (SystemExit)"),
        ("raise SystemExit('bye')\n", "cannot be imported, line 1 (SystemExit: bye)"),
        ("raise BaseException('x\\ny')\n", "cannot be imported, line 1 (BaseException: x y)"),
        ("raise GeneratorExit\n", "cannot be imported, line 1 (GeneratorExit)"),
        (
            "class Mute(BaseException):\n    def __str__(self): 1 / 0\nraise Mute\n",
            "cannot be imported, line 3 (Mute)",
        ),
        (
            "import sys\ndel sys.modules[__name__]\nraise OSError(28, 'full')\n",
            "cannot be imported, line 3 (OSError: [Errno 28] full)",
        ),
        (
            "raise BaseExceptionGroup('two', [KeyboardInterrupt()])\n",
            "(BaseExceptionGroup: two",
        ),
        ("x = '\x00'\n", "cannot be imported (SyntaxError: "),
        (
            "from topofs import Pearson, register\n"
            "class Other(Pearson):\n    short_name = 'spearman'\nregister(Other())\n",
            "the similarity 'spearman' is Spearman() already: give the new one another",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_is_one_sentence(
    wine_csv, tmp_path, nothing_stays, content, reason
):
    path = tmp_path / "broken_terms.py"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    result = run("--load", path, "select", wine_csv)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"error: --load {path}: ")
    assert reason in result.stderr
    assert "broken_terms" not in sys.modules
    if content is not None:
        assert "Traceback" in run("--debug", "--load", path, "select", wine_csv).stderr


def test_files_that_are_not_to_be_loaded(wine_csv, tmp_path, cosine_file):
    (tmp_path / "json.py").write_text("", encoding="utf-8")
    (tmp_path / "terms.txt").write_text("", encoding="utf-8")
    for path, reason in (
        (tmp_path / "json.py", "there is a module 'json' already; give the file another name"),
        (tmp_path, "is no file; give a Python file"),
        (os.devnull, "is no file; give a Python file"),
        (tmp_path / "nothing.py", "there is no such file"),
        (tmp_path / "terms.txt", "its name must end in .py"),
    ):
        result = run("--load", path, "select", wine_csv)
        assert result.exit_code == 2
        assert reason in result.stderr
    twice = ("--load", cosine_file, "--load", cosine_file, "select", wine_csv)
    assert run(*twice, "--similarity", "cosine").exit_code == 0


def test_a_parameter_with_the_name_of_another_option_is_refused(
    wine_csv, tmp_path, nothing_stays
):
    path = tmp_path / "twice_there.py"
    path.write_text(
        RULE.replace("first", "seed").replace("Alphabetic", "Seeded"), encoding="utf-8"
    )
    assert run("--load", path, "select", wine_csv, "--rule", "seeded").exit_code == 0
    result = run("--load", path, "stability", wine_csv)
    assert result.exit_code == 2
    assert "the option --seed is there twice" in result.stderr


def test_another_distribution_can_bring_terms(wine_csv, cosine_file, monkeypatch):
    monkeypatch.syspath_prepend(str(cosine_file.parent))
    entry = metadata.EntryPoint("cosine", cosine_file.stem, "topofs.terms")
    real = metadata.entry_points

    def entry_points(**chosen):
        return [entry] if chosen.get("group") == "topofs.terms" else real(**chosen)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    options.forget_term_options()
    found = run_json("select", wine_csv, "--similarity", "cosine", "--power", 5)
    assert found["settings"]["similarity"]["power"] == 5


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("threshold is 'median'; known are 'auto'", "--threshold median: known are 'auto'"),
        ("n_bins is 1; it must be 2", "--n-bins 1: it must be 2"),
        ("the column 'a' is odd", "the column 'a' is odd"),
        ("choose rule='degree', or graph 'mst'", "choose --rule degree, or --graph mst"),
    ],
)
def test_sentences_of_the_library_are_translated(sentence, said):
    assert translated(sentence) == said


def names_compared_with(path):
    """Registered names that a file compares something with, or looks something up by."""
    known = {name for kind in DEFAULTS for name in registered(kind)} - {"strength"}
    known -= {"auto"}  # a size, too
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
            constants = [c for part in parts for c in ast.walk(part)]
            for constant in constants:
                if isinstance(constant, ast.Constant) and constant.value in known:
                    yield constant.value


@pytest.mark.parametrize("room", ["cli", "io"])
def test_terms_are_asked_and_never_their_names(room, tmp_path):
    for path in (SOURCE / room).glob("*.py"):
        assert list(names_compared_with(path)) == [], path
    fires = tmp_path / "fires.py"
    fires.write_text(
        "if rule == 'coverage' or name in ('mixed', 'other'):\n    pass\n", encoding="utf-8"
    )
    assert list(names_compared_with(fires)) == ["coverage", "mixed"]
