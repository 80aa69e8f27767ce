"""For tests and doctests: a term that one of them registers is gone after it.

Without torch, what needs it is left out, in one line at the top.
"""

from importlib.util import find_spec

import pytest

from topofs import terms

WITHOUT_TORCH = find_spec("torch") is None
if WITHOUT_TORCH:
    collect_ignore = ["src/topofs/torch", "tests/torch"]


def pytest_report_header():
    """Say what is left out where torch is not installed."""
    skipped = "skipped without torch: tests/torch, topofs.torch, its examples (make test-torch)"
    return skipped if WITHOUT_TORCH else None


KNOWN = {kind: dict(terms.registered(kind)) for kind in terms._terms}  # noqa: SLF001


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):  # noqa: ARG001
    """Forget the terms that a file registers when it is imported to be collected."""
    report = yield
    for kind, known in terms._terms.items():  # noqa: SLF001
        known.clear()
        known.update(KNOWN[kind])
    return report


@pytest.fixture(autouse=True)
def registered_terms(monkeypatch):
    """The terms of topofs itself by kind and name; a test may register its own."""
    known = {kind: dict(named) for kind, named in KNOWN.items()}
    monkeypatch.setattr(terms, "_terms", known)
    return known
