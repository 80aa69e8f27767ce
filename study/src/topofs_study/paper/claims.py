"""The paper's claims beside what its own cells, and a run, give.

A claim is a count, a mean or a list of names in the paper's sentences and summary rows ("Results",
"Conclusions", the row "# bests", the table of p-values, Appendices 1 and 2). Its measure gives the
text for the cells of one source (the published tables, or one protocol of a run), such as
``"14 of 16"``, or an empty text where the cells it needs were not run. Counts that the paper does
not print have an empty printed value: they are context. A measure uses every dataset whose cells
it needs are complete, and says of how many it speaks.

Who wins a dataset depends on what a tie means; three rules are told apart:

``ties to TFS``
    The method with the higher best score over the five sizes wins; equal best scores go to
    TFS; its size is the smallest that reaches that score.
``smaller size first``
    The smallest size at which either method reaches the overall best score wins the
    dataset; where both reach it there, TFS does.
``strict``
    The method with the strictly higher best score; nobody wins a tie.

Scores are compared as the source prints them: the published cells and protocol ``paper`` to
two decimals, protocol ``corrected`` unrounded. A cell is significant when it earns any star
(p ≤ 0.1): by the published marks, by the ``program`` statistic for ``paper``, and by Nadeau
and Bengio's for ``corrected``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from topofs_study.paper.protocols import CLASSIFIERS, SIZES
from topofs_study.paper.published import (
    published_datasets,
    published_p_values,
    published_scores,
)
from topofs_study.paper.statistics import stars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    # What is counted, with its tie rule; what the paper says, or nothing; the measure.
    _Claim = tuple[str, str, Callable[..., str]]
    _Share = Callable[[Any, str, str], float | None]

__all__ = ["ClaimResult", "recompute_claims"]

TieRule = Literal["ties to TFS", "smaller size first", "strict"]
Winner = tuple[str, int]  # method and size; ("", 0) is a tie that nobody wins

# For each protocol: the decimals scores are compared at, and the statistic that gives stars.
_COMPARED_AT = {"paper": 2, "corrected": 9}
_STATISTIC = {"paper": "program", "corrected": "nadeau_bengio"}
_METHODS = ("tfs", "inf_fs")
_NO_CELLS = pd.DataFrame(columns=list(SIZES), index=pd.Index([], name="dataset"), dtype=float)


@dataclass(frozen=True)
class StudyCells:
    """The cells of one source: balanced accuracies, significant cells, sizes of the datasets.

    `scores` has ``dataset, classifier, n_features, method, value``, rounded as they are to be
    compared; `significant` has ``dataset, classifier, n_features, significant``; `sizes` has
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
            tfs, inf_fs = (self.table(classifier, name).dropna() for name in _METHODS)
            shared = tfs.index.intersection(inf_fs.index, sort=False)
            self._whole[classifier] = (tfs.loc[shared], inf_fs.loc[shared])
        return self._whole[classifier]

    def bests(self, classifier: str) -> pd.DataFrame:
        """``tfs, inf_fs, all`` by dataset: best over sizes, and all features (NaN if not run)."""
        tfs, inf_fs = self.both(classifier)
        chosen = self.scores["classifier"].eq(classifier) & self.scores["method"].eq("all")
        everything = self.scores[chosen].set_index("dataset")["value"].dropna()
        best = {"tfs": tfs.max(axis=1), "inf_fs": inf_fs.max(axis=1)}
        return pd.DataFrame({**best, "all": everything.reindex(tfs.index)})

    def stars(self, classifier: str) -> dict[tuple[str, int], bool]:
        """Whether each tested cell is significant, by dataset and size."""
        rows = self.significant[self.significant["classifier"] == classifier]
        cells = zip(rows["dataset"], rows["n_features"], strict=True)
        return dict(zip(cells, rows["significant"].astype(bool), strict=True))

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
    """Give the published cells, of all 16 datasets unless some are named.

    Examples
    --------
    >>> mean_score(published_study(), classifier="KNN", method="inf_fs", size=10)
    '0.496'
    """
    scores, marks, sizes = published_scores(), published_p_values(), published_datasets()
    kept = set(sizes["dataset"]) if datasets is None else set(datasets)
    return StudyCells(
        scores=scores[scores["metric"].eq("balanced_accuracy") & scores["dataset"].isin(kept)],
        significant=marks.assign(significant=marks["stars"] != "")[marks["dataset"].isin(kept)],
        sizes=sizes[sizes["dataset"].isin(kept)],
    )


def measured_study(
    scores: pd.DataFrame, tests: pd.DataFrame, splits: pd.DataFrame, *, protocol: str
) -> StudyCells:
    """Give the cells of one protocol of a run (two frames and paired tests), in paper order."""
    names = published_datasets()["dataset"].tolist()

    def of_protocol(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["protocol"].eq(protocol) & frame["dataset"].isin(names)]

    def in_paper_order(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.iloc[frame["dataset"].map(names.index).argsort(kind="stable")]

    cells = of_protocol(scores)
    cells = cells[cells["metric"] == "balanced_accuracy"]
    rounded = cells["value"].astype(float).round(_COMPARED_AT[protocol])
    known = of_protocol(tests).dropna(subset=_STATISTIC[protocol])
    marks = [stars(p_value) != "" for p_value in known[_STATISTIC[protocol]]]
    grouped = of_protocol(splits).groupby("dataset", sort=False)
    sizes = pd.DataFrame(
        {
            "n_features": grouped["n_features_before"].first(),
            "train_features": grouped["n_features_after"].first(),
            "n_samples": grouped["count"].sum(),
            "n_classes": grouped["class"].nunique(),
        }
    ).reset_index()
    return StudyCells(
        scores=in_paper_order(cells.assign(value=rounded)),
        significant=known.assign(significant=marks),
        sizes=in_paper_order(sizes),
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
        Classifier by classifier, then overall, by domain, and the sizes of the datasets.

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
        ClaimResult(text, printed, *("" if study is None else of(study) for study in columns))
        for text, printed, of in _claims()
    )


def count_wrong_values(results: Sequence[ClaimResult]) -> tuple[int, int]:
    """Count the printed values that the printed cells give under no tie rule, and all of them.

    A printed value has a row for each rule it may follow, told apart by the words in brackets.

    Examples
    --------
    >>> count_wrong_values(recompute_claims({}))
    (15, 97)
    """
    by_value: dict[str, list[bool]] = {}
    for result in results:
        if result.holds is not None:
            name = re.sub(r" \([^()]*\)$", "", result.claim)
            by_value.setdefault(name, []).append(result.holds)
    return sum(not any(told) for told in by_value.values()), len(by_value)


def claims_frame(results: Sequence[ClaimResult]) -> pd.DataFrame:
    """Make the frame of ``claims.csv``."""
    return pd.DataFrame(
        [(r.claim, r.printed, r.published_cells, r.paper, r.corrected) for r in results],
        columns=["claim", "printed", "from the published cells", "paper", "corrected"],
    )


def holds(printed: str, computed: str) -> bool | None:
    """Whether a printed value is what was computed, at the printed number of decimals.

    None where either is empty. Names are compared without their order.

    Examples
    --------
    >>> holds("0.50", "0.496"), holds("0.46", "0.496"), holds("b, a", "a, b"), holds("", "1")
    (True, False, True, None)
    """
    if not printed or not computed:
        return None
    number = r"-?\d+(?:\.\d+)?"
    said, found = (re.findall(number, text) for text in (printed, computed))
    words, others = (
        sorted(re.split(r",\s*", re.sub(number, "#", text))) for text in (printed, computed)
    )
    if words != others or len(said) != len(found):
        return False
    return all(
        abs(float(a) - float(b)) <= 0.5 * 10.0 ** -len(a.partition(".")[2]) + 1e-9
        for a, b in zip(said, found, strict=True)
    )


# The measures.


def winners(study: StudyCells, *, classifier: str, rule: TieRule) -> dict[str, Winner]:
    """Give the winning method and its size, by dataset.

    Examples
    --------
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


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def datasets_won(study: StudyCells, *, classifier: str, method: str, rule: TieRule) -> str:
    """Count the datasets on which `method` wins with the best of its sizes."""
    won = winners(study, classifier=classifier, rule=rule)
    return _count(sum(name == method for name, _ in won.values()), len(won))


def _pairs_won(study: StudyCells, *, rule: TieRule) -> str:
    """Count the (dataset, classifier) pairs that TFS wins."""
    won = [w for c in CLASSIFIERS for w in winners(study, classifier=c, rule=rule).values()]
    return _count(sum(name == "tfs" for name, _ in won), len(won))


def won_at_size(
    study: StudyCells, *, classifier: str, method: str, size: int, rule: TieRule
) -> str:
    """Count the datasets on which `method` wins at one subset size."""
    tfs, inf_fs = (study.table(classifier, name)[size].dropna() for name in _METHODS)
    gap = (tfs - inf_fs).dropna().round(9)
    tfs_wins = gap.gt(0) if rule == "strict" else gap.ge(0)
    return _count(int((tfs_wins if method == "tfs" else gap.lt(0)).sum()), len(gap))


def _optimal_sizes(study: StudyCells, *, classifier: str, rule: TieRule) -> str:
    """How often each size is the winning one, over the datasets that TFS wins."""
    won = winners(study, classifier=classifier, rule=rule)
    sizes = [size for name, size in won.values() if name == "tfs"]
    return ", ".join(f"{size}: {sizes.count(size)}" for size in SIZES) if won else ""


def mean_score(study: StudyCells, *, classifier: str, method: str, size: int) -> str:
    """Give the mean balanced accuracy over datasets at one size, where both methods ran."""
    table = _at_size(study, classifier, size)
    return f"{table[method].mean():.3f}" if len(table) else ""


def _at_size(study: StudyCells, classifier: str, size: int) -> pd.DataFrame:
    return pd.DataFrame({m: study.table(classifier, m)[size] for m in _METHODS}).dropna()


def _increase(study: StudyCells, classifier: str, method: str) -> float | None:
    """The gain of the mean from 10 to 200 features."""
    table = study.both(classifier)[_METHODS.index(method)]
    return float(table[200].mean() - table[10].mean()) if len(table) else None


def _drawdown(study: StudyCells, classifier: str, method: str) -> float | None:
    """The mean of highest − lowest score; undivided, it reproduces the paper's figures."""
    table = study.both(classifier)[_METHODS.index(method)]
    return float((table.max(axis=1) - table.min(axis=1)).mean()) if len(table) else None


def _in_points(study: StudyCells, *, of: _Share, classifier: str, method: str) -> str:
    share = of(study, classifier, method)
    return "" if share is None else f"{100 * share:.1f} %"


def _lower_for_tfs(study: StudyCells, *, of: _Share) -> str:
    """Count the classifiers for which TFS has the lower increase, or the lower drawdown."""
    pairs = [(of(study, c, "tfs"), of(study, c, "inf_fs")) for c in CLASSIFIERS]
    known = [(tfs, inf_fs) for tfs, inf_fs in pairs if tfs is not None and inf_fs is not None]
    return _count(sum(tfs < inf_fs for tfs, inf_fs in known), len(known))


def _sizes_with_higher_mean(study: StudyCells) -> str:
    """Count the (classifier, size) averages in which TFS lies above Inf-FS."""
    tables = [_at_size(study, c, size) for c in CLASSIFIERS for size in SIZES]
    means = [table.mean() for table in tables if len(table)]
    return _count(sum(bool(mean["tfs"] > mean["inf_fs"]) for mean in means), len(means))


def _reaches(score: pd.Series, everything: pd.Series, *, ties_count: bool) -> pd.Series:
    return score.ge(everything) if ties_count else score.gt(everything)


def _gain_over_all(study: StudyCells, *, classifier: str, ties_count: bool) -> str:
    """Count the datasets on which the better method is at least (or above) all features."""
    best = study.bests(classifier).dropna()
    gains = _reaches(best[["tfs", "inf_fs"]].max(axis=1), best["all"], ties_count=ties_count)
    return _count(int(gains.sum()), len(best))


def _gains_and_wins(best: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Where selection gains, and where TFS wins; a tie counts for both."""
    gains = best[["tfs", "inf_fs"]].max(axis=1).ge(best["all"])
    return gains, best["tfs"].ge(best["inf_fs"])


def _gain_with_tfs_best(study: StudyCells, *, classifier: str) -> str:
    """Of the datasets that gain from selection, those on which TFS wins."""
    gains, tfs_wins = _gains_and_wins(study.bests(classifier).dropna())
    return _count(int((gains & tfs_wins).sum()), int(gains.sum()))


def _gain_with_inf_fs_best(study: StudyCells, *, classifier: str, tfs_gains: bool) -> str:
    """Name the datasets that gain from selection and go to Inf-FS, by whether TFS gains too."""
    best = study.bests(classifier).dropna()
    if best.empty:
        return ""
    gains, tfs_wins = _gains_and_wins(best)
    return _names(best.index[gains & ~tfs_wins & (best["tfs"].ge(best["all"]) == tfs_gains)])


def significant_wins(study: StudyCells, *, classifier: str, rule: TieRule) -> str:
    """Of the datasets that TFS wins, those with any star at the winning size."""
    marks = study.stars(classifier)
    won = winners(study, classifier=classifier, rule=rule).items()
    cells = [(name, size) for name, (method, size) in won if method == "tfs"]
    tested = [cell for cell in cells if cell in marks]
    return _count(sum(marks[cell] for cell in tested), len(tested))


def _significant_cells(study: StudyCells, *, classifier: str) -> str:
    """Count the starred cells in which TFS scores at least as high on the test, or lower."""
    marks = study.stars(classifier)
    gap = (study.table(classifier, "tfs") - study.table(classifier, "inf_fs")).round(9)
    gaps = [gap.at[cell] for cell, star in marks.items() if star and cell[0] in gap.index]
    if not marks:
        return ""
    return f"{sum(g >= 0 for g in gaps)} better, {sum(g < 0 for g in gaps)} worse"


def _significant_for_every_classifier(study: StudyCells) -> str:
    """Name the datasets that TFS wins with a star at the winning size, by every classifier."""
    names: list[set[str]] = []
    for classifier in CLASSIFIERS:
        marks = study.stars(classifier)
        won = winners(study, classifier=classifier, rule="ties to TFS")
        if not marks or not won:
            return ""
        starred = {d for d, (m, size) in won.items() if m == "tfs" and marks.get((d, size))}
        names.append(starred)
    return _names(sorted(set.intersection(*names)))


def _by_domain(study: StudyCells, domain: str) -> pd.DataFrame:
    """``tfs, inf_fs, all`` of the (dataset, classifier) pairs of one application domain."""
    datasets = published_datasets()
    members = datasets["dataset"][datasets["category"] == domain]
    pairs = pd.concat([study.bests(classifier) for classifier in CLASSIFIERS])
    return pairs[pairs.index.isin(members)]


def domain_won(study: StudyCells, *, domain: str) -> str:
    """Count the (dataset, classifier) pairs of a domain that TFS wins, ties to TFS."""
    pairs = _by_domain(study, domain)
    return _count(int(pairs["tfs"].ge(pairs["inf_fs"]).sum()), len(pairs))


def domain_against_all(study: StudyCells, *, domain: str, ties_count: bool) -> str:
    """Count the pairs of a domain in which TFS at its best is at least (or above) `all`."""
    pairs = _by_domain(study, domain).dropna()
    gains = _reaches(pairs["tfs"], pairs["all"], ties_count=ties_count)
    return _count(int(gains.sum()), len(pairs))


def compelling_domains(study: StudyCells, *, ties_count: bool) -> str:
    """Name the domains in which TFS beats `all` in more than half of the pairs.

    The paper does not say what makes a domain compelling; this is one reading of it.
    """
    domains = published_datasets()["category"].unique()
    tables = {domain: _by_domain(study, domain).dropna() for domain in domains}
    if all(table.empty for table in tables.values()):
        return ""
    gains = {d: _reaches(t["tfs"], t["all"], ties_count=ties_count) for d, t in tables.items()}
    return _names(sorted(d for d, gain in gains.items() if len(gain) and gain.mean() > 0.5))


def _mean_size(study: StudyCells, *, column: str) -> str:
    return f"{study.sizes[column].mean():.1f}" if len(study.sizes) else ""


def _extreme_size(study: StudyCells, *, column: str, largest: bool) -> str:
    """Name the dataset with the most (or fewest) features or samples, and how many."""
    if study.sizes.empty:
        return ""
    values = study.sizes.set_index("dataset")[column]
    name = values.idxmax() if largest else values.idxmin()
    return f"{name} ({int(values[name])})"


def _binary_datasets(study: StudyCells) -> str:
    return _count(int(study.sizes["n_classes"].eq(2).sum()), len(study.sizes))


def _removed_columns(study: StudyCells, *, dataset: str) -> str:
    """Give the share of a dataset's columns that are constant on its training part."""
    row = study.sizes[study.sizes["dataset"] == dataset]
    if row.empty:
        return ""
    before, after = int(row["n_features"].iloc[0]), int(row["train_features"].iloc[0])
    return f"{100 * (before - after) / before:.3f} %"


def _reduced_datasets(study: StudyCells) -> str:
    """Name the datasets that lose constant columns."""
    if study.sizes.empty:
        return ""
    return _names(
        study.sizes["dataset"][study.sizes["train_features"] < study.sizes["n_features"]]
    )


# What the paper prints, classifier by classifier; pairs are (TFS, Inf-FS).
_PRINTED: dict[str, dict[str, Any]] = {
    "LinearSVM": {
        "won": (14, 2),
        "bests": ((11, 13, 14, 11, 14), (5, 3, 2, 5, 2)),
        "optimal": (1, 2, 2, 3, 6),
        "means": (("0.52", "0.78"), ("0.49", "0.75")),
        "increase": (26, 26),
        "drawdown": (28, 31),
        "gain": (9, 7, "colon", "GLIOMA"),
        "significant": 8,
        "starred": (27, 5),
    },
    "KNN": {
        "won": (10, 6),
        "bests": ((12, 15, 13, 6, 12), (4, 1, 3, 10, 4)),
        "optimal": (1, 5, 2, 1, 1),
        "means": (("0.55", "0.71"), ("0.46", "0.69")),
        "increase": (16, 23),
        "drawdown": (21, 23),
        "gain": (9, 4, "USPS, colon, lung_small, lymphoma", "COIL20"),
        "significant": 3,
        "starred": (15, 5),
    },
    "DecisionTree": {
        "won": (13, 3),
        "bests": ((10, 11, 11, 9, 11), (6, 5, 5, 7, 5)),
        "optimal": (2, 4, 2, 1, 4),
        "means": (("0.56", "0.68"), ("0.47", "0.63")),
        "increase": (12, 16),
        "drawdown": (20, 22),
        "gain": (11, 9, "USPS, colon", "none"),
        "significant": 4,
        "starred": (18, 7),
    },
}
_N_DATASETS = 16
_LABELS = (("tfs", "TFS"), ("inf_fs", "Inf-FS"))
_TIE_RULES: tuple[tuple[TieRule, str], ...] = (
    ("ties to TFS", "ties to TFS"),
    ("smaller size first", "ties to the smaller size, then to TFS"),
)
_DOMAINS = (
    *("text", "face images", "hand written images", "biological", "digits"),
    *("spoken letters", "artificial"),
)
_EXTREMES = (
    ("fewest features", "USPS (256)", "n_features", False),
    ("most features", "GISETTE (5000)", "n_features", True),
    ("fewest samples", "GLIOMA (50)", "n_samples", False),
    ("most samples", "USPS (9298)", "n_samples", True),
)
_REMOVED = {"PCMAC": "0.07 %", "RELATHE": "0.03 %", "GLIOMA": "0.03 %", "GISETTE": "0.9 %"}


def _claims() -> Iterator[_Claim]:
    """List every claim, in the order of the report."""
    for name, said in _PRINTED.items():
        for of_classifier in (_wins, _wins_by_size, _averages, _gains, _significance):
            for words, printed, measure in of_classifier(said):
                yield f"{name}: {words}", printed, partial(measure, classifier=name)
    yield from _overall()
    yield from _domains()
    yield from _sizes()


def _wins(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for (method, label), count in zip(_LABELS, said["won"], strict=True):
        won = partial(datasets_won, method=method)
        text = f"datasets won by {label} at its best size"
        for rule, words in _TIE_RULES:
            yield f"{text} ({words})", f"{count} of {_N_DATASETS}", partial(won, rule=rule)
        yield f"{text} (strictly)", "", partial(won, rule="strict")
    printed = ", ".join(f"{s}: {c}" for s, c in zip(SIZES, said["optimal"], strict=True))
    for rule, words in _TIE_RULES:
        text = f"winning sizes on the datasets won by TFS ({words})"
        yield text, printed, partial(_optimal_sizes, rule=rule)


def _wins_by_size(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for index, size in enumerate(SIZES):
        won = partial(won_at_size, size=size)
        for (method, label), counts in zip(_LABELS, said["bests"], strict=True):
            text = f"datasets won by {label} at {size} features (ties to TFS)"
            measure = partial(won, method=method, rule="ties to TFS")
            yield text, f"{counts[index]} of {_N_DATASETS}", measure
        text = f"datasets won by TFS at {size} features (strictly)"
        yield text, "", partial(won, method="tfs", rule="strict")


def _averages(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for index, (method, label) in enumerate(_LABELS):
        for size, printed in zip((10, 200), said["means"][index], strict=True):
            text = f"mean balanced accuracy of {label} at {size} features"
            yield text, printed, partial(mean_score, method=method, size=size)
        text = f"increase of {label} from 10 to 200 features, in points"
        measure = partial(_in_points, of=_increase, method=method)
        yield text, f"{said['increase'][index]} %", measure
        text = f"mean drawdown of {label}, highest less lowest over sizes, in points"
        measure = partial(_in_points, of=_drawdown, method=method)
        yield text, f"{said['drawdown'][index]} %", measure


def _gains(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    gain, tfs_best, of_both, of_inf_fs = said["gain"]
    text = "datasets on which selection is at least as good as all features"
    yield text, f"{gain} of {_N_DATASETS}", partial(_gain_over_all, ties_count=True)
    text = "datasets on which selection is better than all features (strictly)"
    yield text, "", partial(_gain_over_all, ties_count=False)
    yield "datasets of these with TFS best", f"{tfs_best} of {gain}", _gain_with_tfs_best
    text = "datasets of these with Inf-FS best, TFS"
    measure = partial(_gain_with_inf_fs_best, tfs_gains=True)
    yield f"{text} still at least as good as all features", of_both, measure
    measure = partial(_gain_with_inf_fs_best, tfs_gains=False)
    yield f"{text} below all features", of_inf_fs, measure


def _significance(said: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    printed = f"{said['significant']} of {said['won'][0]}"
    for rule, words in _TIE_RULES:
        text = f"datasets won by TFS with any star at the winning size ({words})"
        yield text, printed, partial(significant_wins, rule=rule)
    better, worse = said["starred"]
    text = "cells with any star, by the test score of TFS (a tie counts as better)"
    yield text, f"{better} better, {worse} worse", _significant_cells


def _overall() -> Iterator[_Claim]:
    for rule, words in (*_TIE_RULES, ("strict", "strictly")):
        text = f"Overall: dataset and classifier pairs won by TFS ({words})"
        yield text, "", partial(_pairs_won, rule=rule)
    text = "Overall: averages (classifier and size) in which TFS lies above Inf-FS"
    yield text, "", _sizes_with_higher_mean
    text = "Overall: classifiers with the lower increase for TFS"
    yield text, "3 of 3", partial(_lower_for_tfs, of=_increase)
    text = "Overall: classifiers with the lower mean drawdown for TFS"
    yield text, "3 of 3", partial(_lower_for_tfs, of=_drawdown)
    text = "Overall: datasets won by TFS with a star at the winning size for every classifier"
    yield text, "GISETTE", _significant_for_every_classifier


def _domains() -> Iterator[_Claim]:
    for ties_count, words in ((False, "strictly"), (True, "ties count")):
        text = f"By domain: domains with TFS above all features in most pairs ({words})"
        measure = partial(compelling_domains, ties_count=ties_count)
        yield text, "artificial, biological", measure
    for domain in _DOMAINS:
        text = f"By domain: {domain}, dataset and classifier pairs won by TFS (ties to TFS)"
        yield text, "", partial(domain_won, domain=domain)
        for ties_count, words in ((True, "at least as good as"), (False, "strictly above")):
            text = f"By domain: {domain}, pairs with TFS {words} all features"
            yield text, "", partial(domain_against_all, domain=domain, ties_count=ties_count)


def _sizes() -> Iterator[_Claim]:
    text = "Datasets: mean number of"
    yield f"{text} features", "2248", partial(_mean_size, column="n_features")
    yield f"{text} samples", "1666", partial(_mean_size, column="n_samples")
    for words, printed, column, largest in _EXTREMES:
        measure = partial(_extreme_size, column=column, largest=largest)
        yield f"Datasets: {words}", printed, measure
    yield "Datasets: two classes", f"5 of {_N_DATASETS}", _binary_datasets
    yield "Datasets: lose constant columns", ", ".join(_REMOVED), _reduced_datasets
    for dataset, printed in _REMOVED.items():
        text = f"Datasets: constant columns of {dataset}"
        yield text, printed, partial(_removed_columns, dataset=dataset)
