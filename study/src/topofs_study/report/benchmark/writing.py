"""Write what a benchmark found to a folder: a report, its tables and its drawing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topofs.io.atomic_write import replacing_together
from topofs_study.benchmark.methods import DEFAULT, GREEDY
from topofs_study.report.benchmark.sections import sections
from topofs_study.report.reproduction.writing import markdown

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas as pd

    from topofs_study.benchmark.summary import BenchmarkSummary

__all__ = ["write_benchmark"]

_OUTPUTS = (
    *("report.md", "critical_difference.svg", "accuracy_and_stability.svg"),
    *("records.csv", "cells.csv", "gains.csv", "auto.csv"),
    *("against_default.csv", "against_greedy.csv", "measures.csv", "stability.csv"),
)
_TITLE = "Selecting features without labels: the comparison"
_LEAD = (
    "Balanced accuracy on unseen rows of random stratified 80/20 splits. Columns are ranked, and "
    "scaled, on the training part only; every ranking is cut at every size and given to a linear "
    "support vector machine and to the five nearest neighbours."
)


def write_benchmark(
    summary: BenchmarkSummary,
    out_dir: str | os.PathLike[str],
    *,
    records: pd.DataFrame,
    missing: Sequence[str] = (),
) -> list[Path]:
    """Write report, tables and drawing.

    Parameters
    ----------
    summary : BenchmarkSummary
        What the benchmark found.
    out_dir : path-like
        The folder to write to, made where it is missing.
    records : pandas.DataFrame
        Every score, from `topofs_study.benchmark.frame.frame_of`.
    missing : sequence of str
        What was planned and is not there; the report says so.

    Returns
    -------
    list of pathlib.Path
        ``report.md``, ``critical_difference.svg``, ``accuracy_and_stability.svg``,
        ``records.csv`` (every score), ``cells.csv`` (means over splits), ``gains.csv``,
        ``against_default.csv``, ``against_greedy.csv``, ``measures.csv``, ``stability.csv``
        and ``auto.csv``; those for which there are results. They appear together; those of an
        earlier run without results now are removed.
    """
    page = sections(summary, missing)
    tables = {"records.csv": records, "cells.csv": summary.cells}
    if summary.label_free is not None:
        tables["gains.csv"] = summary.label_free.gains
        names = {DEFAULT: "against_default.csv", GREEDY: "against_greedy.csv"}
        tables |= {names[name]: tests for name, tests in summary.label_free.against.items()}
    if summary.measures is not None and summary.others is not None:
        tables["measures.csv"] = summary.measures.rename_axis("method").reset_index()
        tables["stability.csv"] = summary.others.stability.reset_index()
    if summary.auto is not None:
        tables["auto.csv"] = summary.auto.by_dataset
    texts = {
        name: table.to_csv(index=False, lineterminator="\n", float_format="%.6g")
        for name, table in tables.items()
    }
    drawings = {f"{figure.name}.svg": figure.svg for part in page for figure in part.figures}
    report = {"report.md": markdown(page, title=_TITLE, lead=_LEAD)}
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / name: text for name, text in (texts | drawings | report).items()}
    with replacing_together(written) as unfinished:
        for path, text in zip(unfinished, written.values(), strict=True):
            path.write_text(text, encoding="utf-8", newline="\n")
    for name in _OUTPUTS:
        if folder / name not in written:
            (folder / name).unlink(missing_ok=True)
    return list(written)
