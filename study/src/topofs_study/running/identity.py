"""What a store knows an item by: readable words, the same in every version."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Identity"]


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The words that a store keeps of an item.

    Parameters
    ----------
    kind : str
        The kind of the item; its key begins with it.
    protocol, dataset, method, classifier, part : str
        On what; empty where an item has none.
    sizes : tuple of int
        Numbers of features to keep.
    settings : tuple of dict
        The parameters of each setting, where settings are part of the identity.

    Examples
    --------
    >>> Identity(kind="split", protocol="paper", dataset="wine").key
    'split/paper/wine///test/'
    """

    kind: str
    protocol: str
    dataset: str
    method: str = ""
    classifier: str = ""
    part: str = "test"
    sizes: tuple[int, ...] = ()
    settings: tuple[dict[str, Any], ...] = ()

    @property
    def key(self) -> str:
        """The identity as readable text; equal items have equal keys."""
        words = [self.kind, self.protocol, self.dataset, self.method, self.classifier]
        words += [self.part, "+".join(map(str, self.sizes))]
        if self.settings:
            text = json.dumps(self.settings)
            words.append(hashlib.sha256(text.encode()).hexdigest()[:12])
        return "/".join(words)

    def to_json(self) -> str:
        """Give the identity as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Identity:
        """Give back the identity that `to_json` wrote.

        Parameters
        ----------
        text : str
            The line.

        Returns
        -------
        Identity

        Raises
        ------
        ValueError
            The line is no JSON, or not that of an identity.
        """
        fields: Any = json.loads(text)
        if not isinstance(fields, dict) or not {"kind", "sizes", "settings"} <= set(fields):
            raise ValueError(f"its item is {text[:60]}")
        lists = {name: tuple(fields[name]) for name in ("sizes", "settings")}
        return cls(**{**fields, **lists})
