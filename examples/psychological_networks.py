"""
Networks of a questionnaire
===========================

A signed network of survey answers, how far it depends on the sample, communities of items, and
items that say the same.
"""

# %% network
import numpy as np
from statsmodels.datasets import anes96

from topofs import LoGoCovariance, TopologicalFeatureSelector, network_stability

answers = anes96.load_pandas().data.drop(columns=["popul", "logpopul"])
print(answers.shape[0], "people,", answers.shape[1], "answers")
selector = TopologicalFeatureSelector(graph="tmfg", similarity="spearman")
network = selector.fit(answers).signed_graph(answers)
strongest = np.argsort(-abs(network.correlations))[:4]
for (i, j), r in zip(network.edges[strongest], network.correlations[strongest], strict=True):
    print(f"{network.labels[i]} - {network.labels[j]}: {r:+.2f}")
network.write_graphml("answers.graphml")

# %% partial
model = LoGoCovariance().fit(answers)
partial = model.partial_correlations()
strongest = np.argsort(-partial.weights)[:4]
for (i, j), r in zip(partial.edges[strongest], partial.correlations[strongest], strict=True):
    print(f"{partial.labels[i]} - {partial.labels[j]}: {r:+.2f}")

# %% stability
found = network_stability(selector, answers, n_resamples=200, random_state=0)
print(found)

# %% items
# 24 items of four scales, six items each. The first two of each scale ask nearly the same, and
# every tenth answer is missing.
rng = np.random.default_rng(1)
scales = np.repeat(rng.normal(size=(600, 4)), 6, axis=1)
twice = np.repeat(rng.normal(size=(600, 4)), 2, axis=1)
items = 0.65 * scales + 0.75 * rng.normal(size=(600, 24))
pairs = [6 * scale + item for scale in range(4) for item in (0, 1)]
items[:, pairs] = 0.65 * scales[:, pairs] + 0.55 * twice + 0.5 * rng.normal(size=(600, 8))
items[rng.random(items.shape) < 0.1] = np.nan

# %% communities
graph = TopologicalFeatureSelector(graph="tmfg").fit(items).graph_
print(graph.communities().reshape(4, 6))

# %% same
partial = LoGoCovariance().fit(items).partial_correlations()
overlap = partial.topological_overlap().toarray()
for i, j in np.argwhere(np.triu(abs(overlap) > 0.25)):
    print(f"items {i} and {j} say the same: {overlap[i, j]:.2f}")

# %% evaluate
selector = TopologicalFeatureSelector().fit(items)
judged = selector.evaluate(["x0", "x1", "x2", "x6"], same=0.25, network=partial)
print(judged.same)
