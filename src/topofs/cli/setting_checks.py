"""Settings that do not go together, refused in the words of the command line."""

from __future__ import annotations

__all__ = ["check_settings", "published"]

_PUBLISHED_SIMILARITIES = ("pearson", "spearman", "energy")
_FIXED_BY_PAPER = ("rule", "reach", "isolated", "graph", "centrality", "ties")


def published(given: dict[str, str]) -> dict[str, str]:
    """Fill in the settings of the published method: TMFG, degree, ties by position.

    Similarities below their mean count as 0, as everywhere with degree.

    Parameters
    ----------
    given : dict
        The options beside ``--paper``, without the dashes; only a similarity may be there.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        Another option is there.

    Examples
    --------
    >>> published({"similarity": "energy"})
    {'similarity': 'energy', 'rule': 'degree', 'ties': 'index'}
    """
    for option in _FIXED_BY_PAPER:
        if option in given:
            raise ValueError(
                f"--paper settles --{option}; leave one of them out (--rule degree is the "
                "published rule with settings of your own)"
            )
    similarity = given.get("similarity", "auto")
    if similarity == "auto":
        similarity = "pearson"
    if similarity not in _PUBLISHED_SIMILARITIES:
        raise ValueError(
            f"--paper knows no --similarity {similarity}; choose pearson, spearman or energy"
        )
    return {"similarity": similarity, "rule": "degree", "ties": "index"}


def check_settings(given: dict[str, str]) -> None:
    """Refuse options that have no meaning beside each other.

    Parameters
    ----------
    given : dict
        The options that were given, without the dashes.

    Raises
    ------
    ValueError
        Two of them contradict each other; the message names both.

    Examples
    --------
    >>> check_settings({"centrality": "pagerank"})
    Traceback (most recent call last):
    ValueError: --centrality pagerank is for --rule degree; add that, or leave it out
    """
    rule = given.get("rule", "coverage")
    if rule == "coverage":
        if "centrality" in given:
            raise ValueError(
                f"--centrality {given['centrality']} is for --rule degree; add that, or leave "
                "it out"
            )
        if given.get("similarity") == "energy":
            raise ValueError(
                "--similarity energy grows with what columns do not share, so by it none "
                "stands for another; add --rule degree, or choose another similarity"
            )
        return
    for option in ("reach", "isolated"):
        if option in given:
            raise ValueError(
                f"--{option} {given[option]} is for --rule coverage; leave one of them out"
            )
