"""What the paper's sentences count, as functions of a study's cells.

A `StudyCells` holds the cells of one source (the published tables, or one protocol of a
run). Each measure gives the text that stands in a claim's place, such as ``"14 of 16"`` or
``"0.496"``, or an empty text where the cells it needs were not run. A measure uses every
dataset whose cells it needs are complete, and says of how many it speaks.

Who wins a dataset depends on what a tie means; three rules are told apart:

``ties to TFS``
    The method with the higher best score over the five sizes wins; equal best scores go to
    TFS; its size is the smallest that reaches that score.
``smaller size first``
    The smallest size at which either method reaches the overall best score wins the
    dataset; where both reach it there, TFS does.
``strict``
    The method with the strictly higher best score; a tie is nobody's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import pandas as pd

from topofs_study.paper.classifiers import CLASSIFIERS
from topofs_study.paper.published import published_datasets
from topofs_study.paper.settings import SIZES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "StudyCells",
    "TieRule",
    "Winner",
    "compelling_domains",
    "datasets_won",
    "domain_against_all",
    "domain_won",
    "drawdown",
    "gain_over_all",
    "gain_with_inf_fs_best",
    "gain_with_tfs_best",
    "increase",
    "lower_for_tfs",
    "mean_score",
    "optimal_sizes",
    "pairs_won",
    "significant_cells",
    "significant_for_every_classifier",
    "significant_wins",
    "sizes_with_higher_mean",
    "winners",
    "won_at_size",
]

TieRule = Literal["ties to TFS", "smaller size first", "strict"]
Winner = tuple[str, int]  # method and size; ("", 0) is a tie that nobody wins

_NO_CELLS = pd.DataFrame(columns=list(SIZES), index=pd.Index([], name="dataset"), dtype=float)


@dataclass(frozen=True)
class StudyCells:
    """The cells that claims are computed from.

    Attributes
    ----------
    scores : pandas.DataFrame
        ``dataset, classifier, n_features, method, value``: balanced accuracies of methods
        ``tfs``, ``inf_fs`` and ``all``, rounded as they are to be compared.
    significant : pandas.DataFrame
        ``dataset, classifier, n_features, significant``: whether the cell earns any star.
    sizes : pandas.DataFrame
        ``dataset, n_features, train_features, n_samples, n_classes``.
    """

    scores: pd.DataFrame
    significant: pd.DataFrame
    sizes: pd.DataFrame

    def table(self, classifier: str, method: str) -> pd.DataFrame:
        """Datasets by subset sizes; NaN where a cell was not run."""
        return self._tables.get((classifier, method), _NO_CELLS)

    def both(self, classifier: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Give the tables of TFS and Inf-FS over the datasets that have both, whole."""
        if classifier not in self._whole:
            tfs, inf_fs = (self.table(classifier, name).dropna() for name in ("tfs", "inf_fs"))
            shared = tfs.index.intersection(inf_fs.index, sort=False)
            self._whole[classifier] = (tfs.loc[shared], inf_fs.loc[shared])
        return self._whole[classifier]

    def all_features(self, classifier: str) -> pd.Series:
        """Give the score with every feature, by dataset."""
        chosen = self.scores["classifier"].eq(classifier) & self.scores["method"].eq("all")
        return self.scores[chosen].set_index("dataset")["value"].dropna()

    # Some fifty measures ask for the same few tables.
    @cached_property
    def _whole(self) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
        return {}

    @cached_property
    def _tables(self) -> dict[tuple[str, str], pd.DataFrame]:
        return {
            key: rows.set_index(["dataset", "n_features"])["value"]
            .unstack(sort=False)
            .reindex(columns=list(SIZES))
            for key, rows in self.scores.groupby(["classifier", "method"])
        }


def winners(study: StudyCells, *, classifier: str, rule: TieRule) -> dict[str, Winner]:
    """Give the winning method and its size, by dataset.

    Parameters
    ----------
    study : StudyCells
        The cells.
    classifier : str
        One of the three.
    rule : {"ties to TFS", "smaller size first", "strict"}
        What a tie means (see the notes of this module).

    Returns
    -------
    dict
        Dataset to (method, size).

    Examples
    --------
    >>> from topofs_study.paper.claims import published_study
    >>> winners(published_study(), classifier="KNN", rule="ties to TFS")["Isolet"]
    ('tfs', 200)
    >>> winners(published_study(), classifier="KNN", rule="smaller size first")["Isolet"]
    ('inf_fs', 150)
    """
    tfs, inf_fs = study.both(classifier)
    rows = zip(tfs.index, tfs.to_numpy().tolist(), inf_fs.to_numpy().tolist(), strict=True)
    return {name: _winner(ours, theirs, rule) for name, ours, theirs in rows}


def _winner(tfs: list[float], inf_fs: list[float], rule: TieRule) -> Winner:
    best_tfs, best_inf_fs = max(tfs), max(inf_fs)
    size_tfs, size_inf_fs = SIZES[tfs.index(best_tfs)], SIZES[inf_fs.index(best_inf_fs)]
    if best_tfs > best_inf_fs:
        return ("tfs", size_tfs)
    if best_tfs < best_inf_fs:
        return ("inf_fs", size_inf_fs)
    if rule == "strict":
        return ("", 0)
    if rule == "smaller size first" and size_inf_fs < size_tfs:
        return ("inf_fs", size_inf_fs)
    return ("tfs", size_tfs)


def _count(hits: int, of: int) -> str:
    return f"{hits} of {of}" if of else ""


def datasets_won(study: StudyCells, *, classifier: str, method: str, rule: TieRule) -> str:
    """Count the datasets on which `method` wins with the best of its sizes."""
    won = winners(study, classifier=classifier, rule=rule)
    return _count(sum(name == method for name, _ in won.values()), len(won))


def pairs_won(study: StudyCells, *, rule: TieRule) -> str:
    """Count the (dataset, classifier) pairs that TFS wins."""
    won = [w for c in CLASSIFIERS for w in winners(study, classifier=c, rule=rule).values()]
    return _count(sum(name == "tfs" for name, _ in won), len(won))


def won_at_size(
    study: StudyCells, *, classifier: str, method: str, size: int, rule: TieRule
) -> str:
    """Count the datasets on which `method` wins at one subset size."""
    tfs = study.table(classifier, "tfs")[size].dropna()
    inf_fs = study.table(classifier, "inf_fs")[size].dropna()
    gap = (tfs - inf_fs).dropna().round(9)
    tfs_wins = gap.gt(0) if rule == "strict" else gap.ge(0)
    return _count(int((tfs_wins if method == "tfs" else gap.lt(0)).sum()), len(gap))


def optimal_sizes(study: StudyCells, *, classifier: str, rule: TieRule) -> str:
    """How often each size is the winning one, over the datasets that TFS wins."""
    won = winners(study, classifier=classifier, rule=rule)
    sizes = [size for name, size in won.values() if name == "tfs"]
    return ", ".join(f"{size}: {sizes.count(size)}" for size in SIZES) if won else ""


def mean_score(study: StudyCells, *, classifier: str, method: str, size: int) -> str:
    """Give the mean balanced accuracy over datasets at one size, where both methods ran."""
    table = _at_size(study, classifier, size)
    return f"{table[method].mean():.3f}" if len(table) else ""


def _at_size(study: StudyCells, classifier: str, size: int) -> pd.DataFrame:
    columns = {name: study.table(classifier, name)[size] for name in ("tfs", "inf_fs")}
    return pd.DataFrame(columns).dropna()


def increase(study: StudyCells, *, classifier: str, method: str) -> str:
    """Give the gain of the mean from 10 to 200 features, in percentage points."""
    gain = _increase(study, classifier, method)
    return "" if gain is None else f"{100 * gain:.1f} %"


def _increase(study: StudyCells, classifier: str, method: str) -> float | None:
    table = dict(zip(("tfs", "inf_fs"), study.both(classifier), strict=True))[method]
    return float(table[200].mean() - table[10].mean()) if len(table) else None


def drawdown(study: StudyCells, *, classifier: str, method: str) -> str:
    """Give the mean over datasets of (highest − lowest score over the sizes), in points.

    That difference, in points and not divided by the highest score, is what reproduces the
    paper's figures.
    """
    fall = _drawdown(study, classifier, method)
    return "" if fall is None else f"{100 * fall:.1f} %"


def _drawdown(study: StudyCells, classifier: str, method: str) -> float | None:
    table = dict(zip(("tfs", "inf_fs"), study.both(classifier), strict=True))[method]
    return float((table.max(axis=1) - table.min(axis=1)).mean()) if len(table) else None


def lower_for_tfs(study: StudyCells, *, measure: Literal["increase", "drawdown"]) -> str:
    """Count the classifiers for which TFS has the lower increase, or the lower drawdown."""
    of: Callable[[StudyCells, str, str], float | None]
    of = _increase if measure == "increase" else _drawdown
    pairs = [(of(study, c, "tfs"), of(study, c, "inf_fs")) for c in CLASSIFIERS]
    known = [(tfs, inf_fs) for tfs, inf_fs in pairs if tfs is not None and inf_fs is not None]
    return _count(sum(tfs < inf_fs for tfs, inf_fs in known), len(known))


def sizes_with_higher_mean(study: StudyCells) -> str:
    """Count the (classifier, size) averages in which TFS lies above Inf-FS."""
    tables = [_at_size(study, c, size) for c in CLASSIFIERS for size in SIZES]
    means = [table.mean() for table in tables if len(table)]
    return _count(sum(bool(mean["tfs"] > mean["inf_fs"]) for mean in means), len(means))


def _bests(study: StudyCells, classifier: str) -> pd.DataFrame:
    """``tfs, inf_fs, all`` by dataset: the best over sizes beside the score of all features.

    `all` is NaN where it was not run.
    """
    tfs, inf_fs = study.both(classifier)
    everything = study.all_features(classifier).reindex(tfs.index)
    best = {"tfs": tfs.max(axis=1), "inf_fs": inf_fs.max(axis=1)}
    return pd.DataFrame({**best, "all": everything})


def gain_over_all(study: StudyCells, *, classifier: str, ties_count: bool) -> str:
    """Count the datasets on which the better method is at least (or above) all features."""
    best = _bests(study, classifier).dropna()
    top = best[["tfs", "inf_fs"]].max(axis=1)
    gains = top.ge(best["all"]) if ties_count else top.gt(best["all"])
    return _count(int(gains.sum()), len(best))


def gain_with_tfs_best(study: StudyCells, *, classifier: str) -> str:
    """Of the datasets that gain from selection, those on which TFS wins; ties count twice.

    A tie of the methods is a win of TFS, and a score equal to that of all features a gain.
    """
    gains, tfs_wins = _gains_and_wins(_bests(study, classifier).dropna())
    return _count(int((gains & tfs_wins).sum()), int(gains.sum()))


def gain_with_inf_fs_best(study: StudyCells, *, classifier: str, tfs_gains: bool) -> str:
    """Name the datasets that gain from selection and go to Inf-FS, by whether TFS gains too."""
    best = _bests(study, classifier).dropna()
    if best.empty:
        return ""
    gains, tfs_wins = _gains_and_wins(best)
    chosen = gains & ~tfs_wins & (best["tfs"].ge(best["all"]) == tfs_gains)
    return ", ".join(best.index[chosen]) or "none"


def _gains_and_wins(best: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    gains = best[["tfs", "inf_fs"]].max(axis=1).ge(best["all"])
    return gains, best["tfs"].ge(best["inf_fs"])


def _is_significant(study: StudyCells, classifier: str) -> dict[tuple[str, int], bool]:
    rows = study.significant[study.significant["classifier"] == classifier]
    cells = zip(rows["dataset"], rows["n_features"], strict=True)
    return dict(zip(cells, rows["significant"].astype(bool), strict=True))


def significant_wins(study: StudyCells, *, classifier: str, rule: TieRule) -> str:
    """Of the datasets that TFS wins, those with any star at the winning size."""
    marks = _is_significant(study, classifier)
    won = winners(study, classifier=classifier, rule=rule).items()
    cells = [(name, size) for name, (method, size) in won if method == "tfs"]
    tested = [cell for cell in cells if cell in marks]
    return _count(sum(marks[cell] for cell in tested), len(tested))


def significant_cells(study: StudyCells, *, classifier: str) -> str:
    """Count the starred cells in which TFS scores at least as high on the test, or lower."""
    marks = _is_significant(study, classifier)
    gap = (study.table(classifier, "tfs") - study.table(classifier, "inf_fs")).round(9)
    gaps = [gap.at[cell] for cell, star in marks.items() if star and cell[0] in gap.index]
    if not marks:
        return ""
    return f"{sum(g >= 0 for g in gaps)} better, {sum(g < 0 for g in gaps)} worse"


def significant_for_every_classifier(study: StudyCells) -> str:
    """Name the datasets that TFS wins with a star at the winning size, by every classifier."""
    names: list[set[str]] = []
    for classifier in CLASSIFIERS:
        marks = _is_significant(study, classifier)
        won = winners(study, classifier=classifier, rule="ties to TFS")
        if not marks or not won:
            return ""
        names.append(
            {d for d, (method, size) in won.items() if method == "tfs" and marks.get((d, size))}
        )
    return ", ".join(sorted(set.intersection(*names))) or "none"


def _by_domain(study: StudyCells, domain: str) -> pd.DataFrame:
    """``tfs, inf_fs, all`` of the (dataset, classifier) pairs of one application domain."""
    datasets = published_datasets()
    members = datasets["dataset"][datasets["category"] == domain]
    pairs = pd.concat([_bests(study, classifier) for classifier in CLASSIFIERS])
    return pairs[pairs.index.isin(members)]


def domain_won(study: StudyCells, *, domain: str) -> str:
    """Count the (dataset, classifier) pairs of a domain that TFS wins, ties to TFS."""
    pairs = _by_domain(study, domain)
    return _count(int(pairs["tfs"].ge(pairs["inf_fs"]).sum()), len(pairs))


def domain_against_all(study: StudyCells, *, domain: str, ties_count: bool) -> str:
    """Count the pairs of a domain in which TFS at its best is at least (or above) `all`."""
    pairs = _by_domain(study, domain).dropna()
    gains = pairs["tfs"].ge(pairs["all"]) if ties_count else pairs["tfs"].gt(pairs["all"])
    return _count(int(gains.sum()), len(pairs))


def compelling_domains(study: StudyCells, *, ties_count: bool) -> str:
    """Name the domains in which TFS beats `all` in more than half of the pairs.

    The paper does not say what makes a domain compelling; this is one reading of it.
    """
    tables = {
        d: _by_domain(study, d).dropna() for d in published_datasets()["category"].unique()
    }
    if all(table.empty for table in tables.values()):
        return ""
    gains = {
        domain: table["tfs"].ge(table["all"]) if ties_count else table["tfs"].gt(table["all"])
        for domain, table in tables.items()
    }
    chosen = [domain for domain, gain in gains.items() if len(gain) and gain.mean() > 0.5]
    return ", ".join(sorted(chosen)) or "none"
