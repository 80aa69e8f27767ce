"""Terms: values that describe themselves, by name or as objects, everywhere the same."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from tests.matrices import factor_table
from topofs import (
    MST,
    PMFG,
    TMFG,
    Auto,
    Centrality,
    Coverage,
    Energy,
    Function,
    Given,
    Graph,
    Mixed,
    MutualInformation,
    Pearson,
    Rule,
    Spearman,
    TopologicalFeatureSelector,
    parameter,
    pearson,
    register,
    registered,
)
from topofs.selection.compatibility import TERMS, graph_of, measure_of, rule_of
from topofs.terms import Term, takers_of

REPRS = {
    "Auto()": Auto(),
    "Auto(squared=False)": Auto(squared=False),
    "Pearson()": Pearson(),
    "Pearson(squared=False)": Pearson(squared=False),
    "Spearman()": Spearman(squared=True),
    "Energy(alpha=0.25)": Energy(0.25),
    "Energy()": Energy(alpha=0.5),
    "MutualInformation(n_bins=8)": MutualInformation(n_bins=8),
    "Mixed()": Mixed(),
    "Given()": Given(),
    "TMFG()": TMFG(),
    "PMFG()": PMFG(),
    "MST()": MST(),
    "Coverage()": Coverage(),
    "Coverage(reach='edges', isolated='keep')": Coverage("edges", "keep"),
    "Centrality()": Centrality(),
    "Centrality(score='pagerank', ties='index')": Centrality("pagerank", ties="index"),
}


def squares(table):
    return pearson(table, squared=True)


TERM = pytest.mark.parametrize(
    "term", [*REPRS.values(), Function(pearson)], ids=[*REPRS, "Function"]
)


@pytest.fixture
def X():
    return factor_table(60, 10)


@pytest.mark.parametrize(("text", "term"), REPRS.items())
def test_a_repr_shows_what_differs_from_the_default_and_gives_the_term_back(text, term):
    assert repr(term) == text
    assert eval(text) == term


@TERM
def test_copies_are_equal(term):
    for other in (
        copy.copy(term),
        copy.deepcopy(term),
        pickle.loads(pickle.dumps(term)),
        clone(term),
        term.replace(),
        type(term)(**term.get_params()),
    ):
        assert other == term
        assert type(other) is type(term)
        assert hash(other) == hash(term)
        assert repr(other) == repr(term)


def test_equality_is_that_of_class_and_parameters():
    assert Pearson() != Spearman()
    assert Pearson() != Pearson(squared=False)
    assert Coverage() != Centrality()
    assert Pearson() != "pearson"
    assert len({Pearson(), Pearson(squared=True), Pearson(squared=False)}) == 2

    class Other(Pearson):
        """The same parameters, another class."""

    assert Other() != Pearson()


@TERM
def test_terms_are_frozen(term):
    for name in term.get_params():
        with pytest.raises(FrozenInstanceError):
            setattr(term, name, None)


@pytest.mark.parametrize("kind", ["similarity", "graph", "rule"])
def test_every_registered_term_has_its_name_and_its_words(kind):
    for name, term in registered(kind).items():
        assert term.name == name
        assert term.kind == kind
        assert TERMS[kind](name) is term
        assert TERMS[kind](term) is term
        assert term.words
        for described in term.get_params():
            assert described.isidentifier()


def test_names_come_in_order_whatever_was_imported_first():
    for kind in TERMS:
        assert list(registered(kind)) == sorted(registered(kind))


def test_short_names_stand_for_terms_with_their_defaults():
    assert measure_of("mutual_information") == MutualInformation()
    assert measure_of("precomputed") == Given()
    assert graph_of("pmfg") == PMFG()
    assert rule_of("coverage") == Coverage()
    assert rule_of("betweenness") == Centrality("betweenness")
    assert measure_of(pearson) == Function(pearson)

    class Called(Pearson):
        def __call__(self, table):
            raise AssertionError

    assert measure_of(Called()) == Called()


# --- wrong values


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Coverage(reach="x"),
            "reach is 'x'; known are 'auto', 'edges', 'paths'",
        ),
        (lambda: Coverage(isolated=None), "isolated is None; known are 'drop', 'keep'"),
        (lambda: Centrality("hits"), "score is 'hits'; known are 'degree', 'strength', "),
        (lambda: Centrality(ties="x"), "ties is 'x'; known are 'strength', 'index'"),
        (lambda: Pearson(squared="no"), "squared is 'no'; known are True, False"),
        (lambda: Pearson(squared=1), "squared is 1; known are True, False"),
        (lambda: Energy(alpha=2), r"alpha is 2; it must be a number in \[0, 1\]"),
        (lambda: MutualInformation(n_bins=1), "n_bins is 1; it must be a whole number from 2"),
        (lambda: Coverage().replace(reach="x"), "reach is 'x'; known are"),
    ],
)
def test_wrong_values_are_refused_when_a_term_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Coverage(alpha=0.3),
            "Coverage has no parameter 'alpha' (Energy takes it); it takes reach, isolated, ties "
            "and refine",
        ),
        (
            lambda: Pearson(alpha=0.3),
            "Pearson has no parameter 'alpha' (Energy takes it); it takes squared and rows",
        ),
        (
            lambda: Coverage(reech="x"),
            "Coverage has no parameter 'reech'; did you mean 'reach'?",
        ),
        (
            lambda: TMFG(squared=True),
            "TMFG has no parameter 'squared' (Auto, Pearson, Spearman take it), and takes none",
        ),
    ],
)
def test_a_wrong_parameter_names_the_terms_that_take_it(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


def test_who_takes_a_parameter():
    assert takers_of("squared") == ["Auto", "Pearson", "Spearman"]
    assert takers_of("ties") == ["Centrality", "Coverage"]
    assert takers_of("nothing") == []


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("similarity", Pearson, "similarity is the class Pearson: give Pearson()"),
        ("graph", TMFG, "graph is the class TMFG: give TMFG()"),
        ("rule", Coverage, "rule is the class Coverage: give Coverage()"),
        ("rule", TMFG(), "rule is TMFG(); known are 'betweenness', 'closeness', "),
        ("graph", Coverage(), "graph is Coverage(); known are 'auto', 'links', "),
        ("similarity", Coverage(), "similarity is Coverage(); known are 'auto', 'energy', "),
        ("similarity", dict, "similarity is <class 'dict'>; known are 'auto', 'energy', "),
        ("similarity", "sperman", "similarity is 'sperman'; known are 'auto', 'energy', "),
        ("rule", "hubs", "rule is 'hubs'; known are 'betweenness', 'closeness', "),
        ("graph", "TMFG", "graph is 'TMFG'; known are 'auto', 'links', "),
    ],
)
def test_classes_other_terms_and_unknown_names_are_refused(X, name, given, message):
    selector = TopologicalFeatureSelector(3, **{name: given})
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        selector.fit(X)
    assert str(caught.value).startswith(message)
    # Until then it can be looked at, as any estimator with a wrong parameter.
    assert "TopologicalFeatureSelector" in repr(selector)
    assert "TopologicalFeatureSelector" in selector._repr_html_()
    assert clone(selector).get_params()[name] == given


# --- registering


class Ranks(Spearman):
    short_name = "ranks"


def test_a_registered_name_is_taken_everywhere(X):
    with pytest.raises(ValueError, match="similarity is 'ranks'; known are"):
        measure_of("ranks")
    assert register(Ranks(squared=False)) == Ranks(squared=False)
    assert measure_of("ranks") == Ranks(squared=False)
    assert "Ranks" in takers_of("squared")
    selector = TopologicalFeatureSelector(3, similarity="ranks").fit(X)
    expected = TopologicalFeatureSelector(3, similarity=Spearman(squared=False)).fit(X)
    np.testing.assert_array_equal(selector.ranking_, expected.ranking_)
    with pytest.raises(ValueError, match="'pearson', 'precomputed', 'ranks', 'spearman' and a"):
        measure_of("rank")


def test_registering_twice():
    register(Ranks())
    register(Ranks())
    message = (
        r"the similarity 'ranks' is Ranks\(\) already: give the new one another short_name"
    )
    with pytest.raises(ValueError, match=message):
        register(Ranks(squared=False))
    assert measure_of("ranks") == Ranks()
    with pytest.raises(ValueError, match=r"the similarity 'spearman' is Spearman\(\) already"):
        register(Spearman(squared=False))
    register(Spearman())


def test_a_class_that_is_written_anew_takes_the_place_of_the_old_one():
    def cell(words_of_the_cell):
        @dataclass(frozen=True, repr=False)
        class Cell(Graph):
            words: ClassVar[str] = words_of_the_cell

        return register(Cell())

    first, second = cell("first"), cell("second")
    assert type(first) is not type(second)
    assert graph_of("cell") is second


def test_kinds_do_not_share_names():
    @dataclass(frozen=True, repr=False)
    class Hub(Graph):
        short_name: ClassVar[str] = "degree"

    register(Hub())
    assert graph_of("degree") == Hub()
    assert rule_of("degree") == Centrality("degree")


@pytest.mark.parametrize("given", [Pearson, "pearson", pearson, 3, Term()])
def test_what_is_no_term_cannot_be_registered(given):
    with pytest.raises(TypeError, match="register takes a measure, a graph or a rule; got"):
        register(given)


def test_terms_of_other_distributions_are_found_by_their_entry_points(monkeypatch, X):
    module = SimpleNamespace(TERM=Ranks(), here=True)

    def load(entry):
        return module.TERM if entry.name == "ranks" else register(Mesh()) and module

    @dataclass(frozen=True, repr=False)
    class Mesh(Graph):
        def build(self, similarity):
            return MST().build(similarity)

    entries = [
        EntryPoint("ranks", "elsewhere:TERM", "topofs.terms"),
        EntryPoint("mesh", "elsewhere", "topofs.terms"),
    ]
    monkeypatch.setattr(EntryPoint, "load", load)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda *, group=None: entries if group else ()
    )
    assert "ranks" not in registered("similarity")
    selector = TopologicalFeatureSelector(3, similarity="ranks", graph="mesh").fit(X)
    assert selector.similarity_ == Ranks()
    assert selector.graph_.n_edges == 9


# --- a term of one's own describes its parameters


def check_whole(most):
    if not isinstance(most, int):
        raise ValueError(f"most is {most!r}; give a whole number")


@dataclass(frozen=True, repr=False)
class Limit(Rule):
    most: int = parameter(3, help="How many.", check=check_whole)
    word: str = parameter("a", choices=("a", "b"), option=False)


def test_parameters_carry_what_the_command_line_asks():
    fields = {name: field.metadata for name, field in Limit.__dataclass_fields__.items()}
    assert fields["most"]["help"] == "How many."
    assert fields["most"]["option"]
    assert not fields["word"]["option"]
    assert fields["word"]["choices"] == ("a", "b")
    with pytest.raises(ValueError, match=r"most is 1.5; give a whole number"):
        Limit(1.5)
    assert repr(Limit(4)) == "Limit(most=4)"
    assert Limit().name == "limit"
