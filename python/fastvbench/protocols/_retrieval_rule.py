"""What a retrieval benchmark declares: directions, sizes, and rule sets that read ranks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from fastvbench.core._errors import InputError
from fastvbench.protocols._protocol import Protocol
from fastvbench.protocols._rule import AnyRule
from fastvbench.results._metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastvbench.retrieval._tie_groups import Ties

__all__ = ["Direction", "RetrievalProtocol", "RetrievalRule", "checked_cuts", "rank_metrics"]

DEFAULT_CUTS = (1, 5, 10)
LARGEST_CUT = 2**31 - 1  # so that places behind it still are int64


def rank_metrics(cuts: Sequence[int], *, only_recall: bool = False) -> tuple[Metric, ...]:
    """Metrics of a ranking at the numbers of places in `cuts`."""
    recalls = tuple(Metric(f"recall@{k}", f"R@{k} %") for k in cuts)
    if only_recall:
        return recalls
    return (
        *recalls,
        *(Metric(f"hit_rate@{k}", f"hit@{k} %") for k in cuts),
        Metric("median_rank", "MedR", unit="rank", scale=1.0, decimals=1, statistic="median"),
        Metric("mean_reciprocal_rank", "MRR", scale=1.0, decimals=4),
    )


def checked_cuts(cuts: Sequence[int]) -> tuple[int, ...]:
    """The numbers of places in rising order, each once.

    Raises:
        InputError: none, or one that is no whole number from 1 to 2^31 - 1.
    """
    for k in cuts:
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= LARGEST_CUT:
            raise InputError(
                "not a number of places",
                field="k",
                value=k,
                expected=f"whole numbers from 1 to {LARGEST_CUT:,}",
            )
    if not cuts:
        raise InputError("names no number of places", field="k", expected="such as 1,5,10")
    return tuple(sorted(set(cuts)))


@dataclass(frozen=True, slots=True)
class Direction:
    """One way to search.

    Attributes:
        name: ``text_to_clip`` and so on.
        from_text: captions are the queries; else they are what is searched.
        items: what the captions describe, in the plural.
        published_items: how many of them the benchmark has.
    """

    name: str
    from_text: bool
    items: str
    published_items: int

    @property
    def sides(self) -> tuple[str, str]:
        """The names of what asks, and of what is searched."""
        captions = f"text_{self.items}"
        return (captions, self.items) if self.from_text else (self.items, captions)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRule(AnyRule):
    """A way to turn the places of relevant items into scores.

    Attributes:
        relevant: ``all`` relevant items of a query count; or only the ``first``, with any row of
            that id being a hit.
        ties: order of rows with equal scores; None leaves it to the caller.
        divides_by: what hits are divided by where captions are searched: the ``queries``, or the
            ``captions`` in the gallery.
    """

    relevant: Literal["all", "first"] = "all"
    ties: Ties | None = None
    divides_by: Literal["queries", "captions"] = "queries"

    def metrics_at(self, cuts: Sequence[int]) -> tuple[Metric, ...]:
        """What the rule reports at these numbers of places."""
        return rank_metrics(cuts, only_recall=self.relevant == "first")

    def fingerprint(self) -> dict[str, object]:
        """Every field that moves a score."""
        return AnyRule.fingerprint(self) | {
            "relevant": self.relevant,
            "ties": self.ties,
            "divides_by": self.divides_by,
        }


def _as_given(ident: str) -> str:
    return ident


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalProtocol(Protocol):
    """A benchmark of search: scored is where the relevant items stand.

    Attributes:
        rules: see Protocol.
        directions: ways to search, by name.
        cuts: the k of recall at k that the benchmark publishes.
        video_of: the video that an item belongs to; queries about one video form a cluster.
        item_name: an item's id without folder and file type.
        is_clip: whether an id names a clip rather than a whole video.
    """

    rules: tuple[RetrievalRule, ...]
    directions: Mapping[str, Direction]
    cuts: tuple[int, ...] = DEFAULT_CUTS
    video_of: Callable[[str], str] = _as_given
    item_name: Callable[[str], str] = _as_given
    is_clip: Callable[[str], bool] = field(default=lambda ident: False)

    @property
    def published_items(self) -> dict[str, int]:
        """How many items of each kind the benchmark has."""
        return {d.items: d.published_items for d in self.directions.values()}

    @property
    def size_text(self) -> str:
        """The published sizes as tables show them."""
        return ", ".join(f"{count:,} {items}" for items, count in self.published_items.items())

    def direction(self, name: str) -> Direction:
        """The direction of that name.

        Raises:
            InputError: the benchmark has none.
        """
        if name not in self.directions:
            raise InputError(
                f"{self.name} has no such direction",
                field="direction",
                value=name,
                expected=", ".join(self.directions),
            )
        return self.directions[name]
