import numpy as np
import pytest

from topofs.selection import noise_features


def with_structure(n_noise=30, seed=0):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(150, 1))
    return np.column_stack(
        [factor + 0.5 * rng.normal(size=(150, 6)), rng.normal(size=(150, n_noise))]
    )


@pytest.mark.parametrize("similarity", ["pearson", "spearman"])
@pytest.mark.parametrize("graph", ["tmfg", "mst"])
def test_linked_columns_are_told_from_noise(similarity, graph):
    found = noise_features(with_structure(), similarity=similarity, graph=graph, random_state=0)
    assert not found.noise[:6].any()
    assert found.noise[6:].sum() >= 29
    assert (found.p_values[:6] < 0.01).all()


def test_links_that_are_not_monotone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 12))
    X[:, 1] = X[:, 0] ** 2 + 0.1 * rng.normal(size=400)
    found = noise_features(X, similarity="mutual_information", graph="mst", random_state=0)
    assert not found.noise[:2].any()
    assert noise_features(X, random_state=0).noise[1]


def test_of_tables_of_noise_few_have_a_discovery():
    rng = np.random.default_rng(0)
    tables = 40
    discoveries = sum(
        (
            ~noise_features(rng.normal(size=(60, 15)), n_permutations=5, random_state=i).noise
        ).any()
        for i in range(tables)
    )
    # Bound 5 %, by Benjamini and Hochberg.
    assert discoveries <= 5


def test_the_seed_decides():
    X = with_structure()
    first, again = (noise_features(X, random_state=3).p_values for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (noise_features(X, random_state=4).p_values != first).any()


def test_constant_columns_are_noise():
    X = with_structure(n_noise=4)
    X[:, 8] = 2.0
    X[:3, 1] = np.nan
    found = noise_features(X, random_state=0)
    assert found.noise[8]
    assert found.p_values[8] == 1
    assert found.strength[8] == 0
    assert not found.noise[1]
    assert noise_features(np.ones((3, 2)), random_state=0).noise.all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"similarity": "energy"}, "similarity is 'energy'; give a measure of numbers"),
        (
            {"graph": "x"},
            "graph is 'x'; known are 'auto', 'links', 'mfcf', 'mst', 'pmfg', 'tmfg'",
        ),
        ({"n_permutations": 0}, "n_permutations is 0"),
        ({"n_permutations": 2.5}, "n_permutations is 2.5"),
        ({"level": 1.0}, "level is 1.0; it must be"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        noise_features(with_structure(), **parameters)


def test_constant_columns_do_not_hide_the_others():
    X = np.random.default_rng(0).normal(size=(200, 12))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 0]
    wide = np.column_stack([X, np.ones((200, 30))])
    found = noise_features(wide, random_state=0)
    assert np.flatnonzero(~found.noise).tolist() == [0, 1, 2]
