"""
Text, categories, yes/no
========================

Select among numbers, ordered categories, names and yes/no columns at once.
"""

import warnings

import numpy as np
import pandas as pd

from topofs import (
    IdentifierFeatureWarning,
    IsolatedFeatureWarning,
    TopologicalFeatureSelector,
    mixed,
)

# Shown, even where warnings are made errors: identifiers and the size of shoes give one each.
for kind in (IdentifierFeatureWarning, IsolatedFeatureWarning):
    warnings.simplefilter("default", kind)

# %% table
# A table of people, with six kinds of columns.

rng = np.random.default_rng(0)
n = 400
trade = rng.choice(["baker", "smith", "tailor", "clerk"], size=n)
pay = pd.Series(trade).map({"baker": 20, "smith": 25, "tailor": 22, "clerk": 40}).to_numpy()
years = rng.integers(1, 40, size=n)
table = pd.DataFrame(
    {
        "person": [f"p{i:04}" for i in range(n)],
        "trade": trade,
        "income": pay + 0.3 * years + rng.normal(size=n),
        "years": years,
        "grade": pd.Categorical(
            np.select([years < 10, years < 25], ["junior", "senior"], "master"),
            categories=["junior", "senior", "master"],
            ordered=True,
        ),
        "desk": (trade == "clerk") ^ (rng.random(n) < 0.05),
        "shoe size": rng.normal(42, 2, size=n).round(),
    }
)

# %% select
# The table goes in as it is. The identifier is left out with a warning.

selector = TopologicalFeatureSelector().fit(table)
print("similarity:", selector.similarity_)
for group in selector.groups_:
    members = ", ".join(f"{member.name} {member.share:.2f}" for member in group.members)
    print(f"{group.name} represents {members}")
print("isolated:", ", ".join(table.columns[selector.isolated_]))
print(selector.transform(table).dtypes.to_string())

# %% similarity
# The matrix of shared variance.

columns = ["trade", "income", "years", "grade", "desk"]
shared = pd.DataFrame(mixed(table[columns]), index=columns, columns=columns)
print(shared.round(2).to_string())
