"""For tests and doctests: a term that one of them registers is gone after it."""

import pytest

from topofs import terms

# Read before test files are, which may register terms when they are imported.
KNOWN = {kind: dict(terms.registered(kind)) for kind in terms._terms}  # noqa: SLF001


@pytest.fixture(autouse=True)
def registered_terms(monkeypatch):
    """The terms of topofs itself by kind and name; a test may register its own."""
    known = {kind: dict(named) for kind, named in KNOWN.items()}
    monkeypatch.setattr(terms, "_terms", known)
    return known
