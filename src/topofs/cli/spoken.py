"""What the library refuses, in the words of the command line: the one place that translates."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["in_options", "spoken"]

_SIZE = "n_features_to_select"
_TERMS = "similarity|graph|rule"
_SENTENCES = (
    # How many columns.
    (rf"^{_SIZE} is 'auto', which needs", "{size} auto needs"),
    (
        rf"^{_SIZE} is (\S+), but X has (\d+) features: give .*",
        r"{size} \1: there are \2 columns to select from; give at most \2",
    ),
    (rf"^{_SIZE} is UntilCoverage\(.*?\), which", "--coverage"),
    (rf"^{_SIZE} is MinShare\(.*?\), which", "--min-share"),
    (rf"^{_SIZE} is Budget\(.*\), which", "--budget"),
    (r"^MinShare (keeps|ranks)", r"--min-share \1"),
    (r"leave graph out", "leave --graph out"),
    (r"^the total of a budget is (.*); got (\S+)$", r"--budget \2: give \1"),
    (r"^a coverage of (\S+) cannot", r"--coverage \1 cannot"),
    (r"the budget of (\S+?)(:?) ", r"--budget \1\2 "),
    (r"raise the budget", "raise --budget"),
    (r"^cost( has|:)", r"--cost\1"),
    (r"^(the column .* (?:has no cost|costs \S+); )", r"--cost: \1"),
    # Wishes.
    (r"^AtMost takes (.*); got (\S+)$", r"--at-most \2: give \1"),
    (r"^at_most( has|:)", r"--groups\1"),
    (r"\b(at_most|max_similarity)\b(?! is )", lambda m: f"--{m[0].replace('_', '-')}"),
    (r"^(keep|exclude) names", r"--\1 names"),
    (r"(give a count, a fraction), or None for half$", r"\1, or nothing for half"),
    (r"min_carriers=(\d+)", r"--min-carriers \1"),
    (r"^min_carriers is '?([^';,]*)'?([;,]) ", r"--min-carriers \1\2 "),
    (_SIZE, "{size}"),
    # Terms and their parameters.
    (r"similarity__rows='ordered' allows", "--time COLUMN or --rows ordered allows"),
    (rf"\b({_TERMS}|threshold|device)='(\w+)'", r"--\1 \2"),
    (r"^device is '([^']*)'(,|;)", r"--device \1\2"),
    (rf"\b({_TERMS}) '(\w+)'", r"--\1 \2"),
    (r"allow more memory", "allow more --memory"),
    (r"^(\w+) is '?([^';]*)'?; ", r"--\1 \2: "),
)
"""Patterns of the library's sentences, each with what the command line says instead."""


def spoken(sentence: str, *, size: str = "-k") -> str:
    """Translate a sentence of the library, in which a size is called by its option."""
    for pattern, said in _SENTENCES:
        words = said.replace("{size}", size) if isinstance(said, str) else said
        sentence = re.sub(pattern, words, sentence)
    return re.sub(r"^--\w+", lambda option: option[0].replace("_", "-"), sentence)


@contextmanager
def in_options(*, size: str = "-k") -> Iterator[None]:
    """Translate what is refused while the block runs."""
    try:
        yield
    except ValueError as error:
        # What is wrong with a table is said about the table.
        if type(error) is not ValueError:
            raise
        raise ValueError(spoken(str(error), size=size)) from error
