"""Pages of selections, as text."""

from topofs.report.selection import selection_page, summarise_selection


def selection_report(**options):
    """The page that `write_selection_report` writes."""
    return selection_page(summarise_selection(**options))
