"""Write golden.npz: what the authors' program gives for three tables that anybody can make.

From the root of the repository, with a checkout of the program (see README.md):
``python -m tests.data.make_golden CHECKOUT``.
"""

import importlib
import sys
import warnings
from pathlib import Path

import networkx as nx
import numpy as np

from tests.shared_files import GOLDEN_FILE, GOLDEN_TABLES, golden_table

CONFIGURATIONS = [
    *(
        (metric, form, "")
        for metric in ("pearson", "spearman")
        for form in ("normal", "square")
    ),
    *(("energy", "normal", f"{tenths / 10}") for tenths in range(1, 10)),
]


def main() -> None:
    """Run the program on each table in each configuration."""
    sys.path.insert(0, sys.argv[1])
    # The program's function gives a graph only; its own is asked for the cliques.
    nx.from_numpy_matrix = nx.from_numpy_array
    topcorr = importlib.import_module("topcorr")
    made = []
    grow = topcorr.TMFG.compute_TMFG
    topcorr.TMFG.compute_TMFG = lambda self: (made.append(self), grow(self))[1]
    # What warns is written for an older pandas.
    warnings.simplefilter("ignore")
    golden = {}
    for name in GOLDEN_TABLES:
        table = golden_table(name)
        for metric, form, alpha in CONFIGURATIONS:
            graph = topcorr.tmfg(table, metric, name, form, float(alpha or 0.5), "cv")
            degree = np.array([graph.degree(node) for node in range(table.shape[1])])
            key = f"{name}/{metric}_{form}_{alpha}"
            golden[f"{key}_cliques"] = np.array(made[-1].cliques, dtype=np.int16)
            golden[f"{key}_degree"] = degree.astype(np.int16)
            # The program's own line sorts by degree, the first of equal ones first.
            golden[f"{key}_rank"] = np.argsort(-degree, kind="stable")[:300].astype(np.int16)
    np.savez_compressed(Path(GOLDEN_FILE), **golden)


if __name__ == "__main__":
    main()
