"""Turn the reStructuredText of the docstrings (formulas, references) into Markdown and MathML."""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import dedent
from typing import Any

import griffe
from latex2mathml.converter import convert

BLOCK = re.compile(
    r"^(?P<indent> *)\.\. math::(?P<line>.*)\n(?P<body>(?:(?P=indent) +.+\n|\n(?=(?P=indent) ))*)",
    re.MULTILINE,
)
TYPE = re.compile(
    r"^(?P<name>\w[\w, ]* : )(?P<type>.*(?:, | or |\{).*?)(?=, default=|$)", re.MULTILINE
)
INLINE = re.compile(r":math:`([^`]+)`")
ROLE = re.compile(r":(?:class|func|meth|mod|attr):`~?([^`]+)`")
CITATION = re.compile(r"\[(\d+)\]_")
REFERENCE = re.compile(r"^( *)\.\. \[(\d+)\] ", re.MULTILINE)


class RstMarkup(griffe.Extension):
    """Rewrite each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Formulas as MathML, references as a numbered list.

    >>> to_markdown("as in [1]_")
    'as in \\\\[1\\\\]'
    """
    # In a raw docstring a line can be continued by a backslash, which hides its indentation.
    text = cleandoc(text.replace("\\\n", ""))
    text = TYPE.sub(_in_words, text)
    text = text.replace("array-like", "array\u2011like").replace(", shape (", " of shape (")
    text = BLOCK.sub(_display, text + "\n")
    text = INLINE.sub(lambda found: f"<span>{_mathml(found[1])}</span>", text)
    text = ROLE.sub(r"`\1`", text)
    text = CITATION.sub(r"\\[\1\\]", text)
    return REFERENCE.sub(r"\1\2. ", text).rstrip("\n")


def _in_words(found: re.Match[str]) -> str:
    """Keep a type as it was written: what looks like Python would be parsed and printed anew.

    A space that Python does not know is enough for that.
    """
    words = re.sub(r"\{(.*)\}", r"one of \1", found["type"])
    return found["name"] + words.replace(" ", "\u00a0", 1)


def _display(found: re.Match[str]) -> str:
    formula = dedent(f"{found['line'].strip()}\n{dedent(found['body'])}").strip()
    mathml = _mathml(formula, display="block")
    return f"\n{found['indent']}<div>{mathml}</div>\n\n"


def _mathml(formula: str, display: str = "inline") -> str:
    return convert(" ".join(formula.split()), display=display).replace("_", "&#95;")
