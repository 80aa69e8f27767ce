"""The paper's claims, recomputed from its own cells and from a run.

`PRINTED_CLAIMS` lists what the paper's sentences and summary rows say, with the printed value
and the measure that counts it; the tie rule stands in the claim's wording. Strict counts and
counts by domain that the paper does not print have an empty printed value: they are context.

Scores are compared as the source prints them: the published cells and protocol ``paper`` to
two decimals, protocol ``corrected`` unrounded. A cell is significant when it earns any star
(p ≤ 0.1): by the published marks, by the ``program`` statistic for ``paper``, and by Nadeau
and Bengio's for ``corrected``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.claim_measures import StudyCells
from topofs_study.paper.printed_claims import PRINTED_CLAIMS
from topofs_study.paper.published import (
    published_datasets,
    published_p_values,
    published_scores,
)
from topofs_study.paper.statistics import stars

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "ClaimResult",
    "claims_frame",
    "holds",
    "measured_study",
    "published_study",
    "recompute_claims",
    "wrong_values",
]

# For each protocol: the decimals scores are compared at, and the statistic that gives stars.
_COMPARED_AT = {"paper": 2, "corrected": 9}
_STATISTIC = {"paper": "program", "corrected": "nadeau_bengio"}


@dataclass(frozen=True)
class ClaimResult:
    """One claim beside its recomputations; an empty text was not printed, or not run.

    Attributes
    ----------
    claim : str
        What is counted, with its tie rule.
    printed : str
        What the paper says.
    published_cells : str
        What its printed cells give.
    same_datasets : str
        What its printed cells give on the datasets of the run alone.
    paper, corrected : str
        What a run under that protocol gives.
    """

    claim: str
    printed: str
    published_cells: str
    same_datasets: str
    paper: str
    corrected: str

    @property
    def holds(self) -> bool | None:
        """Whether the printed cells bear the claim out; None where nothing was printed."""
        return holds(self.printed, self.published_cells)


def published_study(datasets: Iterable[str] | None = None) -> StudyCells:
    """Give the published cells as a study.

    Parameters
    ----------
    datasets : iterable of str, optional
        Keep these datasets only.

    Returns
    -------
    StudyCells
        Of all 16 datasets when `datasets` is not given.

    Examples
    --------
    >>> from topofs_study.paper.claim_measures import mean_score
    >>> mean_score(published_study(), classifier="KNN", method="inf_fs", size=10)
    '0.496'
    """
    scores = published_scores()
    marks = published_p_values()
    sizes = published_datasets()
    kept = set(sizes["dataset"]) if datasets is None else set(datasets)
    return StudyCells(
        scores=scores[scores["metric"].eq("balanced_accuracy") & scores["dataset"].isin(kept)],
        significant=marks.assign(significant=marks["stars"] != "")[marks["dataset"].isin(kept)],
        sizes=sizes[sizes["dataset"].isin(kept)],
    )


def measured_study(
    scores: pd.DataFrame, tests: pd.DataFrame, splits: pd.DataFrame, *, protocol: str
) -> StudyCells:
    """One protocol of a run as a study, over the paper's datasets.

    Parameters
    ----------
    scores, splits : pandas.DataFrame
        The tidy frames of a store.
    tests : pandas.DataFrame
        As `topofs_study.paper.statistics.paired_tests` gives.
    protocol : {"paper", "corrected"}
        Which rows to take.

    Returns
    -------
    StudyCells
        Empty where nothing was run. Datasets that the paper does not have are left out.
    """
    names = published_datasets()["dataset"].tolist()

    def of_protocol(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["protocol"].eq(protocol) & frame["dataset"].isin(names)]

    cells = of_protocol(scores)
    cells = cells[cells["metric"] == "balanced_accuracy"]
    known = of_protocol(tests).dropna(subset=_STATISTIC[protocol])
    marks = [stars(p_value) != "" for p_value in known[_STATISTIC[protocol]]]
    return StudyCells(
        scores=_in_paper_order(
            cells.assign(value=cells["value"].astype(float).round(_COMPARED_AT[protocol])),
            names,
        ),
        significant=known.assign(significant=marks),
        sizes=_in_paper_order(_sizes(of_protocol(splits)), names),
    )


def recompute_claims(studies: Mapping[str, StudyCells]) -> tuple[ClaimResult, ...]:
    """Set every claim of the paper beside what the published cells and a run give.

    Parameters
    ----------
    studies : mapping
        From ``paper`` and ``corrected`` to the cells of the run, as `measured_study` gives.
        One that was not run may be missing.

    Returns
    -------
    tuple of ClaimResult
        In the order of `PRINTED_CLAIMS`.

    Examples
    --------
    >>> claims = recompute_claims({})
    >>> sum(claim.holds is False for claim in claims) > 0
    True
    """
    in_run = {name for study in studies.values() for name in study.scores["dataset"]}
    columns = (
        published_study(),
        published_study(in_run) if in_run else None,
        *(studies.get(name) for name in _COMPARED_AT),
    )
    return tuple(
        ClaimResult(
            claim.text,
            claim.printed,
            *("" if study is None else claim.measure(study) for study in columns),
        )
        for claim in PRINTED_CLAIMS
    )


def wrong_values(results: Sequence[ClaimResult]) -> tuple[int, int]:
    """Count the printed values that the printed cells do not give under any tie rule.

    Parameters
    ----------
    results : sequence of ClaimResult
        As `recompute_claims` gives. A printed value has a row for each rule it may follow,
        told apart by the words in brackets that end the claim.

    Returns
    -------
    tuple of int
        The wrong ones, and all printed values.

    Examples
    --------
    >>> wrong_values(recompute_claims({}))
    (15, 97)
    """
    by_value: dict[str, list[bool]] = {}
    for result in results:
        if result.holds is not None:
            name = re.sub(r" \([^()]*\)$", "", result.claim)
            by_value.setdefault(name, []).append(result.holds)
    return sum(not any(told) for told in by_value.values()), len(by_value)


def claims_frame(results: Sequence[ClaimResult]) -> pd.DataFrame:
    """Make the frame of ``claims.csv``.

    Parameters
    ----------
    results : sequence of ClaimResult
        As `recompute_claims` gives.

    Returns
    -------
    pandas.DataFrame
        ``claim, printed, from the published cells, paper, corrected``.
    """
    return pd.DataFrame(
        [(r.claim, r.printed, r.published_cells, r.paper, r.corrected) for r in results],
        columns=["claim", "printed", "from the published cells", "paper", "corrected"],
    )


def holds(printed: str, computed: str) -> bool | None:
    """Whether a printed value is what was computed, at the printed number of decimals.

    Parameters
    ----------
    printed, computed : str
        Numbers, counts such as ``"14 of 16"``, or lists of names.

    Returns
    -------
    bool or None
        None where either is empty. Names are compared without their order.

    Examples
    --------
    >>> holds("0.50", "0.496"), holds("0.46", "0.496"), holds("b, a", "a, b"), holds("", "1")
    (True, False, True, None)
    """
    if not printed or not computed:
        return None
    said, found = (re.findall(r"-?\d+(?:\.\d+)?", text) for text in (printed, computed))
    words = (
        sorted(re.split(r",\s*", re.sub(r"-?\d+(?:\.\d+)?", "#", text)))
        for text in (printed, computed)
    )
    if len({tuple(w) for w in words}) > 1 or len(said) != len(found):
        return False
    return all(_rounds_to(a, b) for a, b in zip(said, found, strict=True))


def _rounds_to(printed: str, computed: str) -> bool:
    decimals = len(printed.partition(".")[2])
    return abs(float(printed) - float(computed)) <= 0.5 * 10.0**-decimals + 1e-9


def _in_paper_order(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    return frame.iloc[frame["dataset"].map(names.index).argsort(kind="stable")]


def _sizes(splits: pd.DataFrame) -> pd.DataFrame:
    """``dataset, n_features, train_features, n_samples, n_classes`` from the split rows."""
    grouped = splits.groupby("dataset", sort=False)
    return pd.DataFrame(
        {
            "n_features": grouped["n_features_before"].first(),
            "train_features": grouped["n_features_after"].first(),
            "n_samples": grouped["count"].sum(),
            "n_classes": grouped["class"].nunique(),
        }
    ).reset_index()
