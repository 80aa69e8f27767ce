"""Questions about a list of columns, against answers computed from scratch."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from topofs import AtMost, Coverage, TopologicalFeatureSelector

TUMOURS = load_breast_cancer(as_frame=True).data
WINE = load_wine(as_frame=True).data
RULES = [Coverage(), Coverage(reach="edges"), Coverage(reach="similarity")]


def coverage_of(selector, columns):
    """Coverage of a list, by fitting with nothing but these columns allowed."""
    others = [name for name in selector.feature_names_in_ if name not in columns]
    listed = TopologicalFeatureSelector(
        len(columns), rule=selector.rule_, keep=list(columns), exclude=others
    )
    return float(listed.fit(TUMOURS).shares_.mean())


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_selection_itself_gives_the_numbers_of_the_fit(rule):
    selector = TopologicalFeatureSelector(rule=rule).fit(TUMOURS)
    found = selector.evaluate()
    assert found.coverage == pytest.approx(selector.shares_.mean())
    assert found.groups == selector.groups_
    assert set(found.names) == set(selector.get_feature_names_out())
    assert found.coverage == pytest.approx(selector.coverage_[selector.n_features_ - 1])


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_next_and_least_are_what_a_list_with_or_without_the_column_has(rule):
    selector = TopologicalFeatureSelector(3, rule=rule).fit(TUMOURS)
    columns = ["mean area", "worst texture", "mean symmetry", "area error"]
    found = selector.evaluate(columns)
    n = TUMOURS.shape[1]
    assert found.coverage == pytest.approx(coverage_of(selector, columns))
    first = found.next[0]
    more = coverage_of(selector, [*columns, first.name])
    assert first.adds / n == pytest.approx(more - found.coverage)
    for name in TUMOURS.columns.difference(columns):
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
    selector = TopologicalFeatureSelector(rule=Coverage(reach="paths")).fit(TUMOURS)
    found = selector.evaluate(["mean radius", "mean perimeter", "texture error"])
    assert {found.same[0].name, found.same[0].other} == {"mean radius", "mean perimeter"}
    assert "mean symmetry" in found.alone
    assert found.missing
    assert {group.name for group in found.missing} <= {one.name for one in found.next}
    assert "random lists of 3" in str(found)


def test_substitutes_lose_what_they_say():
    selector = TopologicalFeatureSelector(5).fit(TUMOURS)
    chosen = selector.get_feature_names_out().tolist()
    name = chosen[0]
    rest = [other for other in chosen if other != name]
    found = selector.substitute(name, n=3)
    assert len(found) == 3
    assert [one.lost for one in found] == sorted(one.lost for one in found)
    for one in found:
        now = coverage_of(selector, [*rest, one.name])
        assert one.lost == pytest.approx(selector.shares_.mean() - now)


def test_substitutes_keep_to_the_wishes():
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
    with pytest.raises(AttributeError, match="a rule with groups"):
        TopologicalFeatureSelector(3, rule="degree").fit(WINE).evaluate()
