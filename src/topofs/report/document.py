"""One self-contained HTML file: templates, styles, scripts and data."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topofs.errors import import_extra
from topofs.io.write import replacing

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

_ENDINGS = (".html", ".htm")

# In JSON these occur only inside strings, where the escape means the same.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def render(
    template: str,
    context: Mapping[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
) -> str:
    """Fill a template that extends ``document.html.j2``.

    The page may run only the given scripts and styles, and may not contact any host. Its
    content security policy names them by their hash.
    """
    jinja2 = import_extra("jinja2", extra="report", purpose="The report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # A browser includes the newlines in the hash.
    style = "\n" + "".join(map(_text, ["document.css", *styles]))
    script = "".join(map(_text, scripts))
    if script:
        script = f'\n(() => {{\n"use strict";\n{script}}})();\n'
    page: str = environment.get_template(template).render(
        **context, policy=_policy(style, script), style=style, script=script
    )
    # Text that UTF-8 cannot hold, such as half a surrogate pair in a name, becomes "?".
    return page.encode("utf-8", "replace").decode("utf-8")


def embedded_json(value: Any) -> str:
    """Write a value as JSON that is safe inside a page."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def check_page_ending(path: str | os.PathLike[str]) -> None:
    """Refuse a file name without a web page ending; devices and pipes may have any name."""
    place = Path(path)
    is_device = place.parent == Path("/dev") or (place.exists() and not place.is_file())
    if place.suffix.lower() not in _ENDINGS and not is_device:
        raise ValueError(
            f"{path}: a report is a web page; end the name in {' or '.join(_ENDINGS)}"
        )


def write_document(path: str | os.PathLike[str], page: str) -> None:
    """Write a page completely or not at all."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(page.encode("utf-8", "replace"))


def _policy(style: str, script: str) -> str:
    """Forbid everything but this style and this script."""
    allowed = [f"style-src '{_hash(style)}'", "img-src data:", "base-uri 'none'"]
    if script:
        allowed.append(f"script-src '{_hash(script)}'")
    return "; ".join(["default-src 'none'", *allowed, "form-action 'none'"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _text(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
