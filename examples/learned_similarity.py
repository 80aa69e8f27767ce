"""
A learned similarity
====================

Learn weights of columns that bring chosen links into the TMFG. It needs torch.
"""

# %% data
# The links that are wanted, and how many of them the TMFG has.

import torch
from sklearn.datasets import load_wine

import topofs
from topofs.torch import soft_tmfg, tmfg_edges

table = load_wine(as_frame=True).data
similarity = torch.as_tensor(topofs.pearson(table, squared=True))
edge_index, weights = tmfg_edges(similarity)
links = set(map(tuple, edge_index.T.tolist()))
wanted = [(4, 8), (4, 5), (4, 6)]  # magnesium with three kinds of phenols
print("links at the start:", sum(link in links for link in wanted), "of 3")

# %% learn
# Raise the probability of these links by gradient steps.

generator = torch.Generator().manual_seed(0)
log_weights = torch.zeros(len(similarity), dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.Adam([log_weights], lr=0.05)
first, second = torch.tensor(wanted).T


def weighted():
    """Multiply each column with its weight; the diagonal stays constant."""
    factor = torch.exp(log_weights[:, None] + log_weights[None, :])
    return (similarity * factor).fill_diagonal_(1)


for _ in range(60):
    optimizer.zero_grad()
    probability = soft_tmfg(weighted(), noise=0.1, samples=60, generator=generator)
    (-probability[first, second].sum()).backward()
    optimizer.step()
links = set(map(tuple, tmfg_edges(weighted())[0].T.tolist()))
print("links at the end:", sum(link in links for link in wanted), "of 3")
print("weighed most:", table.columns[int(log_weights.argmax())])
