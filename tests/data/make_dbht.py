"""Make dbht.json: the communities that a published program of DBHT finds on small graphs.

The program is DBHT.py of Riskfolio-Lib (BSD 3-Clause), after T. Aste's program in MATLAB. It runs
here and is not copied. From the root of the repository, with the file of an installed
Riskfolio-Lib::

    python tests/data/make_dbht.py SITE_PACKAGES/riskfolio/src/DBHT.py
"""

import importlib.util
import json
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.graphs.test_communities import sets_of, similarity
from topofs import pmfg, tmfg

N_GRAPHS = 60


def program(path):
    spec = importlib.util.spec_from_file_location("dbht", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def partition(dbht, graph):
    """The communities of a graph, by the steps of the program after the filter."""
    n, weights = graph.n_nodes, graph.to_scipy().toarray()
    lengths = np.where(weights > 0, np.sqrt(2 * np.maximum(1 - weights, 0)), 0)
    paths = dbht.distance_wei(lengths)
    paths = paths[0] if isinstance(paths, tuple) else paths
    _, tree, member, triangles, _ = dbht.CliqHierarchyTree2s(weights, method1="uniqueroot")
    member = member[: len(triangles)]
    nodes = np.zeros((n, member.shape[1]))
    for bubble in range(member.shape[1]):
        nodes[triangles[member[:, bubble] != 0].astype(int).ravel(), bubble] = 1
    found = dbht.BubbleCluster8s(weights, paths, tree, member, nodes, triangles)[1]
    return np.unique(np.ravel(found), return_inverse=True)[1].tolist()


def main():
    dbht, rng = program(sys.argv[1]), np.random.default_rng(0)
    partitions = {}
    for name, build in (("tmfg", tmfg), ("pmfg", pmfg)):
        cases, agreed = [], 0
        for seed in range(N_GRAPHS):
            n, n_factors = int(rng.integers(8, 40)), int(rng.integers(2, 6))
            graph = build(similarity(n, seed, n_factors))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = partition(dbht, graph)
            cases.append([n, n_factors, seed, found])
            agreed += sets_of(graph.communities()) == sets_of(np.array(found))
        partitions[name] = cases
        print(f"{name}: the same communities on {agreed} of {N_GRAPHS} graphs")  # noqa: T201 - of a script
    made = {"made_by": "Riskfolio-Lib 7.4.0, 2026-11-20", "partitions": partitions}
    text = json.dumps(made, separators=(",", ":")).replace("],[", "],\n[")
    Path(__file__).with_name("dbht.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
