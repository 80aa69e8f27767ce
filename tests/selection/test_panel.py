"""Questions about a list of columns, against answers computed from scratch."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine

from tests.coverage_settings import BY_COVERAGE
from tests.messages import assert_tells
from topofs import (
    AtMost,
    Budget,
    ConstantFeatureWarning,
    Coverage,
    Links,
    TopologicalFeatureSelector,
    Variance,
)
from topofs.rules.base import CoverageModel
from topofs.selection.answers import SamePair, Substitute
from topofs.similarity import noise_floor

pytestmark = pytest.mark.usefixtures("both_ways")

TUMOURS = load_breast_cancer(as_frame=True).data
WINE = load_wine(as_frame=True).data
WAYS = pytest.mark.parametrize("settings", BY_COVERAGE.values(), ids=BY_COVERAGE)


def coverage_of(selector, columns):
    """Coverage of a list, by fitting with nothing but these columns allowed."""
    others = [name for name in selector.feature_names_in_ if name not in columns]
    listed = TopologicalFeatureSelector(
        len(columns),
        graph=selector.graph,
        rule=selector.rule_,
        keep=list(columns),
        exclude=others,
    )
    return float(listed.fit(TUMOURS).shares_.mean())


@WAYS
def test_the_selection_itself_gives_the_numbers_of_the_fit(settings):
    selector = TopologicalFeatureSelector(**settings).fit(TUMOURS)
    found = selector.evaluate()
    assert found.coverage == pytest.approx(selector.shares_.mean())
    assert found.groups == selector.groups_
    assert set(found.names) == set(selector.get_feature_names_out())
    assert found.coverage == pytest.approx(selector.coverage_[selector.n_features_ - 1])


@WAYS
def test_next_and_least_are_what_a_list_with_or_without_the_column_has(settings):
    selector = TopologicalFeatureSelector(3, **settings).fit(TUMOURS)
    columns = ["mean area", "worst texture", "mean symmetry", "area error"]
    found = selector.evaluate(columns)
    n = TUMOURS.shape[1]
    assert found.coverage == pytest.approx(coverage_of(selector, columns))
    first = found.next[0]
    more = coverage_of(selector, [*columns, first.name])
    assert first.adds / n == pytest.approx(more - found.coverage)
    # Which column comes next is decided by lists, where they are cut.
    others = TUMOURS.columns.difference(columns)
    for name in others if selector._ranking.exact is None else ():
        assert coverage_of(selector, [*columns, name]) <= more + 1e-12
    weakest = found.least[0]
    fewer = coverage_of(selector, [name for name in columns if name != weakest.name])
    assert weakest.adds / n == pytest.approx(found.coverage - fewer)


def test_a_random_list_lies_in_the_range_of_random_lists():
    selector = TopologicalFeatureSelector().fit(TUMOURS)
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(100):
        found = selector.evaluate(rng.permutation(30)[:6].tolist(), n_next=1)
        inside += found.random.low <= found.coverage <= found.random.high
    assert inside >= 90


def test_pairs_that_say_the_same_and_columns_that_are_alone():
    selector = TopologicalFeatureSelector(graph="tmfg").fit(TUMOURS)
    found = selector.evaluate(["mean radius", "mean perimeter", "texture error"])
    assert {found.same[0].name, found.same[0].other} == {"mean radius", "mean perimeter"}
    assert "mean symmetry" in found.alone
    assert found.missing
    assert {group.name for group in found.missing} <= {one.name for one in found.next}
    assert "random lists of 3" in str(found)


def explained_by(table, columns, **settings):
    """What a list explains of each column, by fitting with nothing but these columns allowed."""
    others = [name for name in table if name not in columns]
    fitted = TopologicalFeatureSelector(
        len(columns), keep=list(columns), exclude=others, **settings
    ).fit(table)
    return fitted, dict(zip(table, fitted.explained_, strict=True))


def naive_substitutes(table, columns, lost, **settings):
    """What each candidate loses and gains, by the definition."""
    fitted, before = explained_by(table, columns, **settings)
    floor = noise_floor(*table.shape) if settings.get("rule") == Variance() else 0.0

    def related(one, other):
        return one == other or explained_by(table, [one], **settings)[1][other] > floor

    group = next(group for group in fitted.groups_ if group.name == lost)
    members = [lost, *(m.name for m in group.members if related(lost, m.name))]
    rest = [name for name in columns if name != lost]
    found = {}
    for other in table.columns.difference(columns):
        if any(related(other, name) for name in members):
            after = explained_by(table, [*rest, other], **settings)[1]
            less = sum(max(0.0, before[j] - after[j]) for j in members)
            change = sum(after[j] - before[j] for j in table)
            n = table.shape[1]
            found[other] = (less / n, (change + less) / n, after[lost])
    return found


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    terms=st.sampled_from([*BY_COVERAGE.values(), {"rule": Variance()}]),
    levels=st.sampled_from([0, 2]),
)
def test_substitutes_lose_least_of_what_the_lost_column_explained(seed, terms, levels):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 8)))
    table += rng.normal(size=table.shape) * rng.uniform(0.2, 2, size=8)
    # Columns of few levels tie.
    table = table.round() if levels else table
    table.columns = list("abcdefgh")
    columns = rng.permutation(table.columns)[:3].tolist()
    selector = TopologicalFeatureSelector(3, keep=columns, **terms).fit(table)
    expected = naive_substitutes(table, columns, columns[0], **terms)
    found = selector.substitute(columns[0], n=8)
    assert [one.lost for one in found] == sorted(one.lost for one in found)
    assert {one.name for one in found} == set(expected)
    for one in found:
        numbers = (one.lost, one.gained, one.share)
        assert numbers == pytest.approx(expected[one.name], abs=1e-9)
        assert min(numbers) >= 0


def test_substitutes_among_names_and_numbers():
    rng = np.random.default_rng(3)
    kind = rng.choice(list("abcd"), size=300)
    height = pd.Series(kind).map({"a": 0, "b": 1, "c": 2, "d": 3}) + rng.normal(size=300)
    table = pd.DataFrame(
        {
            "kind": kind,
            "shade": np.where(rng.random(300) < 0.8, kind, "a"),
            "height": height,
            "weight": height + rng.normal(size=300),
            "noise": rng.normal(size=300),
        }
    )
    for rule in (Coverage(), Variance()):
        selector = TopologicalFeatureSelector(1, keep=["kind"], rule=rule).fit(table)
        found = selector.substitute("kind")
        assert found[0].name == "shade"
        assert {one.name for one in found} == {"shade", "height", "weight"}
        before = explained_by(table, ["kind"], rule=rule)[1]
        for one in found:
            after = explained_by(table, [one.name], rule=rule)[1]
            kept = before.keys() - {"noise"}
            lost = sum(max(0.0, before[j] - after[j]) for j in kept) / 5
            assert one.lost == pytest.approx(lost, abs=1e-9)


@pytest.mark.parametrize("rule", ["coverage", "variance"])
def test_what_the_list_lacks_is_no_substitute(rule):
    rng = np.random.default_rng(0)
    listed, lacking = rng.normal(size=(2, 300))
    table = {f"t{i}": listed + 0.6 * rng.normal(size=300) for i in range(4)}
    table |= {f"m{i}": lacking + 0.4 * rng.normal(size=300) for i in range(12)}
    selector = TopologicalFeatureSelector(1, keep=["t0"], rule=rule).fit(pd.DataFrame(table))
    assert selector.evaluate().next[0].name.startswith("m")
    assert [one.name[0] for one in selector.substitute("t0", n=10)] == ["t"] * 3
    alone = pd.DataFrame({"t0": listed} | {k: v for k, v in table.items() if k[0] == "m"})
    selector = TopologicalFeatureSelector(1, keep=["t0"], rule=rule).fit(alone)
    found = selector.substitute("t0")
    assert found == ()
    assert_tells(repr(found), "No column", "chance")


def test_answers_show_their_text():
    selector = TopologicalFeatureSelector(5).fit(TUMOURS)
    found = selector.substitute(selector.get_feature_names_out()[0], n=2)
    assert repr(found) == str(found) == "\n".join(map(str, found))
    one = repr(Substitute("a", 0, 0.0023, 0.0018, 0.004, "b"))
    assert_tells(one, "a", "b", "loses 0.23%", "gains 0.18%", "less than 1%", "b")
    other = repr(Substitute("a", 0, 1e-12, 1e-12, 1.0, "b"))
    assert_tells(other, "a", "b", "loses nothing", "100%", "b")
    assert "gains" not in other
    judged = selector.evaluate()
    for answer in (judged, judged.random, judged.next[0], SamePair("a", "b", 0.9)):
        assert repr(answer) == str(answer)
        assert type(answer).__name__ not in repr(answer)
        assert "=" not in repr(answer)
    explained = selector.explain("mean area")
    assert repr(explained) == str(explained)
    assert repr(explained).startswith("mean area is ")


def test_columns_that_none_of_a_list_represents_are_alone_or_isolated():
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(2, 200))
    table = pd.DataFrame(
        {f"c{i}": hidden[i % 2] + 0.5 * rng.normal(size=200) for i in range(6)}
        | {"noise": rng.normal(size=200), "more noise": rng.normal(size=200)}
    )
    found = TopologicalFeatureSelector().fit(table).evaluate(["c0", "noise"])
    assert found.alone == ("c1", "c3", "c5")
    assert found.isolated == ("more noise",)
    lines = str(found).splitlines()
    assert lines[1:3] == [
        "3 columns are alone: none of the list represents them, but others could.",
        "1 column outside the list is isolated: nothing could represent it.",
    ]


@dataclass
class PlainModel(CoverageModel):
    """Who represents whom, and nothing that is answered at once."""

    whole: object

    def representatives(self, selected):
        return self.whole.representatives(selected)


def test_a_coverage_model_needs_no_more_than_representatives():
    selector = TopologicalFeatureSelector(3, graph=Links(strongest=None)).fit(TUMOURS)
    name = selector.get_feature_names_out()[0]
    expected = selector.substitute(name)
    selector._ranking = replace(
        selector._ranking, coverage_model=PlainModel(selector._ranking.coverage_model)
    )
    found = selector.substitute(name)
    assert [one.name for one in found] == [one.name for one in expected]
    assert [one.lost for one in found] == pytest.approx([one.lost for one in expected])


def test_substitutes_keep_to_the_constraints():
    groups = {name: name.split()[0] for name in TUMOURS}
    selector = TopologicalFeatureSelector(
        5, exclude=["worst radius"], at_most=AtMost(2, of=groups)
    ).fit(TUMOURS)
    for name in selector.get_feature_names_out():
        rest = [groups[other] for other in selector.get_feature_names_out() if other != name]
        for one in selector.substitute(name):
            assert one.name != "worst radius"
            assert rest.count(groups[one.name]) < 2


def test_extend_loses_none_and_is_greedy_given_the_selection():
    selector = TopologicalFeatureSelector(2, keep=["texture error"]).fit(TUMOURS)
    more = selector.extend(3)
    before = set(selector.get_feature_names_out())
    after = set(more.get_feature_names_out())
    assert before < after
    assert len(after) == len(before) + 3
    expected = TopologicalFeatureSelector(5, keep=sorted(before)).fit(TUMOURS)
    assert after == set(expected.get_feature_names_out())
    assert selector.n_features_ == 2


def test_what_a_budget_does_not_pay_for_is_refused_with_its_name():
    selector = TopologicalFeatureSelector(Budget(3)).fit(TUMOURS)
    message = (
        "4 columns are asked for, but only 3 can be selected together within the budget of 3: "
        "ask for fewer, or fit again with a larger Budget"
    )
    for ask in (lambda: selector.extend(1), lambda: selector.at(4)):
        with pytest.raises(ValueError, match=message):
            ask()
    assert selector.at(2).extend(1).n_features_ == 3


def test_a_budget_that_pays_for_all_is_not_blamed():
    rich = TopologicalFeatureSelector(Budget(10**7), exclude=range(2, 30)).fit(TUMOURS)
    with pytest.raises(ValueError, match="only 2 can be selected.* constraints"):
        rich.extend(1)
    dear = TopologicalFeatureSelector(Budget(12_345_678, [6 * 10**6] * 30)).fit(TUMOURS)
    with pytest.raises(ValueError, match="only 2 .* within the budget of 12345678: "):
        dear.extend(1)


def test_a_list_is_compared_with_random_lists_as_long():
    table = WINE.assign(constant=1.0)
    with pytest.warns(ConstantFeatureWarning):
        selector = TopologicalFeatureSelector(3).fit(table)
    found = selector.evaluate(["ash", "hue", "constant"])
    assert found.random == selector.random_lists(3, random_state=0)
    everything = selector.evaluate(list(table))
    assert (everything.coverage, everything.random.low) == (1.0, 1.0)


def test_questions_that_have_no_answer_get_a_sentence():
    selector = TopologicalFeatureSelector(3).fit(WINE)
    with pytest.raises(ValueError, match="the list is empty"):
        selector.evaluate([])
    with pytest.raises(ValueError, match="there is no column 'nothing'"):
        selector.evaluate(["nothing"])
    with pytest.raises(ValueError, match="is not selected: nothing to replace"):
        selector.substitute("malic_acid")
    selected = selector.get_feature_names_out()[0]
    for n in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=f"n is {n!r}: substitute names a whole number"):
            selector.substitute(selected, n=n)
    for n_next in (1.5, -1, "3", True, None):
        with pytest.raises(ValueError, match=f"n_next is {n_next!r}: evaluate proposes"):
            selector.evaluate(n_next=n_next)
    for size in (2.5, -1, 99, "3", True):
        with pytest.raises(ValueError, match=f"200 random lists of {size!r} columns are asked"):
            selector.random_lists(size)
    for n_lists in (0, 1.5, None):
        with pytest.raises(
            ValueError, match=f"{n_lists!r} random lists of 3 columns are asked"
        ):
            selector.random_lists(3, n_lists=n_lists)
    with pytest.raises(ValueError, match="at least 1; got 0"):
        selector.extend(0)
    for n_more in (11, 10**30):
        with pytest.raises(ValueError, match="but 3 of 13 are selected: ask for at most 10"):
            selector.extend(n_more)
    assert selector.extend(10).n_features_ == 13
    with pytest.raises(AttributeError, match="a rule with groups"):
        TopologicalFeatureSelector(3, rule="degree").fit(WINE).evaluate()
