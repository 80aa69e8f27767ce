"""Tables and names that the tests of the page draw from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tests.matrices import factor_table
from topofs import TopologicalFeatureSelector

HOSTILE = '</script><script>window.hacked = true</script><img src=x onerror="hacked = 1">&amp;'
NAMES = (HOSTILE, "=2+5", 'say "hi", he said', "naïve ☃ 特徴", "{{ 7 * 7 }}", "a b")


@dataclass(frozen=True)
class LeftOut:
    name: str
    reason: str


def table(n_features=24, *, n_samples=80, seed=3):
    """A table some of whose columns have names that a page must not believe."""
    X = factor_table(n_samples, n_features, seed=seed)
    plain = [f"feature {number}" for number in range(n_features - len(NAMES))]
    return pd.DataFrame(X, columns=[*NAMES[:n_features], *plain])


def tied_selector(X):
    """A fitted selector whose cut goes through equal scores."""
    scores = np.sort(TopologicalFeatureSelector(1).fit(X).scores_)[::-1]
    sizes = [k for k in range(3, len(scores)) if scores[k - 1] == scores[k]]
    return TopologicalFeatureSelector(sizes[0]).fit(X)
