"""What commonly goes wrong before a retrieval score: found in the inputs, counted, and named.

Each check is a number in ``diagnostics``; those that make a score mean something else are warnings,
too. No check moves a score.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.core._errors import InputError
from fastvbench.retrieval._intake import BFLOAT16, FLOAT16, as_embeddings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastvbench.protocols._retrieval_pairs import Pairs
    from fastvbench.protocols._retrieval_places import Places
    from fastvbench.protocols._retrieval_rule import Direction
    from fastvbench.protocols._retrieval_sources import Side

__all__ = [
    "BadRows",
    "Findings",
    "bad_rows",
    "check_captions",
    "check_gallery",
    "check_ids",
    "check_lists",
    "check_scores",
    "check_vectors",
    "refuse_bad_rows",
    "row_digests",
]

Indices = npt.NDArray[np.int64]

ROWS_AT_ONCE = 16_384
MOST_NAMED_ROWS = 5
# A unit vector rounded to float16 or bfloat16 keeps its length to about a part in 256.
LENGTH_TOLERANCE = 0.01
_SMALL_SQUARE = 1e-30  # below it, float32 squares lose digits or vanish
TOKEN_LIMIT_SHARE = 0.01  # a maximum that 1 % of the captions share is a limit
_FRAME_SUFFIX = re.compile(r"[_/#:-](?:frame|f)?[_-]?\d+(?:\.(?:jpe?g|png|webp))?$", re.IGNORECASE)


@dataclass(slots=True)
class Findings:
    """What was noticed: numbers for ``diagnostics``, and lines to warn with."""

    numbers: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def float_blocks(embeddings: Any) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """First row and float32 values of each block of rows; a memory map is read block by block."""
    for first in range(0, len(embeddings), ROWS_AT_ONCE):
        rows = as_embeddings(embeddings[first : first + ROWS_AT_ONCE], "embeddings")
        if rows.element_type == BFLOAT16:
            yield first, (rows.values.astype(np.uint32) << 16).view(np.float32)
        elif rows.element_type == FLOAT16:
            yield first, rows.values.view(np.float16).astype(np.float32)
        else:
            yield first, rows.values


@dataclass(frozen=True, slots=True)
class BadRows:
    """Rows that no scorer can rank.

    Attributes:
        not_finite: int64, rows that hold NaN or infinity.
        zero: int64, rows of zeros only, where the metric divides by the length.
        unnormalised: how many other rows are not of length 1.
        length_range: smallest and largest length of those.
    """

    not_finite: Indices
    zero: Indices
    unnormalised: int
    length_range: tuple[float, float]

    @property
    def rows(self) -> Indices:
        """All of them, ascending."""
        return np.union1d(self.not_finite, self.zero)


def bad_rows(embeddings: Any, metric: str) -> BadRows:
    """Look at every row once.

    Args:
        embeddings: [n, d].
        metric: ``cosine`` or ``dot``.
    """
    none: Indices = np.zeros(0, dtype=np.int64)
    not_finite, zero = [none], [none]
    unnormalised, shortest, longest = 0, np.inf, 0.0
    for first, block in float_blocks(embeddings):
        lengths = _row_lengths(block)
        is_finite = np.isfinite(lengths)
        not_finite.append(first + np.flatnonzero(~is_finite))
        if metric == "cosine":
            zero.append(first + np.flatnonzero(lengths == 0))
        lengths = lengths[is_finite & (lengths > 0)]
        unnormalised += int((np.abs(lengths - 1.0) > LENGTH_TOLERANCE).sum())
        if len(lengths):
            shortest, longest = min(shortest, lengths.min()), max(longest, lengths.max())
    return BadRows(
        np.concatenate(not_finite),
        np.concatenate(zero),
        unnormalised,
        (float(shortest), float(longest)) if longest > 0 else (0.0, 0.0),
    )


def _row_lengths(block: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """float64[n]: 0 for zeros only, not finite for NaN and infinity only.

    float32 is good enough for all rows but those whose squares it cannot hold.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        squares = np.einsum("nd,nd->n", block, block).astype(np.float64)
        unsure = np.flatnonzero(~np.isfinite(squares) | (squares < _SMALL_SQUARE))
        rows = block[unsure].astype(np.float64)
        squares[unsure] = np.einsum("nd,nd->n", rows, rows)
        lengths: npt.NDArray[np.float64] = np.sqrt(squares)
    return lengths


def refuse_bad_rows(side: Side, bad: BadRows) -> None:
    """Name the rows that cannot be ranked.

    Raises:
        InputError: there are any.
    """
    for rows, what in ((bad.not_finite, "NaN or infinity"), (bad.zero, "only zeros")):
        if len(rows):
            named = ", ".join(
                f"row {row} ({side.ids[row]})" for row in rows[:MOST_NAMED_ROWS].tolist()
            )
            more = f" and {len(rows) - MOST_NAMED_ROWS:,} more" if len(rows) > 5 else ""
            raise InputError(
                f"{len(rows):,} of {len(side.ids):,} rows hold {what}: {named}{more}",
                path=side.name,
                expected="finite rows that are not zero, or --invalid drop to leave them out",
            )


def check_vectors(side: Side, bad: BadRows, metric: str, title: str, found: Findings) -> None:
    """Lengths of the rows, which the dot product ranks by."""
    found.numbers["unnormalised_rows"] = bad.unnormalised
    found.numbers["vector_length_range"] = list(bad.length_range)
    if metric == "dot" and bad.unnormalised:
        low, high = bad.length_range
        found.warnings.append(
            f"{title}: {bad.unnormalised:,} of {len(side):,} rows are not L2-normalised "
            f"(lengths {low:.4g} to {high:.4g}), and the dot product prefers long rows"
        )


def check_ids(ids: Sequence[str], title: str, found: Findings, *, are_captions: bool) -> None:
    """Whether each clip or video has one row; captions may share an id."""
    distinct = len(set(ids))
    found.numbers |= {"rows": len(ids), "distinct_ids": distinct}
    if distinct < len(ids) and not are_captions:
        found.warnings.append(
            f"{title}: {len(ids):,} rows for {distinct:,} ids; the frames of an item belong "
            "averaged into one vector, normalised again"
        )


def check_gallery(
    ids: Sequence[str], direction: Direction | None, pairs: Pairs, title: str, found: Findings
) -> None:
    """Whether the gallery holds all items, and items rather than frames."""
    distinct = len(set(ids))
    captions_searched = direction is not None and not direction.from_text
    if direction is not None:
        found.numbers["published"] = direction.published_items
        if distinct < direction.published_items:
            what = f"captions of {distinct:,}" if captions_searched else f"{distinct:,}"
            found.warnings.append(
                f"{title}: the gallery holds {what} of {direction.published_items:,} published "
                f"{direction.items}; recall is higher in a smaller gallery"
            )
    rows_of_item = np.diff(pairs.row_offsets).tolist()
    absent = {i for i, rows in zip(pairs.item_ids, rows_of_item, strict=True) if rows == 0}
    frames = sum(_FRAME_SUFFIX.sub("", ident) in absent for ident in ids) if absent else 0
    if frames:
        found.numbers["rows_named_like_frames"] = frames
        found.warnings.append(
            f"{title}: {frames:,} gallery rows are named like frames of items that the gallery "
            "lacks; average the frames of an item into one vector with the item's id"
        )


def check_scores(
    places: Places, queries: Sequence[bytes], gallery: Sequence[bytes], title: str, found: Findings
) -> None:
    """Whether scores tell rows apart, and whether queries and gallery share vectors.

    Two encoders never give the very same vector: where they seem to, one was made from the other.

    Args:
        places: where the relevant items stand.
        queries: digests of the query rows.
        gallery: digests of the gallery rows.
        title: what the lines begin with.
        found: gets numbers and warnings.
    """
    tied = int((places.tied[places.found] > 1).sum())
    found.numbers["relevant_items_tied_with_others"] = tied
    found.numbers["queries_with_all_scores_equal"] = places.all_tied
    if places.all_tied:
        found.warnings.append(
            f"{title}: for {places.all_tied:,} of {len(places.pairs):,} queries every row of the "
            "gallery scores the same"
        )
    known = set(gallery)
    equal = sum(digest in known for digest in queries)
    found.numbers["queries_equal_to_a_gallery_vector"] = equal
    if equal:
        found.warnings.append(
            f"{title}: the vectors of {equal:,} of {len(queries):,} queries stand in the gallery "
            "as they are; was a gallery vector chosen or made by its own caption?"
        )


def row_digests(embeddings: Any) -> list[bytes]:
    """128 bits that stand for each row's values; equal rows of two types have equal ones."""
    digests = []
    for _, block in float_blocks(embeddings):
        digests += [
            hashlib.blake2b(row.data, digest_size=16).digest()
            for row in block + np.float32(0)  # -0 is 0
        ]
    return digests


def check_captions(token_counts: npt.NDArray[np.float64], title: str, found: Findings) -> None:
    """Captions that a tokenizer's limit may have cut; NaN where a count is unknown."""
    known = token_counts[~np.isnan(token_counts)]
    if not len(known):
        return
    most = int(known.max())
    at_most = int((known == most).sum())
    found.numbers["captions_at_token_limit"] = {
        "maximum": most,
        "captions": at_most,
        "of": len(known),
    }
    if at_most > 1 and at_most >= TOKEN_LIMIT_SHARE * len(known):
        found.warnings.append(
            f"{title}: {at_most:,} of {len(known):,} captions have exactly {most:,} tokens, the "
            "most there are: a tokenizer seems to cut there, and the end of long queries is lost"
        )


def check_lists(lists: Sequence[Sequence[str]], deepest: int, title: str, found: Findings) -> None:
    """Lengths of finished rankings, and ids that stand in one twice."""
    lengths = [len(listed) for listed in lists]
    repeated = sum(len(set(listed)) < len(listed) for listed in lists)
    short = sum(length < deepest for length in lengths)
    found.numbers |= {
        "lists": len(lists),
        "list_length_range": [min(lengths, default=0), max(lengths, default=0)],
        "lists_with_repeated_ids": repeated,
        "lists_shorter_than_the_largest_k": short,
    }
    if short:
        found.warnings.append(
            f"{title}: {short:,} of {len(lists):,} lists are shorter than the largest k, "
            f"{deepest}; what a list does not name counts as not found"
        )
