"""parse_choice for option texts that are costly to make: only rows in doubt ask for theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastvbench import _core
from fastvbench.answers._choices import Choices, parse_choice

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["parse_choice_lazily"]


def parse_choice_lazily(
    texts: list[str | None],
    counts: npt.NDArray[np.int32],
    option_texts: Callable[[npt.NDArray[np.int64]], list[list[str] | int]],
    *,
    threads: int = 0,
) -> Choices:
    """Read choices as `parse_choice` does, and equal to it.

    Args:
        texts: n texts or None.
        counts: int32[n] number of options of each row, 1 to 26.
        option_texts: gives the options of the rows with these numbers (int64[k]): k entries, each
            a list of texts or a number of letters.
        threads: 0 uses every core.
    """
    index, status, spans, needs_texts = _core.parse_choice_letters(texts, counts, threads)
    rows = np.flatnonzero(needs_texts)
    if len(rows):
        options = option_texts(rows)
        # Neighbours with the very same list are cheap: its texts are prepared once.
        order = np.argsort([id(row) for row in options], kind="stable")
        rows = rows[order]
        again = parse_choice(
            [texts[row] for row in rows.tolist()],
            options=[options[place] for place in order.tolist()],
            threads=threads,
        )
        index[rows], status[rows], spans[rows] = again.index, again.status, again.spans
    return Choices(index, status, spans)
