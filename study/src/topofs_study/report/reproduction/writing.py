"""Write the reproduction of the paper's study to a folder: tables, claims and a report."""

from __future__ import annotations

import base64
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.io.atomic_write import replacing
from topofs_study.paper.across_datasets import N_DRAWS
from topofs_study.paper.claims import claims_frame
from topofs_study.report.reproduction.comparison import (
    across_datasets_section,
    baselines_section,
    p_values_section,
)
from topofs_study.report.reproduction.findings import (
    agreement_section,
    claims_section,
    errata_section,
    overview_section,
    splits_section,
)
from topofs_study.report.reproduction.scores import (
    all_features_section,
    balanced_accuracy_section,
    other_metrics_section,
)
from topofs_study.report.reproduction.summary import summarise

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from topofs_study.paper.frames import Frames
    from topofs_study.report.reproduction.page import Figure, Section
    from topofs_study.report.reproduction.summary import Summary

__all__ = ["contents", "markdown", "sections", "write_reproduction"]

_TITLE = "The study of Topological Feature Selection, reproduced"
_LEAD = "The numbers published by Briola and Aste (2023) beside measured ones."


def write_reproduction(
    frames: Frames, out_dir: str | os.PathLike[str], *, n_draws: int = N_DRAWS
) -> list[Path]:
    """Write the tables, the claims and the report of a run.

    Parameters
    ----------
    frames : Frames
        The tidy frames of a store. Any of them may be empty, or hold some of the datasets,
        sizes, methods and protocols: what was not run stays empty.
    out_dir : path-like
        The folder to write to, made where it is missing.
    n_draws : int, default 20000
        Draws from the posterior of the Bayesian tests, a pair of methods; most of the time
        goes there.

    Returns
    -------
    list of pathlib.Path
        The files written: ``cells.csv``, ``tuned.csv``, ``p_values.csv``, ``claims.csv``, the
        drawings (``critical_difference_*.svg``), ``report.md`` and ``report.html``. Each is
        written whole or not at all; the same frames give the same files.
    """
    folder = Path(out_dir)
    # All of it is made before the first file is written.
    texts = contents(summarise(frames, n_draws=n_draws))
    folder.mkdir(parents=True, exist_ok=True)
    return [_write(folder / name, text) for name, text in texts.items()]


def contents(summary: Summary) -> dict[str, str]:
    """Give the text of every file, by its name.

    Parameters
    ----------
    summary : Summary
        As `topofs_study.report.reproduction.summary.summarise` gives.

    Returns
    -------
    dict
        In the order in which they are written.
    """
    tables = {
        "cells.csv": summary.cells,
        "tuned.csv": summary.tuned,
        "p_values.csv": summary.p_values,
        "claims.csv": claims_frame(summary.claims),
    }
    texts = {
        name: table.to_csv(index=False, lineterminator="\n") for name, table in tables.items()
    }
    page = sections(summary)
    drawings = {f"{figure.name}.svg": figure.svg for figure in _figures(page)}
    return (
        texts
        | drawings
        | {"report.md": markdown(page, title=_TITLE, lead=_LEAD), "report.html": _html(page)}
    )


def sections(summary: Summary) -> tuple[Section, ...]:
    """Lay out the report; a section without content is left out.

    Parameters
    ----------
    summary : Summary
        As `topofs_study.report.reproduction.summary.summarise` gives.

    Returns
    -------
    tuple of Section
        In the order of the page.
    """
    cells, sources = summary.cells, summary.sources
    every = (
        overview_section(summary.frames),
        agreement_section(cells, summary.tuned, summary.p_values),
        balanced_accuracy_section(cells, summary.studies, sources),
        all_features_section(cells, sources),
        errata_section(summary.errata),
        claims_section(summary.claims),
        baselines_section(cells),
        across_datasets_section(summary.comparisons),
        p_values_section(summary.p_values),
        splits_section(summary.frames.splits),
        other_metrics_section(cells, sources),
    )
    return tuple(section for section in every if section is not None)


def markdown(page: Sequence[Section], *, title: str, lead: str) -> str:
    """Set sections as Markdown.

    Parameters
    ----------
    page : sequence of Section
        The sections, with one level of parts.
    title, lead : str
        The heading of the page, and the sentence under it.

    Returns
    -------
    str
        Figures are links to ``NAME.svg`` beside the page.
    """
    environment = _environment(autoescape=True, finalize=_markdown_escaper())
    template = environment.get_template("report.md.j2")
    text: str = template.render(sections=page, title=title, lead=lead)
    return text


def _figures(page: Sequence[Section]) -> Iterator[Figure]:
    for section in page:
        yield from section.figures
        yield from _figures(section.parts)


def _write(path: Path, text: str) -> Path:
    with replacing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
    return path


def _html(page: Sequence[Section]) -> str:
    environment = _environment(autoescape=True)
    environment.filters["data_uri"] = _data_uri
    style = _template_text("style.css")
    text: str = environment.get_template("report.html.j2").render(sections=page, style=style)
    return text


def _environment(**options: Any) -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_template_text),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )


def _template_text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _data_uri(svg: str) -> str:
    encoded = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return f"data:image/svg+xml;base64,{encoded}"


_MARKDOWN_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#~!&"} | {"\n": " "})


def _markdown_escaper() -> Callable[[Any], Any]:
    """Make the function that escapes everything a Markdown template prints.

    What a macro gave back is escaped already, and marked so.
    """
    import markupsafe

    def escape(value: Any) -> Any:
        if isinstance(value, markupsafe.Markup):
            return value
        return markupsafe.Markup(str(value).translate(_MARKDOWN_SIGNS))

    return escape
