"""
A panel beside scanpy's highly variable genes
=============================================

Select genes from an AnnData object, judge a list of highly variable genes, and go on in scanpy.
"""

# %% read
import scanpy as sc

from topofs import TopologicalFeatureSelector

# The log-normalised counts of 765 genes; they ship with scanpy.
cells = sc.datasets.pbmc68k_reduced().raw.to_adata()
print(cells.n_obs, "cells,", cells.n_vars, "genes")

# %% select
selector = TopologicalFeatureSelector(30).fit(cells)
selector.annotate(cells)  # as sc.pp.highly_variable_genes: columns of .var
panel = cells[:, selector.get_support()]
print(panel.shape, list(cells.var.columns[-3:]))

# %% judge
# The share of all genes' variance that 30 genes represent, each by its nearest gene.
sc.pp.highly_variable_genes(cells, n_top_genes=30)
variable = cells.var_names[cells.var["highly_variable"]]
for name, genes in [("highly variable", variable), ("topofs", panel.var_names)]:
    rated = selector.evaluate(genes)
    print(f"{name}: {rated.coverage:.1%}; random genes: {rated.random.mean:.1%}")
