"""Rows given by position, by mask or by a splitter: one meaning everywhere, or a sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
)

from tests.matrices import factor_table
from topofs import TopologicalFeatureSelector, stability
from topofs.comparison.compare import compare
from topofs.comparison.prediction import Resampling, folds
from topofs.io.target import target_of
from topofs.selection.stability import drawn_rows, row_positions

GENERATOR = np.random.RandomState(0)
GROUPS = np.repeat(["a", "b", "c"], 20)
LABELS = np.tile([0, 1], 30)


def rows_of(splits, n_samples=60, **of_rows):
    return [rows.tolist() for rows in drawn_rows(splits, n_samples, 9, GENERATOR, **of_rows)]


@given(hnp.arrays(np.bool_, st.integers(1, 30)))
def test_a_mask_means_the_rows_that_are_true(mask):
    expected = [row for row, chosen in enumerate(mask.tolist()) if chosen]
    kinds = (
        mask,
        mask.tolist(),
        pd.Series(mask),
        pd.Series(mask, dtype="boolean"),
        pl.Series(mask),
        mask.astype(object),
    )
    for given_as in kinds:
        assert row_positions(given_as, len(mask)).tolist() == expected


@given(st.lists(st.integers(0, 29), max_size=40))
def test_positions_mean_themselves(positions):
    kinds = (
        positions,
        tuple(positions),
        np.array(positions, dtype=np.uint8),
        np.array(positions, dtype=np.uint64),
        pd.Series(positions, dtype="Int64"),
        range(0),
    )
    for given_as in kinds[:-1]:
        assert row_positions(given_as, 41).tolist() == positions
    assert row_positions(kinds[-1], 30).tolist() == []


BAD_ROWS = [
    ([0.0, 1.0, 2.0], r"splits gives 0.0 where rows are expected: give positions"),
    (np.array([np.nan, 1.0]), "splits gives nan where rows"),
    (["r1", "r2"], "splits gives 'r1' where rows"),
    (pd.Series([True, None], dtype="boolean"), "splits gives <NA> where rows"),
    ([[0, 1], [1]], "splits gives an array of shape"),
    (np.eye(3, dtype=bool), r"splits gives an array of shape \(3, 3\)"),
    (np.ones(4, bool), "a mask of 4 truth values, and X has 60 rows: give one a row"),
    ([3, 60], "splits names row 60, and the 60 rows of X are 0 to 59"),
    ([3, -1], "splits names row -1"),
]


@pytest.mark.parametrize(("rows", "sentence"), BAD_ROWS, ids=str)
def test_other_rows_are_refused_for_every_question(rows, sentence):
    X, fine = factor_table(60, 4), np.arange(20)
    splits = [(fine, fine + 20), (rows, fine + 40)]
    with pytest.raises(ValueError, match=sentence):
        stability(TopologicalFeatureSelector(2), X, splits=splits)
    with pytest.raises(ValueError, match=sentence):
        compare(X, target_of(X[:, 0]), sizes=[2], splits=splits)


@pytest.mark.parametrize("splits", [[np.zeros(60, bool)] * 2, [[]] * 2, [np.arange(9)], []])
def test_too_few_rows_are_refused(splits):
    with pytest.raises(ValueError, match=r"the smallest of \d rows; at least two"):
        rows_of(splits)


def test_pairs_and_rows_and_masks_give_the_same_resamples():
    pairs = list(KFold(3).split(np.empty((60, 1))))
    masks = [np.isin(np.arange(60), train) for train, _ in pairs]
    expected = [train.tolist() for train, _ in pairs]
    forms = (
        pairs,
        [list(pair) for pair in pairs],
        [train for train, _ in pairs],
        masks,
        [(mask, ~mask) for mask in masks],
        KFold(3),
        iter(pairs),
    )
    for splits in forms:
        assert rows_of(splits) == expected
    # Two rows are no pair of arrays.
    assert rows_of([(0, 1), [2, 3]]) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("splitter", "of_rows"),
    [
        (LeaveOneGroupOut(), {"groups": GROUPS}),
        (GroupKFold(3), {"groups": GROUPS.tolist()}),
        (StratifiedKFold(3), {"y": LABELS}),
        (StratifiedGroupKFold(3), {"y": LABELS, "groups": GROUPS}),
        (PredefinedSplit(LABELS), {}),
    ],
    ids=str,
)
def test_splitters_get_what_they_ask_for(splitter, of_rows):
    expected = [train.tolist() for train, _ in splitter.split(np.empty((60, 1)), **of_rows)]
    assert rows_of(splitter, **of_rows) == expected


@pytest.mark.parametrize(
    ("splits", "of_rows", "sentence"),
    [
        (LeaveOneGroupOut(), {}, r"LeaveOneGroupOut\(\), which cannot split .*give groups="),
        (StratifiedKFold(3), {}, r"StratifiedKFold\(.*give y=, one value a row"),
        (LeaveOneGroupOut(), {"groups": GROUPS[:9]}, r"groups has the shape \(9,\), and X has"),
        (LeaveOneGroupOut(), {"groups": GROUPS == "z"}, "which cannot split 60 rows"),
        *(
            (LeaveOneGroupOut(), {"groups": [none, *GROUPS[1:]]}, "groups is missing in row 0")
            for none in (None, float("nan"), pd.NA, pd.NaT)
        ),
        (None, {"groups": GROUPS}, "groups is for a splitter, and splits is None: give one"),
        ("blocks", {"y": LABELS}, "y is for a splitter, and splits is 'blocks': give one"),
        ([GROUPS == "a", GROUPS == "b"], {"groups": GROUPS}, "groups is for a splitter"),
        (PredefinedSplit(np.tile(LABELS, 2)), {}, "splits names row 6"),
        ("weeks", {}, "splits is 'weeks'"),
        (7, {}, "splits is 7, which gives no pairs of rows"),
        (GROUPS == "a", {}, "where rows are expected"),
    ],
    ids=str,
)
def test_what_cannot_split_gets_a_sentence(splits, of_rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        rows_of(splits, **of_rows)


def test_stability_leaves_out_one_group_at_a_time():
    X, selector = factor_table(60, 8), TopologicalFeatureSelector(3)
    found = stability(selector, X, splits=LeaveOneGroupOut(), groups=GROUPS)
    masks = [group != GROUPS for group in "abc"]
    expected = stability(selector, X, splits=masks)
    assert found.n_resamples == 3
    np.testing.assert_array_equal(found.frequency, expected.frequency)
    alone = np.array([selector.fit(X[mask]).get_support() for mask in masks])
    np.testing.assert_array_equal(found.frequency, alone.mean(axis=0))


def test_compare_splits_the_same_rows_by_masks_positions_and_groups():
    X = factor_table(60, 6)
    target = target_of(X[:, 0] + 0.1 * X[:, 1])
    masks = [group != GROUPS for group in "abc"]
    few = Resampling(n_random=1)
    ways = [
        {"splits": [(mask, ~mask) for mask in masks]},
        {"splits": [(np.flatnonzero(mask), np.flatnonzero(~mask)) for mask in masks]},
        {"splits": LeaveOneGroupOut(), "groups": GROUPS},
    ]
    first, *others = [
        [
            scores.by_split
            for scores in compare(X, target, sizes=[2], resampling=few, **way).scores
        ]
        for way in ways
    ]
    assert others == [first, first]
    assert all(score < 1 for by_split in first for score in by_split)


def test_rows_without_a_target_are_left_out_of_given_splits():
    values = np.arange(60) % 7 / 7
    values[[0, 5, 41]] = np.nan
    target, mask = target_of(values, task="regression"), GROUPS == "a"
    there = np.flatnonzero(target.given)
    by_mask = folds(target, Resampling(splits=[(mask, ~mask), (~mask, mask)]))
    rows = np.flatnonzero(mask), np.flatnonzero(~mask)
    by_position = folds(target, Resampling(splits=[rows, rows[::-1]]))
    by_groups = folds(target, Resampling(splits=GroupKFold(2), groups=mask))
    assert [[there[part].tolist() for part in split] for split in by_mask] == [
        [part[target.given[part]].tolist() for part in split] for split in (rows, rows[::-1])
    ]
    for splits in (by_position, by_groups):
        found = {tuple(tuple(part.tolist()) for part in split) for split in splits}
        assert found == {tuple(tuple(part.tolist()) for part in split) for split in by_mask}


@pytest.mark.parametrize(
    ("splits", "sentence"),
    [
        ([(np.arange(9), np.arange(8, 20))] * 2, "1 rows both to train on and to score"),
        ([np.arange(9)] * 2, "gives no pairs of rows to train on and rows to score"),
        ([(np.arange(1), np.arange(5, 9))] * 2, "of 1 rows to train on and 4 to score"),
        ([(np.arange(9), [])] * 2, "and 0 to score"),
    ],
    ids=["overlap", "no pairs", "one row", "no rows"],
)
def test_pairs_that_say_nothing_are_refused(splits, sentence):
    with pytest.raises(ValueError, match=sentence):
        compare(factor_table(60, 4), target_of(LABELS.astype(float)), splits=splits)


@pytest.mark.parametrize(
    "rows",
    [
        np.ma.array([0, 1, 5, 7], mask=[0, 0, 1, 0]),
        np.ma.array([True] * 60, mask=GROUPS == "a"),
    ],
)
def test_masked_rows_are_refused(rows):
    with pytest.raises(ValueError, match=r"splits gives (nan|None) where rows"):
        row_positions(rows, 60)


def test_masked_groups_are_missing_groups():
    groups = np.ma.array(np.arange(60) % 3, mask=np.arange(60) == 4)
    with pytest.raises(ValueError, match="groups is missing in row 4"):
        rows_of(LeaveOneGroupOut(), groups=groups)


def test_a_mask_of_zeros_and_ones_is_not_taken_for_rows_0_and_1():
    mask = (np.arange(60) % 2 == 0).astype(int)
    with pytest.raises(ValueError, match="60 zeros and ones"):
        rows_of([(mask, 1 - mask), (1 - mask, mask)])
    assert row_positions([1, 0], 2).tolist() == [1, 0]
