"""The defects are there, exactly as in the paper's program, and the rest is exact."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.tests.naive.defective_tmfg import naive_defective_cliques
from tests.shared_files import GOLDEN_TABLES, SHARED, configurations, load_golden
from topofs_study.datasets import load
from topofs_study.paper import paper_defects
from topofs_study.paper.paper_defects import (
    DefectiveSimilarities,
    defective_degrees,
    defective_tmfg_cliques,
    program_alpha,
    varying_columns,
)
from topofs_study.paper.protocols import PROTOCOLS, Setting
from topofs_study.paper.splits import train_test


def similarity_with_ties(seed, n_nodes):
    rng = np.random.default_rng(seed)
    values = np.triu(rng.integers(0, 4, (n_nodes, n_nodes)) / 3, 1)
    return values + values.T + np.eye(n_nodes)


@given(seed=st.integers(0, 10_000), n_nodes=st.integers(4, 30), share=st.floats(0.0, 0.95))
def test_kernel_equals_its_naive_twin(seed, n_nodes, share):
    similarity = similarity_with_ties(seed, n_nodes)
    drop = np.triu(np.random.default_rng(seed + 1).random((n_nodes, n_nodes)) < share, 1)
    similarity[drop | drop.T] = 0.0
    cliques = defective_tmfg_cliques(similarity)
    bare = similarity - np.diag(np.diag(similarity))
    np.testing.assert_array_equal(cliques, naive_defective_cliques(bare, cliques[0]))


def test_e3_leaves_a_vertex_without_similarity_out():
    similarity = np.eye(7)
    similarity[1:6, 1:6] = 0.9
    np.fill_diagonal(similarity, 1.0)
    cliques = defective_tmfg_cliques(similarity)
    assert len(cliques) == 4
    # Vertices 0 and 6 gain nothing: 0 is the lowest index, so it is inserted twice.
    np.testing.assert_array_equal(cliques[-2:, 0], [0, 0])
    assert defective_degrees(similarity)[6] == 0


def test_e1_and_e2_keep_positions_where_columns_are_meant():
    positions = np.array([2, 0])
    kept = np.array([0, 2, 3])
    found = PROTOCOLS["paper"].test_columns(positions, kept)
    np.testing.assert_array_equal(found, positions)
    np.testing.assert_array_equal(PROTOCOLS["corrected"].test_columns(positions, kept), [3, 0])
    X = np.random.default_rng(0).normal(size=(30, 7))
    X[:, 2] = 1.0  # dropped by the ranker, whose positions then stop at the sixth column
    order = PROTOCOLS["paper"].ranker(X).tfs(Setting("pearson"))
    assert sorted(order) == list(range(6))


def test_spearman_is_that_of_pandas_to_the_last_bit():
    X = np.random.default_rng(0).integers(-2, 3, (61, 40)).astype(float)
    X[:, 7] = 1.0
    expected = pd.DataFrame(X).corr("spearman").to_numpy()
    found = DefectiveSimilarities(X).correlation("spearman")
    np.testing.assert_array_equal(found, expected)


def test_missing_values_are_left_to_pandas():
    X = np.random.default_rng(0).normal(size=(20, 5))
    X[3, 2] = np.nan
    expected = pd.DataFrame(X).corr("spearman").to_numpy()
    found = DefectiveSimilarities(X).correlation("spearman")
    np.testing.assert_array_equal(found, expected)


def test_energy_by_hand():
    X = np.array([[0.0, 0.0, 5.0], [0.0, 1.0, 5.0], [1.0, 0.0, 5.0], [1.0, 1.0, 5.0]])
    similarities = DefectiveSimilarities(X)
    of_tfs = similarities.energy(0.5, undefined_is_unrelated=False)
    of_inf_fs = similarities.energy(0.5, undefined_is_unrelated=True)
    np.testing.assert_allclose(of_tfs[:2, :2], [[0.25, 0.75], [0.75, 0.25]])
    np.testing.assert_allclose(of_tfs[2], [0.0, 0.0, 0.0])
    np.testing.assert_allclose(of_inf_fs[2], [0.75, 0.75, 0.5])


def test_the_grid_of_the_program_is_one_bit_off():
    assert program_alpha(0.7) == np.arange(0.1, 1, 0.1)[6] != 0.7
    assert program_alpha(0.4) == 0.4


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", ["lung_small", "colon", "Yale", "Isolet", "MADELON"])
def test_graphs_of_the_published_program(name):
    file = SHARED / "golden" / f"{'madelon' if name == 'MADELON' else name}.npz"
    if not file.exists():
        pytest.skip(f"{file.name} is not in ../shared/golden")
    golden = np.load(file)
    dataset = load(name, data_dir=SHARED / "datasets")
    X = train_test(dataset.X, dataset.y, test_rows=dataset.test_rows).X_train
    keep = varying_columns(X)
    np.testing.assert_array_equal(keep, golden["keep"])
    assert_graphs_of_the_program(golden, X[:, keep])


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", GOLDEN_TABLES)
def test_graphs_of_the_published_program_on_tables_in_the_repository(name):
    """On three of them the program inserts a node twice (defect E3)."""
    assert_graphs_of_the_program(*load_golden(name))


def assert_graphs_of_the_program(golden, X):
    similarities = DefectiveSimilarities(X)
    for key, measure, squared, alpha in configurations(golden):
        similarity = (
            similarities.energy(alpha, undefined_is_unrelated=False)
            if measure == "energy"
            else similarities.signed(measure, squared=squared)
        )
        degrees = defective_degrees(similarity)  # leaves the thresholded matrix behind
        np.testing.assert_array_equal(
            defective_tmfg_cliques(similarity), golden[f"{key}_cliques"], err_msg=key
        )
        np.testing.assert_array_equal(degrees, golden[f"{key}_degree"], err_msg=key)
        best = np.argsort(-degrees, kind="stable")[:300]
        np.testing.assert_array_equal(best, golden[f"{key}_rank"], err_msg=key)


def test_only_the_protocols_import_the_defects():
    package = Path(paper_defects.__file__).parents[1]
    users = {
        path.name
        for path in package.rglob("*.py")
        if "paper_defects" in path.read_text(encoding="utf-8")
    }
    assert users <= {"paper_defects.py", "protocols.py"}
