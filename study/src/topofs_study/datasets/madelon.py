"""Make datasets like MADELON, in which no feature tells anything on its own."""

from __future__ import annotations

import numpy as np

from topofs_study.datasets.reading import Dataset

__all__ = ["make_madelon"]


def make_madelon(
    *,
    n_samples: int = 2600,
    n_test: int = 600,
    n_informative: int = 5,
    n_redundant: int = 15,
    n_probes: int = 480,
    n_clusters: int = 32,
    class_sep: float = 2.0,
    label_noise: float = 0.01,
    random_state: int | np.random.RandomState | None = None,
) -> Dataset:
    r"""Draw a dataset after Guyon's MADELON.

    Normal clusters sit on different vertices of the hypercube
    :math:`\{-s, s\}^{d}` with :math:`d` = `n_informative` and :math:`s` = `class_sep`, each
    sheared by a random matrix of its own. Half of the clusters are of class 1, the other half
    of class -1, whichever vertices they fall on, so that the classes are an exclusive-or of
    many coordinates. The redundant features are random linear combinations of the informative
    ones; the probes are independent normal noise. A share `label_noise` of the labels is drawn
    anew, at even odds. Rows and columns are shuffled; the names of the columns tell which is
    which.

    Parameters
    ----------
    n_samples : int, default 2600
        Number of rows.
    n_test : int, default 600
        How many of them, the last ones, are for testing; 0 for none.
    n_informative, n_redundant, n_probes : int, default 5, 15, 480
        Number of columns of each kind.
    n_clusters : int, default 32
        Number of clusters, even and no more than the ``2 ** n_informative`` vertices.
    class_sep : float, default 2.0
        Half the side of the hypercube; the spread of a cluster is of order one.
    label_noise : float, default 0.01
        The share of labels drawn anew.
    random_state : int, RandomState or None, default None
        Seed of the generator; the same seed gives the same dataset.

    Returns
    -------
    Dataset
        With labels -1 and 1 and feature names ``informative_0``, ``redundant_0``,
        ``probe_0`` and so on.

    References
    ----------
    .. [1] I. Guyon, "Design of experiments for the NIPS 2003 variable selection benchmark",
       2003.

    Examples
    --------
    >>> from topofs_study.datasets import make_madelon
    >>> data = make_madelon(random_state=0)
    >>> data
    Dataset('make_madelon', n_samples=2600, n_features=500, n_classes=2)
    >>> data.test_rows
    slice(2000, 2600, None)
    >>> sum(name.startswith("probe") for name in data.feature_names)
    480
    """
    # Here, so that listing and reading datasets does not wait for scikit-learn.
    from sklearn.datasets import make_classification
    from sklearn.utils import check_random_state

    if not 0 <= n_test < n_samples:
        raise ValueError(f"n_test is {n_test}; it must be at least 0 and below {n_samples}")
    if n_clusters < 2 or n_clusters % 2 or n_clusters > 2**n_informative:
        raise ValueError(
            f"n_clusters is {n_clusters}; it must be even, at least 2 and at most "
            f"2 ** n_informative = {2**n_informative}"
        )
    random = check_random_state(random_state)
    X, label = make_classification(
        n_samples,
        n_features=n_informative + n_redundant + n_probes,
        n_informative=n_informative,
        n_redundant=n_redundant,
        n_clusters_per_class=n_clusters // 2,
        class_sep=class_sep,
        flip_y=label_noise,
        shuffle=False,
        random_state=random,
    )
    counts = {"informative": n_informative, "redundant": n_redundant, "probe": n_probes}
    names = [f"{kind}_{i}" for kind, count in counts.items() for i in range(count)]
    rows = random.permutation(n_samples)
    columns = random.permutation(len(names))
    return Dataset(
        "make_madelon",
        X[np.ix_(rows, columns)],
        2 * label[rows] - 1,
        feature_names=[names[column] for column in columns],
        test_rows=slice(n_samples - n_test, n_samples) if n_test else None,
    )
