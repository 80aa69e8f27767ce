"""The view of a selection in a cell of a notebook: the page of the report, cut to one screen.

The page is in a frame of its own. The frame holds everything it shows, may contact no host and
cannot reach the notebook around it, so several views stand in one notebook, and they work
without a kernel, in exported notebooks too.
"""

# Not a widget: anywidget (MIT) would add one thing, the chosen size back in Python. It installs 23
# packages, 73 MiB in an empty environment, and exported notebooks fetch its scripts from another
# host. The view shows the call `selector.at(k)` instead. Not a method: reports know selectors,
# and not the reverse; an estimator itself shows scikit-learn's diagram and a plain list.

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from topofs.report.document import embedded_json, render
from topofs.report.selection import VIEW_SCRIPTS, page_context, page_data
from topofs.report.selection_summary import summarise_selection
from topofs.report.selection_words import Words

if TYPE_CHECKING:
    from topofs.selection import TopologicalFeatureSelector

__all__ = ["SelectionView", "view"]

# A frame tells its page the colours of the element that holds it. JupyterLab, VS Code, Colab
# and Sphinx mark theirs by these attributes and classes.
_COLOURS = "".join(
    f":is({', '.join(marks)}) .topofs-view{{color-scheme:{scheme}}}"
    for scheme, marks in {
        "light": (
            *('[data-jp-theme-light="true"]', ".vscode-light", ".vscode-high-contrast-light"),
            *('[theme="light"]', '[data-theme="light"]'),
        ),
        "dark": (
            *('[data-jp-theme-light="false"]', ".vscode-dark", '[theme="dark"]'),
            *(".vscode-high-contrast:not(.vscode-high-contrast-light)", '[data-theme="dark"]'),
        ),
    }.items()
)
_FRAME = (
    "display:block;width:100%;height:46rem;box-sizing:border-box;resize:vertical;"
    "border:1px solid #8796aa;border-radius:6px"
)


class SelectionView:
    """What `view` gives: HTML in a notebook, plain text elsewhere.

    Attributes
    ----------
    html : str
        The frame, and below it the selection as plain HTML for where frames are not shown.
    """

    def __init__(self, html: str, text: str) -> None:
        self.html, self._text = html, text

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self._text


def view(selector: TopologicalFeatureSelector, X: Any = None) -> SelectionView:
    """Show a selection in a cell of a notebook, with a slider over the number of columns.

    The view shows which selected column represents which others, finds columns by name, and
    says for each column why it is selected, or not. It is HTML that works without a kernel, in
    exported notebooks and in nbviewer, and contacts no host. Where scripts or frames are not
    shown, as on GitHub, a list of the groups remains. Names are escaped.

    Parameters
    ----------
    selector : TopologicalFeatureSelector
        Fitted.
    X : array-like, sparse matrix, data frame, AnnData, NamedArray or TypedTable, optional
        The table of the fit. Rules without groups, such as ``"degree"``, need it, to compare
        the columns again.

    Returns
    -------
    SelectionView
        The last line of a cell shows it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from topofs import TopologicalFeatureSelector, view
    >>> X = load_wine(as_frame=True).data
    >>> view(TopologicalFeatureSelector(2).fit(X))
    2 of 13 columns represent 42 % of the variance of all 13: flavanoids, alcohol
    """
    summary = summarise_selection(selector, X)
    words = Words(summary)
    data = page_data(summary, words) | {"copies": None}
    page = render(
        "notebook_view.html.j2",
        page_context(summary, words) | {"data": embedded_json(data)},
        styles=["selection.css", "notebook_view.css"],
        scripts=VIEW_SCRIPTS,
    )
    title = "The selected columns and what each represents"
    html = (
        f'<div><style>{_COLOURS}</style><iframe class="topofs-view" title="{title}" '
        'sandbox="allow-scripts" allow="clipboard-write" '
        f'style="{_FRAME}" srcdoc="{escape(page)}"></iframe>'
        '<details style="margin:0.5em 0"><summary style="cursor:pointer">As plain HTML</summary>'
        f"{selector._selection_html()}</details></div>"  # noqa: SLF001 - as the selector shows it
    )
    # As `render` does: a name may hold what UTF-8 cannot.
    return SelectionView(html.encode("utf-8", "replace").decode("utf-8"), words.plain)
