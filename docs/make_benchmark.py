"""Write ``benchmark.md`` and the tables beside it from the results of ``topofs benchmark``.

    python docs/make_benchmark.py STORE [SPLITS]

The words of the page are in ``benchmark/page.md.in``; here are its numbers. Read the page
again after new results: a sentence may no longer be true.
"""

import platform
import string
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import pandas as pd

from topofs_study.benchmark.frames import (
    completeness,
    load_frame,
    load_measurements,
    missing_parts,
    within_plan,
)
from topofs_study.benchmark.fseval import (
    FSEVAL_METHODS,
    FsevalBenchmark,
    load_fseval,
    published_shares,
    summarise_fseval,
)
from topofs_study.benchmark.methods import (
    DEFAULT,
    GREEDY,
    METHOD_NAMES,
    METHODS,
    NEEDS_MATRIX,
)
from topofs_study.benchmark.plan import Benchmark
from topofs_study.benchmark.summary import REFERENCE, choose_default, gains_by_size, summarise
from topofs_study.report.benchmark import write_benchmark
from topofs_study.report.page import p_value

DOCS = Path(__file__).parent
PACKAGES = ("baycomp", "joblib", "numba", "numpy", "pandas", "scikit-learn", "scipy", "topofs")
NOT_RUN = {"tfs_tuned", "coverage_spearman"} | {
    name for name in METHODS if name.startswith("tfs_") and name != "tfs_pearson"
}
SEEDS = 5
FORMER = "coverage_paths"
LOSS = -0.01
CLOSE = 0.003


def main(store: str, n_splits: int = 10) -> None:
    """Fill in the page."""
    methods = tuple(name for name in METHODS if name not in NOT_RUN)
    everything = load_frame(store)
    plan = Benchmark(
        tuple(everything["dataset"].unique()), methods, n_splits=n_splits, n_seeds=SEEDS
    )
    frame = within_plan(everything, plan)
    missing = missing_parts(frame, plan)
    summary = summarise(frame, load_measurements(store).within_plan(plan))
    out = DOCS / "benchmark"
    write_benchmark(summary, out, records=frame, missing=missing)
    (out / "records.csv").unlink()  # too large to keep; the means over splits stay
    page = string.Template((out / "page.md.in").read_text(encoding="utf-8"))
    text = page.substitute(
        **about_the_run(frame, plan, missing),
        **about_the_default(summary),
        **about_the_rivals(summary),
        **about_the_rule(summary),
        **about_auto(summary),
        **about_fseval(store),
    )
    (DOCS / "benchmark.md").write_text(text, encoding="utf-8", newline="\n")


def about_the_run(frame, plan, missing):
    """How much was run, with what."""
    counts = completeness(frame, plan).set_index("method")
    seeds = counts.loc["random", ["fewest_seeds", "most_seeds"]].unique()
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "date": f"{datetime.now(tz=UTC):%Y-%m-%d}",
        "python": platform.python_version(),
        "n_datasets": frame["dataset"].nunique(),
        "command_methods": ",".join(plan.methods),
        "seeds": " to ".join(map(str, sorted(seeds))),
        "missing": "Nothing is missing."
        if not missing
        else "Of what the command plans, these are missing:\n\n"
        + "\n".join(f"- {part}" for part in missing),
        "versions": table(pd.DataFrame(versions.items(), columns=["package", "version"])),
    }


def about_the_default(summary):
    """The default against random subsets, and where it loses."""
    group = summary.label_free
    row = group.gains.set_index("method").loc[DEFAULT]
    leads = gains_by_size(summary.wide, DEFAULT, REFERENCE)
    cells = leads.drop(columns="mean").stack()
    losses = cells[cells < LOSS].sort_values()
    return {
        "n_splits": group.splits,
        "n_methods": len(group.by_size),
        "gain": f"{row['gain']:+.3f}",
        "ahead": int(row["ahead"]),
        "wilcoxon": equals(row["wilcoxon"]),
        "holm": equals(row["holm"]),
        "gain_by_size": ", ".join(
            f"{v:+.3f} at {s}" for s, v in leads.mean().drop("mean").items()
        ),
        "n_cells": len(cells),
        "n_losses": len(losses),
        "losses": ", ".join(f"{d} at {s} ({v:+.3f})" for (d, s), v in losses.items()) or "none",
        "leads": table(with_mean(leads).rename_axis("dataset").reset_index()),
        "by_size": table(named(group.by_size)),
        "by_classifier": table(named(group.by_classifier)),
        "gains": table(gains_shown(group.gains)),
        "friedman": friedman(group.comparison),
    }


def about_the_rivals(summary):
    """The strongest rivals, all measures, and the tests against two of them."""
    group, measures = summary.label_free, summary.measures
    gains = group.gains.set_index("method")["gain"]
    best = measures["accuracy"].idxmax()
    lead = measures.loc[DEFAULT] - measures.loc[best]
    over_greedy = measures.loc[DEFAULT] - measures.loc[GREEDY]
    greedy = group.against[DEFAULT].set_index("method").loc[GREEDY]
    matrix = ["n × n" if name in NEEDS_MATRIX else "" for name in measures.index]
    return {
        "best": METHOD_NAMES[best],
        "best_lead": f"{lead['accuracy']:+.3f}",
        "best_stability": f"{lead['stability']:+.3f}",
        "best_words": words_on_the_best(lead),
        "greedy_lead": f"{over_greedy['accuracy']:+.3f}",
        "greedy_stability": f"{over_greedy['stability']:+.3f}",
        "greedy_p": equals(greedy["wilcoxon"]),
        "greedy_holm": equals(greedy["holm"]),
        "tfs_gain": f"{gains['tfs_pearson']:+.3f}",
        "inf_fs_gain": f"{gains['inf_fs']:+.3f}",
        "variance_gain": f"{gains['variance']:+.3f}",
        "laplacian_gain": f"{gains['laplacian']:+.3f}",
        "measures": table(named(measures.assign(memory=matrix))),
        "stability": table(
            with_mean(summary.others.stability[measures.index])
            .rename(columns=METHOD_NAMES)
            .T.rename_axis("method")
            .reset_index()
        ),
        "against_default": table(gains_shown(group.against[DEFAULT])),
        "against_greedy": table(gains_shown(group.against[GREEDY])),
        "over_greedy": table(
            with_mean(gains_by_size(summary.wide, DEFAULT, GREEDY))
            .rename_axis("dataset")
            .reset_index()
        ),
    }


def words_on_the_best(lead):
    """Whether the default is close enough to the most accurate method, plainly."""
    behind = -lead["accuracy"]
    if behind <= CLOSE:
        return f"That is within {CLOSE} of the best."
    return f"The aim was to be within {CLOSE}; it misses by {behind - CLOSE:.3f}."


def about_the_rule(summary):
    """What the rule for the default says."""
    choice = choose_default(summary.measures, FORMER)
    winner, shown = choice.winner, choice.candidates.copy()
    for name in ("stable_enough", "tied"):
        shown[name] = shown[name].map({True: "yes", False: "no"})
    shown.columns = [name.replace("_", " ") for name in shown]
    assert winner == DEFAULT, f"by the rule {winner} would be the default"
    lead = summary.measures.loc[winner] - summary.measures.loc[FORMER]
    words = (
        f"the strongest links win: {lead['accuracy']:+.4f} accuracy and {lead['stability']:+.3f} "
        "stability against the paths, the default of 0.1. They are the default of 0.2."
    )
    listed = shown.rename(index=METHOD_NAMES).rename_axis("setting").reset_index()
    return {"rule_words": words, "candidates": table(listed)}


def about_auto(summary):
    """The automatic size, and what all columns give."""
    means = summary.auto.by_method.set_index("method").loc[DEFAULT]
    rows = summary.auto.by_dataset.query("method == @DEFAULT").set_index("dataset")
    madelon = rows.loc["MADELON"]
    shown = rows.drop(columns=["method", "n_splits"]).rename(
        columns={"n_varying": "columns", "n_auto": "selected"}
    )
    shown["selected"] = shown["selected"].map("{:.1f}".format)
    shown["columns"] = shown["columns"].map("{:.0f}".format)
    shown.columns = [column.replace("_", " ") for column in shown]
    return {
        "auto_lead": f"{means['lead']:+.3f}",
        "auto_svm": f"{means['LinearSVM']:+.3f}",
        "auto_knn": f"{means['KNN']:+.3f}",
        "auto_share": f"{means['share']:.1%}".replace("%", " %"),
        "madelon_kept": f"{madelon['n_auto']:.1f}",
        "madelon_knn": f"{madelon['auto_KNN']:.3f}",
        "madelon_all": f"{madelon['all_KNN']:.3f}",
        "auto": table(shown.reset_index()),
    }


def about_fseval(store):
    """Our rows beside the published ones."""
    there = tuple(published_shares()["dataset"].unique())
    found = {s.metric: s for s in summarise_fseval(load_fseval(store, FsevalBenchmark(there)))}
    titles = {"rf_accuracy": "Random forest", "kmeans_accuracy": "k-means"}
    spoken = {"rf_accuracy": "random forest", "kmeans_accuracy": "k-means"}
    bars = {"rf_accuracy": 0.055, "kmeans_accuracy": 0.025}
    parts, short = [], []
    for metric, summary in found.items():
        seeds = f", seeds of folds: {span(summary.n_seeds, summary.most_seeds)}"
        leads = summary.table.set_index(["source", "method"])["over_random"]
        own, best = leads["topofs", DEFAULT], leads["published"].drop("Random").idxmax()
        met = "met" if own >= bars[metric] else f"missed by {bars[metric] - own:.3f}"
        parts.append(
            f"{titles[metric]}; datasets: {len(summary.by_dataset)}"
            f"{seeds if metric == 'rf_accuracy' else ''}. The bar for the default was "
            f"+{bars[metric]} over their Random: {met}.\n\n{table(fseval_rows(summary.table))}"
        )
        short.append(
            f"the default is {own:+.3f} over their random rankings by {spoken[metric]} "
            f"(their best, {best}: {leads['published', best]:+.3f})"
        )
    absent = [METHOD_NAMES[n] for n in FSEVAL_METHODS if not has_rows(found, n)]
    if absent:
        parts.append(f"Not run: {', '.join(absent)}.")
    return {"fseval": "\n\n".join(parts), "fseval_in_short": "; ".join(short) + "."}


def fseval_rows(rows):
    """The rows of both sides, with their names."""
    ours = rows["source"] == "topofs"
    shown = rows.assign(
        method=rows["method"].where(~ours, rows["method"].map(METHOD_NAMES)),
        over_random=rows["over_random"].map("{:+.3f}".format),
    )
    return shown.rename(columns={"over_random": "over Random", "source": "row of"})


def has_rows(found, method):
    """Whether a method is in a table of ours."""
    return any(
        ((s.table["source"] == "topofs") & (s.table["method"] == method)).any()
        for s in found.values()
    )


def span(fewest, most):
    """Two numbers in words."""
    return str(fewest) if fewest == most else f"{fewest} to {most}"


def friedman(comparison):
    """One sentence on the ranks."""
    return (
        f"Friedman's test over {comparison.n_datasets} datasets: χ² = "
        f"{comparison.friedman_statistic:.1f}, p {equals(comparison.friedman_p_value)}; average "
        f"ranks further apart than {comparison.critical_difference:.2f} differ."
    )


def gains_shown(gains):
    """The tests against random subsets, ready to print."""
    shown = gains.assign(method=gains["method"].map(METHOD_NAMES)).drop(columns="n_datasets")
    shown["gain"] = shown["gain"].map("{:+.3f}".format)
    for name in ("wilcoxon", "holm"):
        shown[name] = shown[name].map(p_value)
    return shown.rename(
        columns={
            "ahead": "datasets ahead",
            "wilcoxon": "Wilcoxon p",
            "holm": "Holm p",
            "p_better": "P(better)",
            "p_equivalent": "P(within ±0.01)",
            "p_worse": "P(worse)",
        }
    )


def named(means):
    """Methods with their names, in the order of the benchmark."""
    ordered = means.loc[[name for name in METHODS if name in means.index]]
    return ordered.rename(index=METHOD_NAMES).rename_axis("method").reset_index()


def with_mean(leads):
    """A last row with the means over datasets."""
    return pd.concat([leads, leads.mean().to_frame("mean").T])


def equals(value):
    """A p-value after a letter p."""
    text = p_value(value)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def table(frame):
    """A Markdown table; numbers to the right, with three decimals."""
    is_number = [frame[name].astype(str).str.fullmatch(r"[+<-]?[\d.]+").all() for name in frame]
    lines = [
        "| " + " | ".join(map(str, frame.columns)) + " |",
        "| " + " | ".join("---:" if right else "---" for right in is_number) + " |",
    ]
    for row in frame.itertuples(index=False):
        cells = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in row]
        lines.append("| " + " | ".join(cells).replace("-0.000", "0.000") + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
