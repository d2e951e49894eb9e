"""The annotations of one benchmark as columns, whatever file they came from."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from fastvbench.intervals import Intervals
    from fastvbench.results._strata import Stratum

__all__ = ["Gold", "gold_letter_index", "join_key", "split_options"]

JoinKey = tuple[str, str]


def split_options(question: str) -> tuple[str, list[str]]:
    r"""Split ``stem\n(A) first\n(B) second...`` into the stem and the option texts.

    Lines may start with ``(A)``, ``A)``, ``A.`` or ``A:``; letters must run from A without a gap.
    A question without such lines comes back whole, with no options.
    """
    lines = question.split("\n")
    options: list[str] = []
    first = len(lines)
    for number, line in enumerate(lines):
        letter = chr(ord("A") + len(options))
        text = line.lstrip()
        if text.startswith(f"({letter})"):
            options.append(text[3:].strip())
        elif text[:1] == letter and text[1:2] in {")", ".", ":"}:
            options.append(text[2:].strip())
        elif options:
            options[-1] += "\n" + line  # an option's text may run over several lines
            continue
        else:
            continue
        first = min(first, number)
    if len(options) < 2:
        return question.strip(), []
    return "\n".join(lines[:first]).strip(), [text.strip() for text in options]


def join_key(video: str, query: str) -> JoinKey:
    """Key of a row without an id: the video's bare name, and the query without its options."""
    stem, _ = split_options(query)
    name = posixpath.basename(video.replace("\\", "/"))
    root, extension = posixpath.splitext(name)
    if extension.lower() in {".mp4", ".mkv", ".webm", ".avi", ".mov"}:
        name = root
    return name, " ".join(stem.split())


def gold_letter_index(gold: str, options: Sequence[str] | None) -> int:
    """Option that a gold answer names: ``C``, ``(C)``, ``C. text``, ``(C) text`` or its text.

    Returns:
        The 0-based option, or -1 where the gold answer names none.
    """
    text = gold.strip()
    bare = text[1:] if text[:1] == "(" else text
    if bare[:1].isalpha() and bare[:1].isupper() and (len(bare) == 1 or bare[1] in ").:"):
        index = ord(bare[0]) - ord("A")
        if index < (len(options) if options else 26):
            return index
    if options:
        matches = [i for i, option in enumerate(options) if option.strip() == text]
        if len(matches) == 1:
            return matches[0]
    return -1


@dataclass(slots=True)
class Gold:
    """n annotated rows. Columns that a benchmark lacks are None.

    Attributes:
        ids: unique id of each row.
        videos: video of each row; rows of one video form a cluster.
        strata: groups that results are broken down by.
        queries: question or query text, for joining rows without ids; options may be inside.
        letters: int8[n] gold option, -1 where the row has none.
        options: option texts of each row, or None where they are not known.
        option_count: number of options where texts are not known.
        intervals: gold intervals in seconds, each start <= end, one row each.
        raw_intervals: float64[n, 2] first gold interval as the file gives it, NaN where absent.
        durations: float64[n] video length in seconds, NaN where unknown.
        ledger: what was noticed and how it was treated, with counts.
    """

    ids: list[str]
    videos: list[str]
    strata: dict[str, Stratum] = field(default_factory=dict)
    queries: list[str] | None = None
    letters: npt.NDArray[np.int8] | None = None
    options: list[list[str]] | None = None
    option_count: int = 4
    intervals: Intervals | None = None
    raw_intervals: npt.NDArray[np.float64] | None = None
    durations: npt.NDArray[np.float64] | None = None
    ledger: dict[str, int] = field(default_factory=dict)
    _row_of_id: dict[str, int] | None = field(default=None, repr=False)
    _row_of_key: dict[JoinKey, int] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def row_of_id(self) -> dict[str, int]:
        """Row of each id.

        Raises:
            InputError: an id stands twice.
        """
        if self._row_of_id is None:
            rows = dict(zip(self.ids, range(len(self.ids)), strict=True))
            if len(rows) < len(self.ids):
                seen: set[str] = set()
                twice = next(i for i in self.ids if i in seen or seen.add(i))  # type: ignore[func-returns-value]
                raise InputError(
                    "the same id stands twice in the annotations",
                    field="id",
                    value=twice,
                    expected="unique ids",
                )
            self._row_of_id = rows
        return self._row_of_id

    def row_of_key(self, video: str, query: str) -> int | None:
        """Row with this video and query; None where there is none, -1 where there are several."""
        if self._row_of_key is None:
            self._row_of_key = {}
            for row, (known_video, known_query) in enumerate(
                zip(self.videos, self.queries or (), strict=False)
            ):
                key = join_key(known_video, known_query)
                self._row_of_key[key] = -1 if key in self._row_of_key else row
        return self._row_of_key.get(join_key(video, query))
