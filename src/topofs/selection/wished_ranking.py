"""Rank under wishes: by the rule, or by what is redundant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from topofs.rules.tied import places_by_strength
from topofs.selection.redundancy import redundancy_ranking
from topofs.selection.sizes import MinShare, UntilCoverage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from topofs.network import Needs, Network
    from topofs.rules.rule import Ranking, Rule
    from topofs.rules.wishes import Wishes
    from topofs.selection.wishes import ColumnWishes
    from topofs.similarity.measure import Measure

__all__ = ["needs_of_wishes", "rank_by_wishes"]


def needs_of_wishes(needs: Needs, wishes: ColumnWishes, measure: Measure) -> Needs:
    """What a rule needs, with the pairs that the wishes must know one by one."""
    if isinstance(wishes.size, MinShare):
        if wishes.max_similarity is not None or wishes.group is not None:
            raise ValueError(
                "MinShare keeps every column that no other explains, so it does not go together "
                "with at_most and max_similarity: leave them out"
            )
        share = float(wishes.size.share)
        return replace(needs, pairs_from=share, pairs_of_shares=True, columns=False)
    if wishes.max_similarity is None:
        return needs
    if not measure.means_alike:
        raise ValueError(
            "max_similarity needs a measure whose high values mean alike, and "
            f"{measure.name!r} is none: choose another similarity"
        )
    return replace(needs, pairs_from=float(wishes.max_similarity))


def rank_by_wishes(
    network: Network,
    rule: Rule,
    wishes: ColumnWishes,
    nodes: npt.NDArray[np.int64],
    *,
    n_wanted: int | None = None,
) -> tuple[Ranking, Wishes]:
    """Rank the nodes of a network; also give the wishes in terms of these nodes."""
    if not isinstance(wishes.size, MinShare):
        if isinstance(wishes.size, UntilCoverage) and rule.explains_together:
            n_wanted = len(nodes)  # nobody knows before
        asked = replace(wishes.for_nodes(nodes, network.pairs), n_wanted=n_wanted)
        ranking = rule.rank(network, asked)
        if isinstance(wishes.size, UntilCoverage) and ranking.exact is not None:
            reached = int((ranking.curve < wishes.size.coverage).sum()) + 1
            if reached > ranking.exact:
                ranking = rule.again(ranking, replace(asked, n_wanted=reached))
        return ranking, asked
    asked = wishes.for_nodes(nodes, None)
    place = None if network.place is None else places_by_strength(network)
    return redundancy_ranking(network.pairs, asked, place), asked
