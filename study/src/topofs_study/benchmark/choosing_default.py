"""The rule that chooses the default, as it was written down before the run.

Candidates are the settings of the estimator that need no n × n matrix. Those count whose mean
stability is at least that of the default minus 0.02; the highest mean accuracy wins; settings
within 0.002 of it tie, and the cheapest of them wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topofs_study.benchmark.methods import DEFAULT, NEEDS_MATRIX, SELECTORS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ACCURACY_TIE", "STABILITY_SLACK", "DefaultChoice", "choose_default"]

STABILITY_SLACK = 0.02
"""How much less stable than the default a winner may be."""

ACCURACY_TIE = 0.002
"""Settings no further than this from the best are as good."""


@dataclass(frozen=True)
class DefaultChoice:
    """Who wins, and why.

    Attributes
    ----------
    winner : str
        The method that the rule chooses.
    candidates : pandas.DataFrame
        Candidates by ``accuracy, stability, seconds, stable_enough, tied``, best first.
    """

    winner: str
    candidates: pd.DataFrame


def choose_default(table: pd.DataFrame, today: str = DEFAULT) -> DefaultChoice | None:
    """Apply the rule.

    Parameters
    ----------
    table : pandas.DataFrame
        Methods by at least ``accuracy, stability, seconds``.
    today : str
        The default that is in question.

    Returns
    -------
    DefaultChoice or None
        None without today's default.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     [[0.73, 0.4, 1.0], [0.735, 0.3, 0.5], [0.74, 0.41, 9.0]],
    ...     index=["coverage", "coverage_edges", "coverage_similarity"],
    ...     columns=["accuracy", "stability", "seconds"],
    ... )
    >>> choose_default(table).winner  # the last needs a matrix, the second is not stable enough
    'coverage'
    """
    if today not in table.index:
        return None
    names = [name for name in table.index if name in SELECTORS and name not in NEEDS_MATRIX]
    found = table.loc[names, ["accuracy", "stability", "seconds"]].copy()
    floor = found.loc[today, "stability"] - STABILITY_SLACK
    found["stable_enough"] = found["stability"] >= floor
    best = found.loc[found["stable_enough"], "accuracy"].max()
    found["tied"] = found["stable_enough"] & (found["accuracy"] >= best - ACCURACY_TIE)
    winner = str(found.loc[found["tied"], "seconds"].idxmin())
    return DefaultChoice(winner, found.sort_values("accuracy", ascending=False))
