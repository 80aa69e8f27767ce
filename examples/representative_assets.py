"""
Representative assets
=====================

Choose assets that represent the others, and judge the choice by years it has not seen.
"""

# %% read
# Daily returns of 20 assets.

import pandas as pd
from skfolio.datasets import load_sp500_dataset
from sklearn.base import clone
from sklearn.model_selection import TimeSeriesSplit

from topofs import AtMost, TopologicalFeatureSelector, UntilCoverage, stability
from topofs.report.selection import write_selection_report

prices = load_sp500_dataset()  # ships with skfolio
returns = prices.pct_change().iloc[1:]
before, after = returns.loc["2005":"2014"], returns.loc["2015":]
print(f"{returns.shape[1]} assets; {len(before)} days to choose, {len(after)} to judge")

# %% select
# As many assets as represent 70 % of the variance, with at most two from a sector.

sector = pd.Series(
    {
        **dict.fromkeys(["AAPL", "AMD", "MSFT"], "technology"),
        **dict.fromkeys(["BAC", "JPM"], "banks"),
        **dict.fromkeys(["CVX", "RRC", "XOM"], "energy"),
        **dict.fromkeys(["JNJ", "LLY", "MRK", "PFE", "UNH"], "health"),
        **dict.fromkeys(["BBY", "HD", "WMT"], "shops"),
        **dict.fromkeys(["KO", "PEP", "PG"], "household"),
        "GE": "industry",
    }
)
free = TopologicalFeatureSelector(UntilCoverage(0.7), similarity="spearman").fit(before)
spread = TopologicalFeatureSelector(
    UntilCoverage(0.7), similarity="spearman", at_most=AtMost(2, of=sector)
).fit(before)
print("free:          ", ", ".join(free.get_feature_names_out()))
print("two a sector:  ", ", ".join(spread.get_feature_names_out()))

# %% groups
# Which assets does each one represent?

for group in spread.groups_[:6]:
    members = ", ".join(f"{member.name} {member.share:.2f}" for member in group.members)
    print(f"{group.name:<5}{sector[group.name]:<11} represents {members or 'itself alone'}")

# %% apart
# Eight assets of which no two are alike.

apart = TopologicalFeatureSelector(8, similarity="spearman", max_similarity=0.2).fit(before)
print("apart:", ", ".join(apart.get_feature_names_out()))
print(f"{apart.coverage_[7]:.1%} of the variance; free: {free.coverage_[7]:.1%}")

# %% judge
# What the lists represent in later years.

later = TopologicalFeatureSelector(similarity="spearman").fit(after)
for name, fitted in [("free", free), ("two a sector", spread)]:
    found = later.evaluate(fitted.get_feature_names_out())
    print(
        f"{name:<13}{found.coverage:.1%} of the later variance; random lists of "
        f"{len(found.names)}: {found.random.mean:.1%} ({found.random.low:.1%} to "
        f"{found.random.high:.1%})"
    )

# %% stability
# Would other days have given the same assets?

eleven = clone(spread).set_params(n_features_to_select=spread.n_features_)
blocks = stability(eleven, before, splits="blocks", n_resamples=20, random_state=0)
print(f"blocks of days: stability {blocks.phi:.2f} ({blocks.lower:.2f} to {blocks.upper:.2f})")
walked = stability(eleven, before, splits=TimeSeriesSplit(5))
print(f"walking forward: stability {walked.phi:.2f}")
often = sorted(zip(walked.frequency, before.columns, strict=True), reverse=True)[:8]
print(", ".join(f"{name} {share:.0%}" for share, name in often))

# %% report
# Write the report.

write_selection_report("assets.html", selector=spread, X=before, table_name="20 assets")
