"""What the pages need beyond Sphinx's own extensions.

- ``<!-- api -->`` before a table of public names: their docstrings follow the table.
- A public name in code font links to its docstring.
- Formulas become MathML, so that no page needs a script or another host.
- The gallery shows the outputs that stand in the pages, which the tests check.
- ``llms.txt`` lists the pages for language models (llmstxt.org).
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import make_outputs
from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

GALLERY = "gallery/"
ZIPPED = re.compile(r"^ *\.\. container:: .*download-zip\n\n.*\n", re.MULTILINE)
TYPE = re.compile(r"^\w[\w, ]* : .*", re.MULTILINE)
CITED = re.compile(r"\[R[0-9a-f]+-(\w+)\]")
CODE_BLOCK = re.compile(
    r"^\.\. code-block:: Python\n\n(?P<code>(?:(?:    .*)?\n)+)", re.MULTILINE
)


def expand_page(_app: Sphinx, name: str, source: list[str]) -> None:
    """Add the docstrings to the reference, and the outputs to the gallery."""
    if name.startswith(GALLERY):
        source[0] = with_outputs(source[0], f"{name.removeprefix(GALLERY)}.py")
    elif name.endswith("/report"):  # tables of scores, which match every search
        source[0] = f"---\nno-search: true\n---\n\n{source[0]}"
    else:
        source[0] = make_outputs.API.sub(with_docstrings, source[0])


def with_docstrings(found: re.Match[str]) -> str:
    """Give a table of public names, followed by a directive for each."""
    lines = ["```{eval-rst}"]
    for name in make_outputs.API_NAME.findall(found["rows"]):
        is_class = name.rpartition(".")[2][0].isupper()
        lines.append(f".. {'autoclass' if is_class else 'autofunction'}:: {name}")
        if is_class and found["brief"]:
            lines.append("   :no-members:\n   :no-inherited-members:")
        lines.append("")
    return "\n".join([found[0], *lines, "```\n"])


def clean_docstring(
    _app: Sphinx,
    _what: str,
    _name: str,
    _documented: object,
    _options: object,
    lines: list[str],
) -> None:
    """Join lines that a backslash continues, and keep `nodes_` in a type from being a link."""
    text = inspect.cleandoc("\n".join(lines).replace("\\\n", ""))
    text = TYPE.sub(lambda found: found[0].replace("_)", "\\_)"), text)
    lines[:] = [*text.split("\n"), ""]


def hide_catch_all(
    _app: Sphinx, _what: str, _name: str, _member: object, _options: object, *signature: str
) -> tuple[str, None] | None:
    """Leave out a signature that says nothing; the parameters are listed below it."""
    return ("", None) if (signature[0] or "").startswith(("(*_", "(*args")) else None


def skip_foreign(
    _app: Sphinx, _what: str, _name: str, member: object, *_options: object
) -> bool | None:
    """Leave out what a class inherits from other packages."""
    function = getattr(member, "fget", None) or member
    module = (
        getattr(inspect.unwrap(function), "__module__", None) if callable(function) else None
    )
    return True if isinstance(module, str) and not module.startswith("topofs") else None


class LinkNames(SphinxPostTransform):
    """Link a public name in code font to its docstring: `Coverage`, `topofs.tmfg`, `tmfg()`."""

    default_priority = 5

    def run(self, **_: Any) -> None:
        """Go through the code font of a page."""
        for text in list(self.document.findall(nodes.Text)):
            if CITED.fullmatch(text):  # numpydoc makes labels unique: [1], not [R08b12f-1]
                text.parent.replace(text, nodes.Text(CITED.sub(r"[\1]", text)))
        objects = self.env.domains.python_domain.objects
        for literal in list(self.document.findall(nodes.literal)):
            text = literal.astext()
            name = text.removesuffix("()")
            if name == text and not (name[:1].isupper() or name.startswith("topofs.")):
                continue
            found = full_name(name, tuple(objects))
            if found is None or isinstance(literal.parent, nodes.reference):
                continue
            entry = objects[found]
            target = (entry.docname, entry.node_id, [literal.deepcopy()])
            link = make_refnode(self.app.builder, self.env.docname, *target)
            literal.replace_self(link)


def full_name(name: str, names: tuple[str, ...]) -> str | None:
    """Find `topofs.Coverage`, `Coverage` and `Coverage.rank` among the documented names."""
    if name in names:
        return name
    first, dot, rest = name.partition(".")
    found = by_last_name(names).get(first, "") + dot + rest
    return found if found in names else None


@cache
def by_last_name(names: tuple[str, ...]) -> dict[str, str]:
    """Map `Coverage` to `topofs.Coverage`; methods and attributes are left out."""
    classes = [name for name in names if name.rpartition(".")[0] not in names]
    return {name.rpartition(".")[2]: name for name in classes}


def with_outputs(text: str, file: str) -> str:
    """Put what a section of an example prints after its code."""
    if not (make_outputs.EXAMPLES / file).exists():
        return text
    outputs = {}
    for page in make_outputs.pages():
        for shown in make_outputs.shown_outputs(page):
            if shown.file == file:
                code = make_outputs.section_of(file, shown.section)
                outputs["".join(code.split())] = shown.text

    def block(found: re.Match[str]) -> str:
        printed = outputs.get("".join(found["code"].split()))
        if printed is None:
            return found[0]
        lines = "".join(f"   {line}\n" if line else "\n" for line in printed.splitlines())
        return f"{found[0]}\n.. code-block:: text\n   :class: output\n\n{lines}\n"

    return ZIPPED.sub("", CODE_BLOCK.sub(block, text))  # their bytes change with the time


def visit_math(self: HTML5Translator, node: nodes.Node) -> None:
    """Write a formula as MathML."""
    is_block = isinstance(node, nodes.math_block)
    try:
        formula = tex2mathml(node.astext(), as_block=is_block)
    except MathError as error:
        raise ExtensionError(f"the formula {node.astext()!r}: {error}") from error
    self.body.append(f'<div class="formula">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def write_llms(app: Sphinx, failed: Exception | None) -> None:
    """List the pages with their first sentences and the addresses of their sources."""
    if failed or app.builder.name != "html":
        return
    lines = [f"# {app.config.project}", ""]
    for name in ordered_pages(app.env.toctree_includes, app.config.root_doc):
        parts = next(app.env.get_doctree(name).findall(nodes.section))
        paragraph = next((part for part in parts if isinstance(part, nodes.paragraph)), None)
        first = " ".join(paragraph.astext().split()) if paragraph else ""
        sentence = re.split(r"(?<=[.:?]) ", first)[0].rstrip(":")
        if name == app.config.root_doc:
            lines += [f"> {sentence}", "", "## Pages", ""]
            continue
        suffix = Path(app.env.doc2path(name)).suffix
        title = app.env.titles[name].astext()
        line = f"- [{title}](_sources/{name}{suffix}.txt)"
        lines.append(f"{line}: {sentence}" if sentence else line)
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def ordered_pages(includes: dict[str, list[str]], name: str) -> list[str]:
    """List the pages as the tables of contents do, from the given one down."""
    below = [
        page for child in includes.get(name, []) for page in ordered_pages(includes, child)
    ]
    return [name, *below]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the above."""
    app.connect("source-read", expand_page)
    app.connect("autodoc-process-docstring", clean_docstring, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", hide_catch_all)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("build-finished", write_llms)
    app.add_post_transform(LinkNames)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
