"""For tests and doctests: a term that one of them registers is gone after it."""

import pytest

from topofs import terms


@pytest.fixture(autouse=True)
def registered_terms(monkeypatch):
    """The terms of topofs itself by kind and name; a test may register its own."""
    known = {kind: dict(terms.registered(kind)) for kind in terms._terms}
    monkeypatch.setattr(terms, "_terms", known)
    return known
