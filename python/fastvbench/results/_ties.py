"""Groups of models that are statistically tied with the best of their group."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["TIE_GROUPS_DEFINITION", "tie_groups"]

TIE_GROUPS_DEFINITION = (
    "the best model leads the first group, which every model joins that is statistically tied with "
    "it; the best of the rest leads the next, and so on"
)


def tie_groups(ranked: Sequence[str], tied: Callable[[str, str], bool]) -> list[list[str]]:
    """Cut a ranking into groups, each of a leader and those that are tied with it.

    Being tied is no equivalence (a and b may be tied, b and c too, and a ahead of c), so groups
    are made around leaders: a model two groups below a leader is told apart from it.

    Args:
        ranked: names, the best first.
        tied: whether a leader and a lower model are statistically tied.
    """
    groups: list[list[str]] = []
    left = list(ranked)
    while left:
        leader, rest = left[0], left[1:]
        group = [leader, *(name for name in rest if tied(leader, name))]
        groups.append(group)
        left = [name for name in rest if name not in group]
    return groups
