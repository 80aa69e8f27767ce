"""What a page is made of: sections of paragraphs, grids and figures, every text ready to print.

A template only walks through these values and sets them as Markdown or HTML. Nothing is computed
there. Drawings are SVG, the same for the same numbers.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from topofs_study.paper.statistics import RankComparison

MISSING = "·"

LABELS = {
    "tfs": "TFS",
    "inf_fs": "Inf-FS",
    "random": "Random",
    "variance": "Variance",
    "all": "All features",
    "DecisionTree": "Decision Tree",
    "balanced_accuracy": "Balanced accuracy",
    "f1": "F1",
    "mcc": "MCC",
    "nadeau_bengio": "Nadeau–Bengio",
    "text": "text (too liberal)",
}


@dataclass(frozen=True)
class Line:
    """One line of a cell."""

    text: str
    source: str = ""
    mark: str = ""
    strong: bool = False


@dataclass(frozen=True)
class Cell:
    """One cell of a grid: a few lines, the first on top."""

    lines: tuple[Line, ...]

    @classmethod
    def of(cls, text: str, *, mark: str = "") -> Cell:
        """Make a cell of a single line."""
        return cls((Line(text, mark=mark),))


def text_cells(*texts: str) -> tuple[Cell, ...]:
    """Make cells of a single line each."""
    return tuple(Cell.of(text) for text in texts)


@dataclass(frozen=True)
class Grid:
    """A table."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[tuple[str, int], ...] = ()
    words: bool = False

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads with those above them, for a table that has one row of heads."""
        above = [label for label, span in self.groups for _ in range(span)]
        above = above or [""] * len(self.columns)
        return tuple(f"{a} {b}".strip() for a, b in zip(above, self.columns, strict=True))


@dataclass(frozen=True)
class Figure:
    """A drawing."""

    name: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Section:
    """A part of the report; an empty one is left out."""

    anchor: str
    title: str
    paragraphs: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    figures: tuple[Figure, ...] = ()
    parts: tuple[Section, ...] = field(default=())


def number(value: Any, decimals: int = 2) -> str:
    """Print a number, or `MISSING` where there is none.

    Examples
    --------
    >>> number(0.705), number(-0.001), number(float("nan")), number(3)
    ('0.70', '0.00', '·', '3')
    """
    if value is None or pd.isna(value):
        return MISSING
    if float(value).is_integer() and not isinstance(value, float):
        return str(int(value))
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def p_value(value: Any) -> str:
    """Print a p-value: two decimals, and no zero for one that is not.

    Examples
    --------
    >>> p_value(0.4996), p_value(0.0213), p_value(1e-9)
    ('0.50', '0.021', '<0.001')
    """
    if value is None or pd.isna(value):
        return MISSING
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def p_value_phrase(value: Any) -> str:
    """Print a p-value as it follows a p in a sentence: ``= 0.50`` or ``< 0.001``."""
    text = p_value(value)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def grid_of_frame(
    frame: pd.DataFrame,
    caption: str,
    *,
    heads: Mapping[str, str] | None = None,
    decimals: int = 2,
    p_values: Sequence[str] = (),
    words: bool = False,
) -> Grid:
    """Lay a frame out as a grid, a column a head."""
    names = heads or {}
    rows = tuple(
        tuple(
            Cell.of(p_value(value) if name in p_values else _printed(value, decimals))
            for name, value in zip(frame.columns, row, strict=True)
        )
        for row in frame.itertuples(index=False, name=None)
    )
    columns = tuple(names.get(name, LABELS.get(name, name.replace("_", " "))) for name in frame)
    return Grid(caption=caption, columns=columns, rows=rows, words=words)


def _printed(value: Any, decimals: int) -> str:
    if isinstance(value, str):
        return LABELS.get(value, value)
    return number(value, decimals)


STYLE: dict[Any, Any] = {"svg.hashsalt": "topofs", "svg.fonttype": "path", "font.size": 11}
"""Settings of matplotlib that make a drawing the same everywhere."""


def critical_difference_svg(comparison: RankComparison, *, width: float = 6.4) -> str:
    """Draw the average ranks; a bar joins methods that Nemenyi's test does not tell apart."""
    import matplotlib as mpl
    import scikit_posthocs
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        n_methods = len(comparison.average_ranks)
        figure = Figure(figsize=(width, 1.1 + 0.28 * n_methods), layout="constrained")
        axes = figure.subplots()
        drawn = scikit_posthocs.critical_difference_diagram(
            comparison.average_ranks.rename(index=LABELS),
            comparison.nemenyi.rename(index=LABELS, columns=LABELS),
            alpha=comparison.alpha,
            ax=axes,
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
        )
        for bar in (line for lines in drawn["crossbars"] for line in lines):
            # Its points come in the order of a set of names, which follows the hash seed.
            bar.set_xdata(sorted(bar.get_xdata()))
        return svg(figure)


def svg(figure: Any) -> str:
    """Give a drawing as SVG that is the same for the same numbers."""
    stream = StringIO()
    figure.savefig(stream, format="svg", facecolor="white", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def markdown(page: Sequence[Section], *, title: str, lead: str) -> str:
    """Set sections as Markdown; figures are links to ``NAME.svg`` beside the page."""
    import markupsafe

    def escape(value: Any) -> Any:
        # What a macro gave back is escaped already, and marked so.
        if isinstance(value, markupsafe.Markup):
            return value
        return markupsafe.Markup(str(value).translate(_MARKDOWN_SIGNS))

    template = _environment(finalize=escape).get_template("report.md.j2")
    text: str = template.render(sections=page, title=title, lead=lead)
    return text


_MARKDOWN_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]<>|#~!&"} | {"\n": " "})


def html(page: Sequence[Section]) -> str:
    """Set sections as a page of HTML that stands alone."""
    environment = _environment()
    environment.filters["data_uri"] = lambda drawing: (
        f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode('ascii')}"
    )
    style = _template_text("style.css")
    text: str = environment.get_template("report.html.j2").render(sections=page, style=style)
    return text


def _environment(**options: Any) -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_template_text),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )


def _template_text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
