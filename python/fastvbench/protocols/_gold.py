"""The annotations of one benchmark as columns, whatever file they came from."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fastvbench.intervals import Intervals
    from fastvbench.results._strata import Stratum

__all__ = [
    "ALPHABET",
    "LETTER_INDEX",
    "Gold",
    "OptionsOfQuestions",
    "bare_video_name",
    "gold_letter_index",
    "join_key",
    "split_options",
]

JoinKey = tuple[str, str]

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER_INDEX = {letter: i for i, letter in enumerate(ALPHABET)}
_BRACKETED = re.compile(r"(?:^|\n)[ \t]*\(([A-Z])\)")
_DELIMITED = re.compile(r"(?:^|\n)[ \t]*([A-Z])[).:]")


def split_options(question: str) -> tuple[str, list[str]]:
    r"""Split ``stem\n(A) first\n(B) second...`` into the stem and the option texts.

    Option lines start with ``(A)``; in a question without any, with ``A)``, ``A.`` or ``A:``.
    Letters run from A without a gap, and an option's text may run over several lines. A question
    without such lines comes back whole, with no options.
    """
    for pattern in (_BRACKETED, _DELIMITED):
        parts = pattern.split(question)
        if len(parts) >= 5 and "".join(parts[1::2]) == ALPHABET[: len(parts) // 2]:
            return parts[0].strip(), [text.strip() for text in parts[2::2]]
    return question.strip(), []


class OptionsOfQuestions(Sequence[list[str]]):
    """Option texts of questions that hold their options, split when a row is asked for.

    Args:
        questions: texts as `split_options` takes them.
    """

    def __init__(self, questions: list[str]) -> None:
        self._questions = questions

    def __len__(self) -> int:
        return len(self._questions)

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> OptionsOfQuestions: ...
    def __getitem__(self, index: int | slice) -> list[str] | OptionsOfQuestions:
        if isinstance(index, slice):
            return OptionsOfQuestions(self._questions[index])
        return split_options(self._questions[index])[1]


def bare_video_name(video: str) -> str:
    """A video's name without folders and without a video file's extension."""
    name = posixpath.basename(video.replace("\\", "/"))
    root, extension = posixpath.splitext(name)
    return root if extension.lower() in {".mp4", ".mkv", ".webm", ".avi", ".mov"} else name


def join_key(video: str, query: str) -> JoinKey:
    """Key of a row without an id: the video's bare name, and the query without its options."""
    stem, _ = split_options(query)
    return bare_video_name(video), " ".join(stem.split())


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
        options: option texts of each row, empty where they are not known; None where none are.
        option_count: number of options of a row whose texts are not known.
        counts: int32[n] number of options of each row, where that is known without its texts.
        intervals: gold intervals in seconds, each start <= end, one row each.
        raw_intervals: float64[n, 2] first gold interval as the file gives it, NaN where absent.
        durations: float64[n] video length in seconds, NaN where unknown.
        evidence: float64[n, 2] begin and end, in seconds, of where in the video the answer is to
            be found, NaN where unknown; gold intervals themselves need no second column.
        answers: accepted short answers of each row; an empty list where a row has none.
        columns: further values of each row that a rule needs, by name, each of length n.
        groups: rows that are one question with its options in several orders share a group; None
            where every question stands once.
        ledger: what was noticed and how it was treated, with counts.
    """

    ids: list[str]
    videos: list[str]
    strata: dict[str, Stratum] = field(default_factory=dict)
    queries: list[str] | None = None
    letters: npt.NDArray[np.int8] | None = None
    options: Sequence[list[str]] | None = None
    option_count: int = 4
    counts: npt.NDArray[np.int32] | None = None
    intervals: Intervals | None = None
    raw_intervals: npt.NDArray[np.float64] | None = None
    durations: npt.NDArray[np.float64] | None = None
    evidence: npt.NDArray[np.float64] | None = None
    answers: Sequence[Sequence[str]] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    groups: list[str] | None = None
    ledger: dict[str, int] = field(default_factory=dict)
    _row_of_id: dict[str, int] | None = field(default=None, repr=False)
    _row_of_key: dict[JoinKey, int] | None = field(default=None, repr=False)
    _row_of_whole: dict[JoinKey, int] = field(default_factory=dict, repr=False)
    _row_of_order: dict[JoinKey, int] | None = field(default=None, repr=False)
    _rows_of_video: dict[str, list[int]] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def option_counts(self) -> npt.NDArray[np.int32]:
        """int32[n] number of options of each row."""
        if self.counts is None:
            if self.options is None:
                self.counts = np.full(len(self), self.option_count, dtype=np.int32)
            else:
                sizes = [len(texts) or self.option_count for texts in self.options]
                self.counts = np.array(sizes, dtype=np.int32)
        return self.counts

    @property
    def row_of_id(self) -> dict[str, int]:
        """Row of each id."""
        if self._row_of_id is None:
            self._row_of_id = dict(zip(self.ids, range(len(self.ids)), strict=True))
        return self._row_of_id

    def row_of_key(self, video: str, query: str) -> int | None:
        """Row with this video and query; None where there is none, -1 where there are several.

        Queries are compared without their options, and with them where that leaves several.
        """
        if self._row_of_key is None:
            self._row_of_key = {}
            for row, (known_video, known_query) in enumerate(
                zip(self.videos, self.queries or (), strict=False)
            ):
                key = join_key(known_video, known_query)
                self._row_of_key[key] = -1 if key in self._row_of_key else row
                whole = bare_video_name(known_video), " ".join(known_query.split())
                self._row_of_whole[whole] = -1 if whole in self._row_of_whole else row
        found = self._row_of_key.get(join_key(video, query))
        if found == -1:
            found = self._row_of_whole.get((bare_video_name(video), " ".join(query.split())), -1)
        return found

    def row_of_order(self, group: str, order: object) -> int | None:
        """Row of one order of a question, for files that name no id; None where there is none."""
        if self._row_of_order is None:
            orders = self.columns.get("order", [])
            names = zip(self.groups or (), orders, strict=False)
            self._row_of_order = {
                (name, str(known)): row for row, (name, known) in enumerate(names)
            }
        return self._row_of_order.get((group, str(order)))

    def row_of_place(self, video: str, place: int) -> int:
        """Row of a video's annotation number `place`, from 0 in the file's order; -1 for none."""
        if self._rows_of_video is None:
            self._rows_of_video = {}
            for row, known in enumerate(self.videos):
                self._rows_of_video.setdefault(bare_video_name(known), []).append(row)
        rows = self._rows_of_video.get(bare_video_name(video), [])
        return rows[place] if place < len(rows) else -1
