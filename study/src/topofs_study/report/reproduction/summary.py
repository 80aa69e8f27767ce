"""The numbers of the report, each computed once, before anything is drawn or laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from topofs_study.paper.across_datasets import (
    N_DRAWS,
    RankComparison,
    compare_methods,
    dataset_scores,
)
from topofs_study.paper.claims import (
    ClaimResult,
    measured_study,
    published_study,
    recompute_claims,
)
from topofs_study.paper.classifiers import CLASSIFIERS
from topofs_study.paper.errata import Erratum, errata
from topofs_study.paper.published import published_scores
from topofs_study.paper.settings import TUNED_METHODS
from topofs_study.paper.statistics import paired_tests
from topofs_study.paper.tables import PROTOCOLS, cells_table, p_values_table, tuned_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topofs_study.paper.claim_measures import StudyCells
    from topofs_study.paper.frames import Frames

__all__ = ["MethodsCompared", "Summary", "summarise"]


@dataclass(frozen=True)
class MethodsCompared:
    """Methods across datasets.

    Attributes
    ----------
    overall : RankComparison
        Of every method, over the mean of all sizes and classifiers.
    by_classifier : pandas.DataFrame
        ``classifier`` and the pairwise tests of TFS against Inf-FS.
    """

    overall: RankComparison
    by_classifier: pd.DataFrame


@dataclass(frozen=True)
class Summary:
    """Everything the report prints.

    Attributes
    ----------
    frames : Frames
        What was run.
    sources : tuple of str
        ``published`` and the protocols that were run.
    cells, tuned, p_values : pandas.DataFrame
        The tables of the files of the same names.
    studies : mapping
        From each source to its cells.
    claims : tuple of ClaimResult
        The claims, recomputed.
    errata : tuple of Erratum
        The defects with their effect.
    comparisons : mapping
        From each source with two datasets and two methods to the methods compared.
    """

    frames: Frames
    sources: tuple[str, ...]
    cells: pd.DataFrame
    tuned: pd.DataFrame
    p_values: pd.DataFrame
    studies: Mapping[str, StudyCells]
    claims: tuple[ClaimResult, ...]
    errata: tuple[Erratum, ...]
    comparisons: Mapping[str, MethodsCompared]


def summarise(frames: Frames, *, n_draws: int = N_DRAWS) -> Summary:
    """Compute the numbers of the report.

    Parameters
    ----------
    frames : Frames
        The tidy frames of a store; any of them may be empty or partial.
    n_draws : int, default 20000
        Draws from the posterior of the Bayesian tests, a pair of methods.

    Returns
    -------
    Summary
        The same for the same frames.
    """
    tests = paired_tests(frames.pairs)
    cells, tuned = cells_table(frames.scores), tuned_table(frames.tuned)
    protocols = [name for name in PROTOCOLS if cells[name].notna().any()]
    run = {
        name: measured_study(frames.scores, tests, frames.splits, protocol=name)
        for name in protocols
    }
    claims = recompute_claims(run)
    by_source = {"published": published_scores()}
    for name in protocols:
        by_source[name] = frames.scores[frames.scores["protocol"] == name]
    compared = {source: _compare(scores, n_draws) for source, scores in by_source.items()}
    return Summary(
        frames=frames,
        sources=("published", *protocols),
        cells=cells,
        tuned=tuned,
        p_values=p_values_table(tests),
        studies={"published": published_study(), **run},
        claims=claims,
        errata=errata(cells, tuned, tests, claims),
        comparisons={source: of for source, of in compared.items() if of is not None},
    )


def _compare(scores: pd.DataFrame, n_draws: int) -> MethodsCompared | None:
    by_dataset = dataset_scores(scores)
    if min(by_dataset.shape) < 2:
        return None
    overall = compare_methods(by_dataset, n_draws=n_draws)
    return MethodsCompared(overall, _compare_by_classifier(scores, n_draws))


def _compare_by_classifier(scores: pd.DataFrame, n_draws: int) -> pd.DataFrame:
    rows = []
    both = scores[scores["method"].isin(TUNED_METHODS)]
    for classifier in CLASSIFIERS:
        by_dataset = dataset_scores(both, classifier=classifier)
        if min(by_dataset.shape) < 2:
            continue
        # One pair a classifier: there is nothing for Holm to adjust.
        row = compare_methods(by_dataset, n_draws=n_draws).pairwise.drop(columns="holm")
        row.insert(0, "classifier", classifier)
        rows.append(row)
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
