"""
Compiled kernels of fastvbench; use the fastvbench package instead.
"""

from __future__ import annotations
import numpy
import numpy.typing
import typing

class Gallery:
    """
    A gallery prepared for exact search.
    """
    def __init__(
        self,
        embeddings: numpy.ndarray,
        element_type: typing.SupportsInt | typing.SupportsIndex,
        is_cosine: bool,
        preparation: typing.SupportsInt | typing.SupportsIndex,
        threads: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    def faulty_rows(self) -> numpy.typing.NDArray[numpy.int64]: ...
    def plan(
        self,
        query_count: typing.SupportsInt | typing.SupportsIndex,
        k: typing.SupportsInt | typing.SupportsIndex,
        path: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple[int, str, int, int]: ...
    def raise_for_faults(self) -> None: ...
    def ranks(
        self,
        queries: numpy.ndarray,
        element_type: typing.SupportsInt | typing.SupportsIndex,
        relevant: numpy.typing.NDArray[numpy.int64],
        offsets: numpy.typing.NDArray[numpy.int64],
        order: typing.Annotated[numpy.typing.ArrayLike, numpy.int64] | None,
        path: typing.SupportsInt | typing.SupportsIndex,
        threads: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple[
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int64],
    ]: ...
    def replace(
        self,
        embeddings: numpy.ndarray,
        element_type: typing.SupportsInt | typing.SupportsIndex,
        threads: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    def search(
        self,
        queries: numpy.ndarray,
        element_type: typing.SupportsInt | typing.SupportsIndex,
        k: typing.SupportsInt | typing.SupportsIndex,
        path: typing.SupportsInt | typing.SupportsIndex,
        threads: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]: ...
    @property
    def fault_count(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...

def answer_texts(
    texts: typing.Any,
    spans: typing.Any,
    careful: bool,
    threads: typing.SupportsInt | typing.SupportsIndex,
) -> list[str | None]:
    """
    Answers without mark-up, or as the words that are compared.
    """

def available_cpu_levels() -> list[str]:
    """
    Levels that this machine can run.
    """

def average_precision(
    pred_values: numpy.typing.NDArray[numpy.float64],
    pred_offsets: numpy.typing.NDArray[numpy.int64],
    scores: numpy.typing.NDArray[numpy.float64],
    gold_values: numpy.typing.NDArray[numpy.float64],
    gold_offsets: numpy.typing.NDArray[numpy.int64],
    thresholds: numpy.typing.NDArray[numpy.float64],
    threads: typing.SupportsInt | typing.SupportsIndex = 0,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Average precision per threshold and row.
    """

def check_embeddings(
    embeddings: numpy.ndarray,
    element_type: typing.SupportsInt | typing.SupportsIndex,
    is_cosine: bool,
    name: str,
    threads: typing.SupportsInt | typing.SupportsIndex,
) -> None:
    """
    Raises where a row cannot be ranked.
    """

def cpu_level() -> str:
    """
    Name of the CPU level in use.
    """

def cpu_level_request_refused() -> bool:
    """
    True where FASTVBENCH_CPU_LEVEL names no level of this machine.
    """

def default_threads() -> int:
    """
    Threads that threads=0 stands for.
    """

def flag_bits() -> dict[str, int]:
    """
    Name and bit of each flag an interval may carry; equal to core._status.Flag.
    """

def highlight_scores(
    scores: numpy.typing.NDArray[numpy.float64],
    grades: numpy.typing.NDArray[numpy.int8],
    offsets: numpy.typing.NDArray[numpy.int64],
    minimums: numpy.typing.NDArray[numpy.int8],
    threads: typing.SupportsInt | typing.SupportsIndex = 0,
) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Average precision and Hit@1 of scored clips, [minimums, rows] each.
    """

def intervals_from_arrow(
    obj: typing.Any, name: str
) -> tuple[
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.bool] | None,
]:
    """
    Values, offsets and which rows are null of an Arrow column of interval lists.
    """

def match_intervals(
    pred_values: numpy.typing.NDArray[numpy.float64],
    pred_offsets: numpy.typing.NDArray[numpy.int64],
    gold_values: numpy.typing.NDArray[numpy.float64],
    gold_offsets: numpy.typing.NDArray[numpy.int64],
    greedy: bool,
    min_iou: typing.SupportsFloat | typing.SupportsIndex,
    threads: typing.SupportsInt | typing.SupportsIndex = 0,
) -> tuple[
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Indices, IoUs and row offsets of matched pairs.
    """

def mean_in_blocks(values: numpy.typing.NDArray[numpy.float64]) -> float:
    """
    Mean by sums of 1024 values, then of those sums.
    """

def number_rows(
    rows: list[typing.Any],
) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
    """
    All numbers of rows of them, NaN for what is none, and how many each row has.
    """

def pair_rows(
    rows: list[typing.Any],
) -> (
    tuple[
        numpy.typing.NDArray[numpy.float64],
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int64],
    ]
    | None
):
    """
    Pairs of rows of them, how many each row has and which rows those are that are not None; None where any other is not a list of pairs of numbers.
    """

def parse_choice(
    texts: typing.Any, options: typing.Any, threads: typing.SupportsInt | typing.SupportsIndex
) -> tuple[
    numpy.typing.NDArray[numpy.int8],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Option indices, statuses and byte spans of a text column.
    """

def parse_choice_letters(
    texts: typing.Any,
    counts: numpy.typing.NDArray[numpy.int32],
    threads: typing.SupportsInt | typing.SupportsIndex,
) -> tuple[
    numpy.typing.NDArray[numpy.int8],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.uint8],
]:
    """
    The letters-only pass of parse_choice, and which rows option texts could change.
    """

def parse_timestamps(
    texts: typing.Any, durations: typing.Any, threads: typing.SupportsInt | typing.SupportsIndex
) -> tuple[
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.uint16],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Values, offsets, statuses, flags and byte spans of the intervals in a text column.
    """

def read_answer_numbers(
    texts: typing.Any, spans: typing.Any, threads: typing.SupportsInt | typing.SupportsIndex
) -> tuple[
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.uint8],
]:
    """
    Values, scales, percent marks, years, and whether there are several numbers.
    """

def read_short_answers(
    texts: typing.Any, threads: typing.SupportsInt | typing.SupportsIndex
) -> tuple[
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Statuses, and byte spans of the answer proper and of the whole answer.
    """

def row_iou(
    pred_values: numpy.typing.NDArray[numpy.float64],
    pred_offsets: numpy.typing.NDArray[numpy.int64],
    gold_values: numpy.typing.NDArray[numpy.float64],
    gold_offsets: numpy.typing.NDArray[numpy.int64],
    convention: typing.SupportsInt | typing.SupportsIndex,
    out: typing.Any = None,
    threads: typing.SupportsInt | typing.SupportsIndex = 0,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    IoU per row by convention: 0 union, 1 first, 2 best.
    """

def set_cpu_level(name: str) -> None:
    """
    Use another CPU level in this process (tests run every level this way).
    """

def status_numbers() -> dict[str, int]:
    """
    Name and number of each status a row may have; equal to core._status.Status.
    """

def temporal_iou(
    pred: numpy.typing.NDArray[numpy.float64],
    gold: numpy.typing.NDArray[numpy.float64],
    out: typing.Any = None,
    threads: typing.SupportsInt | typing.SupportsIndex = 0,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    IoU of one pair of intervals per row.
    """

__version__: str
