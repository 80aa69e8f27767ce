"""
A gene panel
============

Design a panel: forced markers, excluded genes, a judgement, and what replaces a gene.
"""

# %% read
# 700 blood cells and 765 genes.

import numpy as np
import scanpy as sc
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from topofs import TopologicalFeatureSelector
from topofs.report.selection import write_selection_report

cells = sc.datasets.pbmc68k_reduced()  # ships with scanpy; nothing is fetched
print(f"{cells.n_obs} cells, {cells.n_vars} genes")

# %% select
# Thirty genes. Five markers are forced, and three families of genes are excluded.

markers = ["CD3D", "CD8A", "CD79A", "NKG7", "LYZ"]  # the laboratory wants these
selector = TopologicalFeatureSelector(
    30,
    keep=markers,
    exclude=["HLA-*", "RPL*", "RPS*"],  # not on the panel, but to be represented
)
selector.fit(cells)
for group in selector.groups_[:8]:
    members = ", ".join(member.name for member in group.members[:4])
    forced = " (forced)" if group.name in markers else ""
    print(f"{group.rank:>2} {group.name}{forced}: {members or 'itself'}")

# %% given
# What the constraints cost, beside random lists of the same size.

free = TopologicalFeatureSelector(30).fit(cells)
for name, fitted in [("with constraints", selector), ("without", free)]:
    found = fitted.evaluate()
    print(
        f"{name:<16} {found.coverage:.1%} of the variance; random lists of 30: "
        f"{found.random.mean:.1%} ({found.random.low:.1%} to {found.random.high:.1%})"
    )

# %% evaluate
# Judge a list from somewhere else.

theirs = ["CD3D", "CD3E", "CD8A", "CD8B", "CD79A", "CD79B", "MS4A1", "NKG7", "GNLY", "CST3"]
judged = selector.evaluate(theirs)
print(judged)

# %% substitute
# What could replace a gene, and which ten genes would come next?

first = selector.groups_[0].name
print(selector.substitute(first, n=3))
more = selector.extend(10)
new = np.flatnonzero(more.support_ & ~selector.support_)
new = new[np.argsort(more.ranking_[new])]
print("ten more:", ", ".join(cells.var_names[new]))

# %% check
# Do the selected genes tell the cell types apart? The selection did not see the types.

types = cells.obs["bulk_labels"]  # the selection did not see them


def score(genes):
    """Tell the cell types from a panel."""
    return cross_val_score(
        KNeighborsClassifier(), cells[:, genes].X, types, scoring="balanced_accuracy"
    ).mean()


rng = np.random.default_rng(0)
draws = [score(rng.permutation(cells.var_names)[:30]) for _ in range(20)]
print(f"panel of 30     {score(selector.get_feature_names_out()):.3f}")
print(f"random 30       {np.mean(draws):.3f} ({min(draws):.3f} to {max(draws):.3f})")
print(f"all {cells.n_vars} genes   {score(cells.var_names):.3f}")

# %% labels
# Let the types count. A panel that has seen them is scored on cells that it has not seen.


def fitted(train, **settings):
    """A panel of some cells, with the same constraints."""
    panel = TopologicalFeatureSelector(
        30, keep=markers, exclude=selector.exclude, **settings
    ).fit(cells[train], "bulk_labels")
    return panel.get_feature_names_out()


def ranked_markers(train):
    """The best markers of each type by scanpy, in turn, up to 30 genes."""
    some = cells[train].copy()
    with np.errstate(invalid="ignore"):  # scanpy takes logarithms of fold changes
        sc.tl.rank_genes_groups(some, "bulk_labels", method="wilcoxon", use_raw=False)
    best = [gene for row in some.uns["rank_genes_groups"]["names"] for gene in row]
    return list(dict.fromkeys(best))[:30]


panels = {
    "without labels": fitted,
    'graph="tmfg"': lambda train: fitted(train, graph="tmfg"),
    'relevance="target"': lambda train: fitted(train, relevance="target"),
    "scanpy's markers": ranked_markers,
}
splits = [
    pair
    for seed in range(3)
    for pair in StratifiedKFold(5, shuffle=True, random_state=seed).split(cells.X, types)
]
for name, select in panels.items():
    scores = []
    for train, test in splits:
        genes = select(train)
        model = KNeighborsClassifier().fit(cells[train, genes].X, types.iloc[train])
        found = model.predict(cells[test, genes].X)
        scores.append(balanced_accuracy_score(types.iloc[test], found))
    print(f"{name:<19} {np.mean(scores):.3f}")

# %% all_cells
# The same panel, selected with the types of all cells and scored as the panels before.

print(f"{score(fitted(slice(None), relevance='target')):.3f}")

# %% write
# Write the selection into the AnnData object, and a report.

selector.annotate(cells)
panel = selector.transform(cells)  # an AnnData object of 30 genes
print(panel.shape)
print(cells.var.loc[["LYZ", "HLA-DRA"], ["selected", "rank", "representative"]])
write_selection_report(
    "panel.html", selector=selector, X=cells.to_df(), table_name="PBMC, 765 genes"
)
