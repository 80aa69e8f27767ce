"""The reduced AnnData object as a file."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from topofs.selection import TopologicalFeatureSelector
    from topofs.tables import Table

__all__ = ["write_annotated"]


def write_annotated(table: Table, selector: TopologicalFeatureSelector, path: Path) -> None:
    """Write the selected genes of an AnnData object, with all that belongs to them.

    `var` gets ``selected``, ``rank`` and, with a rule that has groups, ``representative``.
    """
    from topofs.tables.annotated_file import AnnotatedTable

    assert isinstance(table, AnnotatedTable)
    names = selector.get_feature_names_out().tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reduced = table.annotated[:, names].copy()
        reduced.var["selected"] = True
        reduced.var["rank"] = selector.ranking_[selector.support_]
        if selector.has_groups:
            reduced.var["representative"] = names
        reduced.write_h5ad(path)
