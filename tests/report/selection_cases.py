"""Tables and names that the tests of the page draw from."""

import numpy as np
import pandas as pd

from tests.matrices import factor_table
from topofs import TopologicalFeatureSelector

HOSTILE = '</script><script>window.hacked = true</script><img src=x onerror="hacked = 1">&amp;'
NAMES = (HOSTILE, "=2+5", 'say "hi", he said', "naïve ☃ 特徴", "{{ 7 * 7 }}", "a b")


def table(n_features=24, *, n_samples=80, seed=3):
    """A table some of whose columns have names that a page must not believe."""
    X = factor_table(n_samples, n_features, seed=seed)
    plain = [f"feature {number}" for number in range(n_features - len(NAMES))]
    return pd.DataFrame(X, columns=[*NAMES[:n_features], *plain])


def tied_selector(X):
    """A fitted selector whose cut goes through equal scores."""
    scores = np.sort(TopologicalFeatureSelector(1, rule="degree").fit(X).scores_)[::-1]
    sizes = [k for k in range(3, len(scores)) if scores[k - 1] == scores[k]]
    return TopologicalFeatureSelector(sizes[0], rule="degree").fit(X)


def chained_table():
    """Chains of columns, each much like the one before it, and three that are isolated."""
    rng = np.random.default_rng(1)
    chains = [np.cumsum(rng.normal(size=(120, 9)), axis=1) for _ in range(3)]
    X = np.column_stack([*chains, rng.normal(size=(120, 3))])
    names = [*NAMES, *(f"feature {number}" for number in range(X.shape[1] - len(NAMES)))]
    return pd.DataFrame(X, columns=names)


def mixed_table(n_samples=200):
    """Numbers, names, ordered categories, an identifier and a constant."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, n_samples)
    town = rng.choice(["Ulm", "Bonn", "Kiel", HOSTILE], n_samples)
    grade = np.where(age > 60, "old", np.where(age > 35, "middle", "young"))
    return pd.DataFrame(
        {
            "age": age,
            "saved": age * 10 + rng.normal(0, 40, n_samples),
            "grade": pd.Categorical(grade, ["young", "middle", "old"], ordered=True),
            "retired": age > 65,
            "town": town,
            "state": np.where(town == "Ulm", "BW", np.where(town == "Kiel", "SH", "NRW")),
            "noise": rng.normal(size=n_samples),
            "id": [f"p{number}" for number in range(n_samples)],
            "constant": 1.0,
        }
    )
