"""Write ``benchmark.md`` and the tables beside it from the results of ``topofs benchmark``.

    python docs/make_benchmark.py STORE

The words of the page are in ``benchmark/page.md.in``; here are its numbers. Read the page
again after new results: a sentence may no longer be true.
"""

import string
import sys
from importlib import metadata
from pathlib import Path

import pandas as pd

from topofs_study.benchmark.completeness import completeness, missing_parts
from topofs_study.benchmark.frame import load_frame
from topofs_study.benchmark.methods import SELECTORS, METHOD_NAMES, METHODS, PUBLISHED
from topofs_study.benchmark.plan import Benchmark
from topofs_study.benchmark.summary import gains_by_size, summarise
from topofs_study.report.benchmark import write_benchmark
from topofs_study.report.benchmark.answers import answers
from topofs_study.report.reproduction.page import p_value

DOCS = Path(__file__).parent
PACKAGES = ("baycomp", "joblib", "numba", "numpy", "pandas", "scikit-learn", "scipy", "topofs")
LOSS = -0.01


def main(store: str) -> None:
    """Fill in the page."""
    frame = load_frame(store)
    plan = Benchmark(tuple(frame["dataset"].unique()))
    missing = missing_parts(frame, plan)
    summary = summarise(frame)
    out = DOCS / "benchmark"
    write_benchmark(summary, out, records=frame, missing=missing)
    (out / "records.csv").unlink()  # too large to keep; the means over splits stay
    page = string.Template((out / "page.md.in").read_text(encoding="utf-8"))
    text = page.substitute(
        **about_the_run(frame, plan, missing),
        **about_the_default(summary),
        **about_the_rivals(summary),
        **about_auto(summary, frame),
        **about_labels(summary),
    )
    (DOCS / "benchmark.md").write_text(text, encoding="utf-8", newline="\n")


def about_the_run(frame, plan, missing):
    """How much was run, with what."""
    counts = completeness(frame, plan).set_index("method")
    seeds = counts.loc["random", ["fewest_seeds", "most_seeds"]].unique()
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "n_datasets": frame["dataset"].nunique(),
        "seeds": " to ".join(map(str, sorted(seeds))),
        "missing": "Nothing is missing."
        if not missing
        else "Of what the command plans, these are missing:\n\n"
        + "\n".join(f"- {part}" for part in missing),
        "versions": table(pd.DataFrame(versions.items(), columns=["package", "version"])),
    }


def about_the_default(summary):
    """The default against random subsets, and where it loses."""
    gains = summary.label_free.gains.set_index("method")
    row = gains.loc["coverage"]
    leads = gains_by_size(summary.wide, "coverage", "random")
    cells = leads.drop(columns="mean").stack()
    losses = cells[cells < LOSS].sort_values()
    return {
        "n_splits": summary.label_free.splits,
        "gain": f"{row['gain']:.3f}",
        "ahead": int(row["ahead"]),
        "wilcoxon": equals(row["wilcoxon"]),
        "holm": equals(row["holm"]),
        "p_better": f"{row['p_better']:.3f}",
        "gain_by_size": ", ".join(
            f"{v:+.3f} at {s}" for s, v in leads.mean().drop("mean").items()
        ),
        "n_cells": len(cells),
        "n_losses": len(losses),
        "losses": ", ".join(f"{d} at {s} ({v:+.3f})" for (d, s), v in losses.items()) or "none",
        "leads": table(with_mean(leads).rename_axis("dataset").reset_index()),
        "by_size": table(named(summary.label_free.by_size)),
        "by_classifier": table(named(summary.label_free.by_classifier)),
        "gains": table(gains_shown(summary.label_free.gains)),
        "friedman": friedman(summary.label_free.comparison),
        "answers": table(
            pd.DataFrame(
                [(a.question, a.found) for a in answers(summary)],
                columns=["question", "found"],
            )
        ),
    }


def about_the_rivals(summary):
    """The published settings, Inf-FS and the other variants of the coverage."""
    gains = summary.label_free.gains.set_index("method")["gain"]
    published = gains[list(PUBLISHED)].sort_values()
    means = summary.label_free.by_size
    best_each = means.loc[list(PUBLISHED)].max()
    behind = (means.loc["coverage"] - best_each).drop("mean")
    return {
        "best_published": METHOD_NAMES[summary.best_published],
        "best_published_gain": f"{published.iloc[-1]:+.3f}",
        "worst_published_gain": f"{published.iloc[0]:+.3f}",
        "inf_fs_gain": f"{gains['inf_fs']:+.3f}",
        "variance_gain": f"{gains['variance']:+.3f}",
        "laplacian_gain": f"{gains['laplacian']:+.3f}",
        "over_published": f"{means.loc['coverage', 'mean'] - best_each['mean']:.3f}",
        "over_best_each": f"{behind.min():+.3f} to {behind.max():+.3f}",
        "similarity_lead": f"{gains['coverage_similarity'] - gains['coverage']:+.3f}",
        "edges_lead": f"{gains['coverage_edges'] - gains['coverage']:+.3f}",
        "spearman_lead": f"{gains['coverage_spearman'] - gains['coverage']:+.3f}",
        "variants": table(named(means.loc[list(COVERAGE)])),
        "over_similarity": table(
            with_mean(gains_by_size(summary.wide, "coverage", "coverage_similarity"))
            .rename_axis("dataset")
            .reset_index()
        ),
    }


def about_auto(summary, frame):
    """The automatic size, and what all columns give."""
    means = summary.auto.by_method.set_index("method").loc["coverage"]
    rows = summary.auto.by_dataset.query("method == 'coverage'").set_index("dataset")
    madelon = rows.loc["MADELON"]
    every = (
        frame[frame["method"] == "all"].groupby("dataset")["balanced_accuracy"].mean().mean()
    )
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
        "all_columns": f"{every:.3f}",
        "at_200": f"{summary.label_free.by_size.loc['coverage', '200']:.3f}",
        "auto": table(shown.reset_index()),
    }


def about_labels(summary):
    """TFS tuned with labels."""
    group = summary.with_labels
    if group is None:
        return {"labels": "It has not been run yet.", "tuned_in_short": "(not run yet)"}
    means = group.by_size
    chosen = ["random", summary.best_published, "tfs_tuned", "coverage", "coverage_similarity"]
    lead = means.loc["coverage", "mean"] - means.loc["tfs_tuned", "mean"]
    gain = group.gains.set_index("method").loc["tfs_tuned"]
    words = (
        f"It was run on {len(group.by_dataset)} datasets; splits: {group.splits}. There "
        f"tuned TFS is {gain['gain']:+.3f} against random subsets (ahead on {gain['ahead']:.0f}), "
        f"and the default without labels is {lead:+.3f} against tuned TFS.\n\n"
    )
    return {
        "labels": words + table(named(means.loc[chosen])),
        "tuned_in_short": f"{lead:+.3f} on average (splits: {group.splits})",
    }


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
    main(sys.argv[1])
