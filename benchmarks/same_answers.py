"""Whether two installed versions of topofs give the same answers on the same tables.

    python -m benchmarks.same_answers OLD_PYTHON NEW_PYTHON DATA_FOLDER

Each interpreter fits the same settings to every .mat and .npz file of the folder; ranking, support
and groups must be equal. Version 0.1 told equal gains of coverage apart by the last bit of a sum;
exact sums leave them equal, and positions decide. So a fit that selects as many columns, each
adding what the one in its place added, to 1e-10, is said to differ by ties only. What a version
answered is kept in a folder and is not computed again, so that a run may be stopped and taken up.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = ("paths", "paper", "spearman", "mixed", "precomputed")
FIELDS = ("ranking", "support", "scores", "representative", "shares")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", help="the interpreter that has the old version")
    parser.add_argument("new", help="the interpreter that has the new version")
    parser.add_argument("data", type=Path, help="a folder of .mat and .npz files")
    parser.add_argument("--answers", type=Path, help="where answers are kept")
    arguments = parser.parse_args()
    kept = arguments.answers or Path(tempfile.mkdtemp())
    for name in ("old", "new"):
        (kept / name).mkdir(parents=True, exist_ok=True)
        command = [getattr(arguments, name), __file__, "--answer", arguments.data, kept / name]
        subprocess.run([str(part) for part in command], check=True)
    differing = report(kept)
    sys.exit(1 if differing else 0)


def report(kept: Path) -> int:
    """Print a line for each table; give the number of fits that differ by more than ties."""
    found = {"same": 0, "ties": 0, "DIFFERS": 0}
    for path in sorted((kept / "old").glob("*.npz")):
        old, new = np.load(path), np.load(kept / "new" / path.name)
        differing = [key for key in old.files if not np.array_equal(old[key], new[key])]
        verdict = "same" if not differing else "ties" if ties_only(old, new) else "DIFFERS"
        found[verdict] += 1
        common = np.count_nonzero(old["support"] & new["support"])
        selected = f"{common} of {np.count_nonzero(old['support'])} selected columns"
        print(f"{path.stem:24} {verdict:8} {selected:34} {', '.join(differing)}")
    print(
        f"of {sum(found.values())} fits {found['same']} give the same {', '.join(FIELDS)}, "
        f"{found['ties']} differ by ties only, {found['DIFFERS']} by more"
    )
    return found["DIFFERS"]


def ties_only(old: Mapping[str, np.ndarray], new: Mapping[str, np.ndarray]) -> bool:
    """Whether as many columns are selected, and one after the other adds the same."""
    n_selected = np.count_nonzero(old["support"])
    if np.count_nonzero(new["support"]) != n_selected:
        return False
    gains = [fit["scores"][np.argsort(fit["ranking"])][:n_selected] for fit in (old, new)]
    return bool(np.allclose(*gains, rtol=0, atol=1e-10))


def answer(data: Path, folder: Path) -> None:
    """Fit all settings to all tables with the version that this interpreter has."""
    for path in sorted([*data.glob("*.mat"), *data.glob("*.npz")]):
        X = None
        for setting in SETTINGS:
            file = folder / f"{path.stem}-{setting}.npz"
            if file.exists():
                continue
            X = table(path) if X is None else X
            np.savez(file, **fitted(X, setting))
            print(folder.name, path.stem, setting, flush=True)


def table(path: Path) -> np.ndarray:
    from scipy.io import loadmat

    content = loadmat(path) if path.suffix == ".mat" else np.load(path)
    return np.asarray(content["X"])


def along_paths() -> dict[str, object]:
    """Coverage along paths of the TMFG with ties by position, the only default that 0.1 had."""
    try:
        from topofs import Coverage
    except ImportError:
        return {}
    return {"graph": "tmfg", "rule": Coverage(reach="paths", ties="index")}


def fitted(X: np.ndarray, setting: str) -> dict[str, np.ndarray]:
    from topofs import TopologicalFeatureSelector, pearson

    if setting == "paper":
        selector = TopologicalFeatureSelector.paper(None)
    else:
        similarity = "auto" if setting == "paths" else setting
        selector = TopologicalFeatureSelector(similarity=similarity, **along_paths())
    selector.fit(pearson(X, squared=True) if setting == "precomputed" else X)
    found = {
        "ranking": selector.ranking_,
        "support": selector.support_,
        "scores": selector.scores_,
    }
    if setting != "paper":
        found["representative"] = selector.representative_
        # The first version called it so.
        shares = "shares_" if hasattr(selector, "shares_") else "representative_weight_"
        found["shares"] = getattr(selector, shares)
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
