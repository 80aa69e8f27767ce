"""Importing a file registers its terms once; each test finds them registered."""

import pytest

from topofs import register


@pytest.fixture(autouse=True)
def own_terms(registered_terms):
    """Terms of tests/own_terms under their short names."""
    from tests.own_terms import graph, measure, rule

    for term in (
        measure.Grades(),
        measure.Cosine(),
        graph.Nearest(),
        rule.Stars(),
        rule.Weakest(),
    ):
        register(term)
