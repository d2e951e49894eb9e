"""What diagnostics look at: the columns of the main rule set and of the run's record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["Contrast", "DiagnosticColumns"]

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference between two categories that a protocol declares.

    Attributes:
        metric: key of the metric.
        stratum: name of the stratum.
        a: first category.
        b: second category.
        value: mean of `a` minus mean of `b`, None where one has no row.
        interval: its 95 % interval, None where there is none.
    """

    metric: str
    stratum: str
    a: str
    b: str
    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticColumns:
    """m answers: the rows of a result that count, of all its runs one after the other.

    Attributes:
        status: uint8[m] of the main rule set.
        seen: bool[m], an answer was found.
        correct: float64[m] its accuracy, NaN where a row does not count; None where it has none.
        clusters: int64[m], the video of each row, numbered from 0.
        accuracy_interval: 95 % interval of its mean, clustered by video; None where unknown.
        letters: int8[m] option that was read, -1 for none; None for benchmarks without letters.
        gold_letters: int8[m] right option, -1 for none.
        option_counts: int32[m] options of each question.
        bare_letter: bool[m], the text is one capital letter and nothing else.
        expects_letters: whether prompts ask for the letter alone.
        groups: int64[m], equal for one question in several orders of its options within one run;
            None where every question stands once.
        option_texts: int64[m], equal for rows of a group that chose the same option text, -1 where
            that is not known.
        output: int64[m], equal for equal texts; 0 where there is none.
        gold_echo: bool[m], the text is the right answer itself, letter for letter.
        has_gold_texts: whether `gold_echo` was looked for.
        limited: int8[m], the generation hit its length limit (1), did not (0), nobody says (-1).
        ious: float64[m] IoU with the right intervals, NaN where there is none to compare with;
            None for benchmarks without intervals.
        interval_status: uint8[m] how the intervals were read; None where `status` says so.
        prompt_echo: bool[m], the answer is the example that a published prompt shows.
        gold_lengths_seconds: float64[m] length of the right intervals or of the evidence.
        durations_seconds: float64[m] length of the video, NaN where unknown.
        frame_counts: float64[m] frames that the model saw, NaN where unknown.
        counting: bool[m], questions that ask for a number of things.
        given_numbers: float64[m] number that the chosen option says, NaN where it says none.
        gold_numbers: float64[m] number that the right option says.
        scores: further columns of the main rule set by metric key, float64[m].
        contrasts: differences between categories.
    """

    status: npt.NDArray[np.uint8]
    seen: BoolArray
    clusters: npt.NDArray[np.int64]
    output: npt.NDArray[np.int64]
    durations_seconds: FloatArray
    frame_counts: FloatArray
    gold_lengths_seconds: FloatArray
    limited: npt.NDArray[np.int8]
    correct: FloatArray | None = None
    accuracy_interval: tuple[float, float] | None = None
    letters: npt.NDArray[np.int8] | None = None
    gold_letters: npt.NDArray[np.int8] | None = None
    option_counts: npt.NDArray[np.int32] | None = None
    bare_letter: BoolArray | None = None
    expects_letters: bool = False
    groups: npt.NDArray[np.int64] | None = None
    option_texts: npt.NDArray[np.int64] | None = None
    gold_echo: BoolArray | None = None
    ious: FloatArray | None = None
    interval_status: npt.NDArray[np.uint8] | None = None
    prompt_echo: BoolArray | None = None
    counting: BoolArray | None = None
    given_numbers: FloatArray | None = None
    gold_numbers: FloatArray | None = None
    scores: Mapping[str, FloatArray] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()

    def __len__(self) -> int:
        return len(self.status)
