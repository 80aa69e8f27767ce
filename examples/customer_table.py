"""
A business table
================

Clean a messy business table: leave out redundant columns, then choose within a budget.
"""

# %% make
# A table of 1,200 customers, with the usual duplicates, gaps and constants.

import numpy as np
import pandas as pd

from topofs import Budget, MinShare, TopologicalFeatureSelector
from topofs.report.selection import write_selection_report

rng = np.random.default_rng(0)
n = 1200
region = rng.choice(["north", "south", "east", "west"], n, p=[0.4, 0.3, 0.2, 0.1])
orders = rng.poisson(6, n) + 1
basket = rng.lognormal(3.5, 0.5, n)
net = orders * basket
age = rng.normal(46, 13, n).round().clip(18, 90)
visits = rng.poisson(3 * orders)
plan = np.select([net > 400, net > 150], ["gold", "silver"], "basic")
table = pd.DataFrame(
    {
        "customer": [f"C{i:05}" for i in range(n)],
        "region": region,
        "sales_office": pd.Series(region).map(
            {"north": "Oslo", "south": "Rome", "east": "Riga", "west": "Nice"}
        ),
        "orders": orders,
        "orders_last_year": orders + rng.integers(-1, 2, n),
        "net_eur": net.round(2),
        "gross_eur": (1.19 * net).round(2),
        "net_usd": (1.08 * net).round(),
        "basket_eur": basket.round(2),
        "plan": plan,
        "discount": np.where(plan == "gold", 10, np.where(plan == "silver", 5, 0)),
        "age": np.where(rng.random(n) < 0.15, np.nan, age),
        "birth_year": np.where(rng.random(n) < 0.05, np.nan, 2025 - age),
        "visits": visits,
        "page_views": (visits * rng.normal(8, 1, n)).round(),
        "newsletter": rng.random(n) < 0.4,
        "shop": "web",
        "credit_score": (520 + 0.15 * net + rng.normal(0, 45, n)).round(),
        "household_income": (1800 + 25 * basket + rng.normal(0, 400, n)).round(),
        "churned": rng.random(n) < 0.2 + 0.3 * (orders < 4),
    }
)
table.to_csv("customers.csv", index=False)
later = table.sample(300, random_state=1).drop(columns=["shop", "churned"])
later.assign(app_version="5.1").to_csv("next_month.csv", index=False)
print(f"customers.csv: {table.shape[0]} rows, {table.shape[1]} columns")

# %% redundant
# Leave out only what a selected column explains to at least 0.9.

X = pd.read_csv("customers.csv").drop(columns=["customer", "shop", "churned"])
lean = TopologicalFeatureSelector(MinShare(0.9)).fit(X)
for group in lean.groups_:
    for member in group.members:
        print(f"{member.name:<17} goes: {group.name} explains {member.share:.2f} of it")
print(f"{lean.n_features_} of {X.shape[1]} columns stay")

# %% constraints
# Say which columns must stay: they then represent their copies.

named = TopologicalFeatureSelector(MinShare(0.9), keep=["net_eur", "region", "age"]).fit(X)
print(", ".join(named.get_feature_names_out()))

# %% budget
# Some columns cost money. Choose the best set for a budget of 8.

price = dict.fromkeys(X, 1.0) | {"credit_score": 6.0, "household_income": 4.0}
paid = TopologicalFeatureSelector(Budget(8, price), keep=["region"]).fit(X)
names = paid.get_feature_names_out()
print(f"for {sum(price[name] for name in names):g} of 8: {', '.join(names)}")
found = paid.evaluate()
print(
    f"{found.coverage:.0%} of the variance; random lists of {len(names)}: {found.random.mean:.0%}"
)

# %% panel
# Judge a list of columns that somebody else chose.

print(paid.evaluate(["orders", "net_eur", "gross_eur", "plan"], n_next=3))

# %% report
# Write the report, one HTML file.

write_selection_report("customers.html", selector=paid, X=X, table_name="customers.csv")
