"""Could the answers be read, were they whole, and do they say anything?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastvbench.core._status import STATUS_NAMES, Status
from fastvbench.results._confidence import ratio_intervals
from fastvbench.results._diagnostics._entry import Entry, entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.results._diagnostics._columns import DiagnosticColumns

__all__ = ["answer_diagnostics"]

MOST_UNREAD_SHARE = 0.05
MOST_WORDY_SHARE = 0.10
MOST_TRUNCATED_SHARE = 0.02
MOST_CONSTANT_LETTER_SHARE = 0.9
MOST_CONSTANT_TEXT_SHARE = 0.2
MOST_GOLD_ECHO_SHARE = 0.99


def answer_diagnostics(columns: DiagnosticColumns) -> Iterator[Entry]:
    """Parse failures, format, truncation, chance, constant output, gold in place of answers."""
    if not columns.seen.any():
        return
    yield _parse_failures(columns)
    if columns.bare_letter is not None and columns.expects_letters:
        yield _format(columns)
    yield from _truncation(columns)
    yield from _near_chance(columns)
    yield from _constant_output(columns)
    if columns.gold_echo is not None:
        yield _gold_echo(columns)


def _parse_failures(columns: DiagnosticColumns) -> Entry:
    # A row that waits for a judge was read; a row of an error has nothing to read.
    fine = (Status.OK, Status.NEEDS_JUDGE, Status.MISSING, Status.ERROR)
    failed = columns.seen & ~np.isin(columns.status, fine)
    if columns.interval_status is not None:
        failed |= columns.seen & ~np.isin(columns.interval_status, fine)
    rows = int(columns.seen.sum())
    share = float(failed.sum() / rows)
    reasons = np.bincount(columns.status[failed], minlength=len(STATUS_NAMES)).tolist()
    return entry(
        "parse_failures",
        share,
        "Share of the answers found that could not be read as one (letter, intervals or both), by "
        f"the main rule set. Alarm: more than {MOST_UNREAD_SHARE:.0%}.",
        alarm=share > MOST_UNREAD_SHARE,
        says=f"{int(failed.sum()):,} of {rows:,} answers could not be read",
        rows=rows,
        by_status={s: n for s, n in zip(STATUS_NAMES, reasons, strict=True) if n and s != "ok"},
    )


def _format(columns: DiagnosticColumns) -> Entry:
    assert columns.bare_letter is not None
    seen = columns.seen & (columns.status != Status.MISSING)
    rows = int(seen.sum())
    wordy = seen & ~columns.bare_letter
    share = float(wordy.sum() / rows) if rows else 0.0
    recovered = wordy & (columns.status == Status.OK)
    return entry(
        "output_constraint",
        share,
        "Share of the answers that are not the letter alone, which the prompt asks for; recovered "
        "are those that a careful reader reads all the same. Alarm: more than "
        f"{MOST_WORDY_SHARE:.0%}: scorers that expect a letter will differ from those that extract "
        "one.",
        alarm=share > MOST_WORDY_SHARE,
        says=f"{int(wordy.sum()):,} of {rows:,} answers are more than a letter; "
        f"{int(recovered.sum()):,} of these can be read",
        rows=rows,
        recovered=int(recovered.sum()),
    )


def _truncation(columns: DiagnosticColumns) -> Iterator[Entry]:
    cut = (columns.limited == 1) | (columns.status == Status.TRUNCATED)
    known = columns.seen & ((columns.limited >= 0) | cut)
    if not known.any():
        return
    rows, share = int(known.sum()), float(cut[known].mean())
    beside: dict[str, float | None] = {}
    says = f"{int(cut[known].sum()):,} of {rows:,} generations hit their length limit"
    counted = _main_score(columns)
    if counted is not None:
        whole = counted[known & ~cut & ~np.isnan(counted)]
        everything = counted[known & ~np.isnan(counted)]
        beside["score"] = float(everything.mean()) if len(everything) else None
        beside["score_without"] = float(whole.mean()) if len(whole) else None
        if beside["score"] is not None and beside["score_without"] is not None:
            says += f"; the score is {beside['score']:.1%}, without them "
            says += f"{beside['score_without']:.1%}"
    yield entry(
        "truncation",
        share,
        "Share of generations that hit their length limit (the run's record says so, or thinking "
        "was not closed), and the score with and without them. Alarm: more than "
        f"{MOST_TRUNCATED_SHARE:.0%}.",
        alarm=share > MOST_TRUNCATED_SHARE,
        says=says,
        rows=rows,
        **beside,
    )


def _main_score(columns: DiagnosticColumns) -> np.ndarray | None:
    return columns.correct if columns.correct is not None else columns.ious


def _near_chance(columns: DiagnosticColumns) -> Iterator[Entry]:
    if columns.correct is None or columns.option_counts is None or columns.gold_letters is None:
        return
    asked = ~np.isnan(columns.correct) & (columns.gold_letters >= 0) & (columns.option_counts > 1)
    if not asked.any():
        return
    chance = float((1.0 / columns.option_counts[asked]).mean())
    accuracy = float(columns.correct[asked].mean())
    low = _lower_end(columns, asked)
    if low is None:
        return
    yield entry(
        "near_chance",
        accuracy - chance,
        "Accuracy on questions with options, minus that of guessing (the mean of 1 / options). "
        "Alarm: chance lies in the 95 % interval of that accuracy or above it.",
        alarm=low <= chance,
        says=f"accuracy {accuracy:.1%}, from {low:.1%}; guessing would score {chance:.1%}",
        rows=int(asked.sum()),
        chance=chance,
    )


def _lower_end(columns: DiagnosticColumns, asked: np.ndarray) -> float | None:
    """Lower end of the 95 % interval of the accuracy on some rows; None for a single video."""
    assert columns.correct is not None
    if asked.sum() == np.count_nonzero(~np.isnan(columns.correct)):
        return None if columns.accuracy_interval is None else columns.accuracy_interval[0]
    _, numbers = np.unique(columns.clusters[asked], return_inverse=True)
    sums = np.bincount(numbers, weights=columns.correct[asked])[:, None].astype(np.float64)
    counts = np.bincount(numbers)[:, None].astype(np.float64)
    low = float(ratio_intervals(sums, counts)[0][0, 0])
    return None if np.isnan(low) else low


def _constant_output(columns: DiagnosticColumns) -> Iterator[Entry]:
    rows = int(columns.seen.sum())
    if columns.letters is not None and columns.gold_letters is not None:
        given = columns.letters[columns.seen & (columns.letters >= 0)]
        if not len(given):
            return
        most = int(np.bincount(given).argmax())
        share = float((given == most).mean())
        gold = columns.gold_letters[columns.gold_letters >= 0]
        usual = float((gold == most).mean()) if len(gold) else 0.0
        limit, what = MOST_CONSTANT_LETTER_SHARE, f"the letter {chr(ord('A') + most)}"
        alarm = share > limit > usual
        rows = len(given)
    else:
        # Rows without an answer are alike for another reason: parse failures count them.
        outputs = columns.output[(columns.status == Status.OK) & (columns.output != 0)]
        if not len(outputs):
            return
        _, counts = np.unique(outputs, return_counts=True)
        share, what = float(counts.max() / len(outputs)), "one text"
        limit = MOST_CONSTANT_TEXT_SHARE if columns.ious is not None else MOST_CONSTANT_LETTER_SHARE
        alarm = share > limit
        rows = len(outputs)
    yield entry(
        "constant_output",
        share,
        "Share of the most frequent answer among those that could be read: the letter, or the "
        f"whole text where answers are no letters. Alarm: more than {limit:.0%}.",
        alarm=alarm,
        says=f"{what} is {share:.1%} of {rows:,} answers",
        rows=rows,
    )


def _gold_echo(columns: DiagnosticColumns) -> Entry:
    assert columns.gold_echo is not None
    share = float(columns.gold_echo[columns.seen].mean())
    return entry(
        "text_equals_gold",
        share,
        "Share of the texts that are the right answer, character for character. Alarm: "
        f"{MOST_GOLD_ECHO_SHARE:.0%} or more, as in an annotation file.",
        alarm=share >= MOST_GOLD_ECHO_SHARE,
        says=f"{share:.1%} of the texts equal the right answer exactly",
        rows=int(columns.seen.sum()),
    )
