import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from topofs_study.datasets import make_madelon


def kinds(dataset):
    return np.array([name.partition("_")[0] for name in dataset.feature_names])


def test_the_same_seed_gives_the_same_dataset():
    first, again, other = (make_madelon(random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert first.feature_names == again.feature_names
    assert not np.array_equal(first.X, other.X)


def test_sizes_are_those_of_madelon():
    dataset = make_madelon(random_state=0)
    assert dataset.X.shape == (2600, 500)
    assert dataset.test_rows == slice(2000, 2600)
    assert set(dataset.y.tolist()) == {-1, 1}
    names, counts = np.unique(kinds(dataset), return_counts=True)
    assert dict(zip(names, counts, strict=True)) == {
        "informative": 5,
        "redundant": 15,
        "probe": 480,
    }
    assert len(set(dataset.feature_names)) == 500


def test_redundant_features_are_linear_in_the_informative_ones():
    dataset = make_madelon(random_state=1)
    kind = kinds(dataset)
    informative, redundant = (
        dataset.X[:, kind == name] - dataset.X[:, kind == name].mean(axis=0)
        for name in ("informative", "redundant")
    )
    fit, *_ = np.linalg.lstsq(informative, redundant, rcond=None)
    assert np.allclose(informative @ fit, redundant)


def test_informative_features_tell_the_class_together_and_probes_do_not():
    dataset = make_madelon(random_state=0)
    kind = kinds(dataset)
    train, test = slice(0, 2000), dataset.test_rows
    score = {
        name: KNeighborsClassifier()
        .fit(dataset.X[train][:, kind == name], dataset.y[train])
        .score(dataset.X[test][:, kind == name], dataset.y[test])
        for name in ("informative", "probe")
    }
    assert score["informative"] > 0.85
    assert score["probe"] < 0.6


def test_rows_and_columns_are_shuffled():
    dataset = make_madelon(random_state=0)
    assert not all(name.startswith("informative") for name in dataset.feature_names[:5])
    assert 0.4 < (dataset.y[dataset.test_rows] == 1).mean() < 0.6


def test_label_noise():
    clean, noisy = (make_madelon(label_noise=share, random_state=0) for share in (0.0, 1.0))
    kind = kinds(clean)
    model = KNeighborsClassifier().fit(clean.X[:, kind == "informative"], clean.y)
    assert model.score(clean.X[:, kind == "informative"], clean.y) > 0.9
    kind = kinds(noisy)
    table, labels = noisy.X[:, kind == "informative"], noisy.y
    model = KNeighborsClassifier().fit(table[:2000], labels[:2000])
    assert model.score(table[2000:], labels[2000:]) < 0.6


def test_no_test_rows():
    assert make_madelon(n_samples=100, n_test=0, n_probes=0, random_state=0).test_rows is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 64}, "n_clusters is 64; .* 2 \\*\\* n_informative = 32"),
        ({"n_clusters": 5}, "n_clusters is 5; it must be even"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_test": 2600}, "n_test is 2600"),
        ({"n_test": -1}, "n_test is -1"),
    ],
)
def test_impossible_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_madelon(**arguments)
