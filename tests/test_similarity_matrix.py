import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from topofs import TopologicalFeatureSelector, mst, pmfg, tmfg
from topofs.similarity_matrix import check_similarity_matrix


@pytest.mark.parametrize("build", [mst, pmfg, tmfg])
@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (np.ones(3), r"square matrix; got the shape \(3,\)"),
        (np.ones((2, 3)), r"square matrix; got the shape \(2, 3\)"),
        (np.empty((0, 0)), "empty"),
        (np.ones((2, 2), dtype=complex), "real numbers; got complex128"),
        (np.array([["a"]]), "real numbers"),
        (sparse.eye_array(3), "sparse; give a dense matrix"),
        (np.full((2, 2), 1e308), "overflow"),
        (np.full((7, 7), -2e38, dtype=np.float32), "overflow"),
        (1e-9 * np.array([[0, 5, 1], [0, 0, 2], [9, 0, 0]]), "not symmetric"),
        ([[1, np.nan], [np.nan, 1]], r"entry \(0, 1\) of the similarity is nan"),
        ([[1, 0], [0, np.inf]], r"entry \(1, 1\) of the similarity is inf"),
        ([[1, 0], [-np.inf, 1]], r"entry \(1, 0\) of the similarity is -inf"),
        (
            [[1, 0.5], [0.4, 1]],
            r"not symmetric: entry \(0, 1\) is 0.5 but entry \(1, 0\) is 0.4",
        ),
    ],
)
def test_one_sentence_says_what_is_wrong(build, similarity, message):
    with pytest.raises(ValueError, match=message):
        build(similarity)


def test_the_first_offence_is_named_in_a_large_matrix():
    similarity = np.ones((600, 600))
    similarity[500, 20] = 0
    with pytest.raises(
        ValueError, match=r"entry \(20, 500\) is 1.0 but entry \(500, 20\) is 0.0"
    ):
        check_similarity_matrix(similarity)


def test_where_the_halves_differ_by_rounding_the_upper_one_counts():
    similarity = np.full((6, 6), 0.5)
    similarity[0, 1] += 1e-12
    values = check_similarity_matrix(similarity).values
    assert (values == values.T).all()
    assert values[1, 0] == 0.5 + 1e-12
    assert similarity[1, 0] == 0.5
    TopologicalFeatureSelector(similarity="precomputed").fit(similarity)


def test_a_frame_of_nullable_numbers_is_taken():
    table = pd.DataFrame(np.eye(3), columns=list("abc")).convert_dtypes()
    assert check_similarity_matrix(table).labels == ("a", "b", "c")


def test_an_offence_beside_huge_entries_is_named():
    similarity = np.zeros((600, 600))
    similarity[0, 0] = 1e6
    similarity[500, 550] = 1
    with pytest.raises(ValueError, match=r"entry \(500, 550\) is 1.0"):
        check_similarity_matrix(similarity)


def test_rounding_is_not_an_offence():
    rng = np.random.default_rng(0)
    similarity = np.corrcoef(rng.normal(size=(300, 50)))
    assert (similarity != similarity.T).any()
    assert check_similarity_matrix(similarity).mean == pytest.approx(similarity.mean())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_, np.float16])
def test_other_numbers_become_float64(dtype):
    matrix = check_similarity_matrix(np.eye(3).astype(dtype))
    assert matrix.values.dtype == np.float64
    assert matrix.mean == pytest.approx(1 / 3)
