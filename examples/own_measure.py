"""
Your own measure
================

A measure of your own: how often two columns are high in the same rows.
"""

# %% define
# A measure is a frozen dataclass that prepares the columns.

from dataclasses import dataclass

import numpy as np

from topofs import Measure, Pearson, TopologicalFeatureSelector, parameter, register
from topofs.similarity.base import MatrixOperator


def check_top(top):
    """Refuse a share that is none."""
    if not 0 < top < 1:
        raise ValueError(f"top is {top!r}; give a share of the rows between 0 and 1")


@dataclass(frozen=True, repr=False)
class Peaks(Measure):
    """The Jaccard similarity of the rows in which columns are high."""

    top: float = parameter(0.1, help="Share of the rows that count as high.", check=check_top)

    @property
    def words(self):
        """What it is called after "compared by"."""
        return f"their highest {self.top:.0%} of the rows"

    def operator(self, table):
        """Prepare the columns: here, the whole matrix."""
        high = (table >= np.quantile(table, 1 - self.top, axis=0)).astype(np.float64)
        both = high.T @ high
        count = high.sum(axis=0)
        return MatrixOperator(both / (count[:, None] + count - both))


register(Peaks())


# %% inherit
# Or change one step of a measure that is there.


@dataclass(frozen=True, repr=False)
class LogPearson(Pearson):
    """Pearson's correlation of logarithms; its scale, what chance gives, is inherited."""

    short_name = "log_pearson"
    takes_sparse = False

    def operator(self, table):
        """Prepare the columns."""
        return super().operator(np.log1p(np.clip(table, 0, None)))


register(LogPearson())

# %% use
# Both have short names now.

if __name__ == "__main__":
    from sklearn.datasets import load_breast_cancer

    X = load_breast_cancer(as_frame=True).data
    selector = TopologicalFeatureSelector(3, similarity="peaks", rule="degree").fit(X)
    print(", ".join(selector.get_feature_names_out()))
    selector.set_params(similarity__top=0.3).fit(X)
    print(selector.similarity_, ", ".join(selector.get_feature_names_out()))
    try:
        TopologicalFeatureSelector(similarity=Peaks()).fit(X)
    except ValueError as error:
        print(error)
    for name in ("pearson", "log_pearson"):
        selector = TopologicalFeatureSelector(similarity=name).fit(X)
        print(f"{name}: {', '.join(group.name for group in selector.groups_)}")
