"""Did the model see enough, and does it count what it saw?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.core._status import Status
from fastvbench.results._diagnostics._entry import Entry, entry
from fastvbench.results._significance import fair_coin_two_sided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.results._diagnostics._columns import DiagnosticColumns

__all__ = ["watching_diagnostics"]

LEAST_FRAMES_PER_MINUTE = 1.0
MOST_MISSABLE_SHARE = 0.5
MOST_P = 0.05
MOST_EXTRA_UNREAD = 0.10


def watching_diagnostics(columns: DiagnosticColumns) -> Iterator[Entry]:
    """Frames per minute of video against the length of the evidence; counts that are too low."""
    yield from _frames(columns)
    if columns.counting is not None and columns.counting.any():
        yield from _under_count(columns)
        yield from _counting_format(columns)


def _frames(columns: DiagnosticColumns) -> Iterator[Entry]:
    known = columns.seen & (columns.durations_seconds > 0) & ~np.isnan(columns.frame_counts)
    if not known.any():
        return
    minutes = columns.durations_seconds[known] / 60.0
    per_minute = columns.frame_counts[known] / minutes
    middle = float(np.median(per_minute))
    beside: dict[str, float | None] = {"share_of_one_per_second": middle / 60.0}
    says = f"{middle:.2f} frames a minute in the middle of {int(known.sum()):,} videos asked about"
    lengths = columns.gold_lengths_seconds[known]
    has_evidence = ~np.isnan(lengths)
    missable = np.zeros(len(lengths), dtype=np.bool_)
    missable_share = None
    if has_evidence.any():
        with np.errstate(divide="ignore"):
            missable = has_evidence & (lengths < 60.0 / per_minute)
        missable_share = float(missable[has_evidence].mean())
        beside["missable_share"] = missable_share
        says += f"; the evidence of {missable_share:.1%} of the questions fits between two frames"
        if columns.correct is not None:
            correct = columns.correct[known]
            for name, rows in (("accuracy_missable", missable), ("accuracy_others", ~missable)):
                counted = correct[rows & has_evidence & ~np.isnan(correct)]
                beside[name] = float(counted.mean()) if len(counted) else None
    alarm = middle < LEAST_FRAMES_PER_MINUTE or (
        missable_share is not None and missable_share > MOST_MISSABLE_SHARE
    )
    yield entry(
        "frames_per_minute",
        middle,
        "Median over questions of the frames that the model saw per minute of video; evidence is "
        "missable where it is shorter than the time between two frames. Alarm: fewer than "
        f"{LEAST_FRAMES_PER_MINUTE:g} a minute, or more than {MOST_MISSABLE_SHARE:.0%} of the "
        "questions with known evidence missable.",
        alarm=alarm,
        says=says,
        rows=int(known.sum()),
        **beside,
    )


def _under_count(columns: DiagnosticColumns) -> Iterator[Entry]:
    if columns.given_numbers is None or columns.gold_numbers is None:
        return
    assert columns.counting is not None
    known = columns.counting & ~np.isnan(columns.given_numbers) & ~np.isnan(columns.gold_numbers)
    if not known.any():
        return
    errors = columns.given_numbers[known] - columns.gold_numbers[known]
    under, over = int((errors < 0).sum()), int((errors > 0).sum())
    wrong = under + over
    p = fair_coin_two_sided(under, over)
    share = under / wrong if wrong else None
    yield entry(
        "under_count",
        share,
        "On questions that ask how many: of the wrong numbers chosen, the share that is too low; p "
        f"is that of a fair coin. Alarm: more too low than too high, with p below {MOST_P}.",
        alarm=under > over and p < MOST_P,
        says=f"{under:,} counts are too low, {over:,} too high, {int((errors == 0).sum()):,} right",
        rows=int(known.sum()),
        too_low=under,
        too_high=over,
        mean_error=float(errors.mean()),
        p=p,
    )


def _counting_format(columns: DiagnosticColumns) -> Iterator[Entry]:
    assert columns.counting is not None
    counting, others = columns.seen & columns.counting, columns.seen & ~columns.counting
    if not counting.any() or not others.any():
        return
    unread = columns.status != Status.OK
    share, elsewhere = float(unread[counting].mean()), float(unread[others].mean())
    yield entry(
        "counting_format",
        share - elsewhere,
        "Share of unreadable answers to questions that ask how many, minus that to all others. "
        f"Alarm: more than {MOST_EXTRA_UNREAD:.0%} higher.",
        alarm=share - elsewhere > MOST_EXTRA_UNREAD,
        says=f"{share:.1%} of the answers to counting questions cannot be read, {elsewhere:.1%} "
        "of the others",
        rows=int(counting.sum()),
    )
