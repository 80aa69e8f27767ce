"""A comparison that was made up."""

import numpy as np

from topofs.comparison.compare import Comparison, ComparisonTest, MethodScores

MEANS = {"tfs": 0.9, "inf_fs": 0.8, "variance": 0.89, "random": 0.85}


def made_up(*, target="class", p_values=None, sizes=(2, 5, 10), metric="balanced accuracy"):
    """Five splits by two; TFS 0.9, random 0.85, p = 0.001 against all unless given."""
    rng = np.random.default_rng(0)
    p_values = p_values or {}
    scores = [
        MethodScores(method, size, tuple(mean + 0.02 * rng.normal(size=10)))
        for size in sizes
        for method, mean in MEANS.items()
    ]
    scores.append(MethodScores("all", 13, tuple(0.93 + 0.01 * rng.normal(size=10))))
    tests = [
        ComparisonTest(size, rival, MEANS["tfs"] - mean, p_values.get((rival, size), 0.001))
        for size in sizes
        for rival, mean in (MEANS | {"all": 0.93}).items()
        if rival != "tfs"
    ]
    return Comparison(
        task="classification",
        metric=metric,
        model="linear",
        target=target,
        n_samples=178,
        n_features=13,
        n_folds=5,
        n_repeats=2,
        n_random=10,
        sizes=tuple(sizes),
        scores=tuple(scores),
        tests=tuple(tests),
        settings={},
    )
