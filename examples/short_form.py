"""
Short form of a questionnaire
=============================

Keep at least two items of each scale, those that stand for it, and say how reliable they are.
"""

import warnings

import numpy as np
import pandas as pd

from topofs import (
    AtLeast,
    AtMost,
    IsolatedFeatureWarning,
    TopologicalFeatureSelector,
    reliability,
    rest_scores,
)

warnings.simplefilter("ignore", IsolatedFeatureWarning)

# %% make
# 800 people answer 24 items of three scales from 1 to 6. Some items are reversed, and some hardly
# belong to their scale.

rng = np.random.default_rng(0)
scales = ["calm", "open", "warm"]
traits = rng.normal(size=(800, 3)) @ (0.7 * np.eye(3) + 0.3)
loadings = [1.0, 0.3, -0.9, 0.8, 0.2, -0.6, 0.9, 0.4]
answers, scale_of = {}, {}
for scale, trait in zip(scales, traits.T, strict=True):
    for item, loading in enumerate(loadings, start=1):
        answer = 3.5 + 1.4 * loading * trait + rng.normal(size=800)
        answers[f"{scale}{item}"] = np.clip(np.rint(answer), 1, 6)
        scale_of[f"{scale}{item}"] = scale
answers = pd.DataFrame(answers)

# %% whole
# The reliability of the whole questionnaire.

print(reliability(answers, of=scale_of))

# %% cover
# Two items of each scale that represent the others best.

limits = {"at_least": AtLeast(2, of=scale_of), "at_most": AtMost(2, of=scale_of)}
selector = TopologicalFeatureSelector(6, **limits).fit(answers)
print(reliability(answers, selector.get_feature_names_out(), of=scale_of))

# %% stand
# Two items of each scale that stand for it: the rest score of an item counts as its relevance.

weights = rest_scores(answers, of=scale_of)
selector = TopologicalFeatureSelector(6, relevance=weights, **limits).fit(answers)
print(reliability(answers, selector.get_feature_names_out(), of=scale_of))

# %% enough
# The fewest items a scale by which each scale reaches an alpha of 0.8.

for n in range(2, 9):
    limits = {"at_least": AtLeast(n, of=scale_of), "at_most": AtMost(n, of=scale_of)}
    selector = TopologicalFeatureSelector(3 * n, relevance=weights, **limits)
    kept = selector.fit(answers).get_feature_names_out()
    found = reliability(answers, kept, of=scale_of)
    if min(scale.alpha for scale in found) >= 0.8:
        break
print(f"{n} items a scale:")
print(found)
