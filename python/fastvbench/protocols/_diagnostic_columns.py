"""From scored runs to the columns that diagnostics look at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.results._diagnostics import Contrast, DiagnosticColumns
from fastvbench.results._metrics import ACCURACY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._report import ScoredRuns
    from fastvbench.results._summary import Clusters

__all__ = ["diagnostic_columns"]

FloatArray = npt.NDArray[np.float64]

_COUNTING = re.compile(r"(?i)count|how many|\bcnt\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\d)")
_WORDS = {"zero": 0, "none": 0, "one": 1, "once": 1, "two": 2, "twice": 2, "three": 3, "four": 4}
_WORDS |= {"five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11}


def diagnostic_columns(
    scored: ScoredRuns, main_entry: Mapping[str, Any], clusters: Clusters
) -> DiagnosticColumns:
    """The columns of the main rule set, all runs one after the other.

    Args:
        scored: what was scored.
        main_entry: the main rule set's entry of the result, for its interval and contrasts.
        clusters: the video of each annotated row.
    """
    gold, table, active = scored.gold, scored.table, scored.active
    outcome = table.rules[scored.rules[0].name]
    runs = len(table)

    def flat(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return column[:, active].ravel()

    def of_gold(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.tile(column[active], runs)

    scores = {key: flat(column) for key, column in outcome.scores.items()}
    nothing = np.full(int(active.sum()) * runs, np.nan)
    known = nothing if gold.durations is None else of_gold(gold.durations)
    columns: dict[str, Any] = {
        "status": flat(outcome.status),
        "seen": flat(table.seen),
        "clusters": of_gold(clusters.numbers),
        "output": flat(table.output),
        "durations_seconds": np.where(np.isnan(known), flat(table.video_seconds), known),
        "frame_counts": flat(table.frame_count),
        "gold_lengths_seconds": of_gold(_gold_lengths(gold)),
        "limited": flat(table.limited),
        "scores": scores,
        "contrasts": tuple(_contrasts(main_entry)),
    }
    if outcome.interval_status is not None:
        columns["interval_status"] = flat(outcome.interval_status)
    if gold.letters is not None or gold.answers is not None:
        columns["gold_echo"] = flat(table.gold_echo)
    if gold.intervals is not None:
        columns["ious"] = scores.get("mean_iou")
        columns["prompt_echo"] = flat(table.prompt_echo)
    if ACCURACY.key in scores:
        columns["correct"] = scores[ACCURACY.key]
        interval = main_entry["overall"][ACCURACY.key]["interval"]
        columns["accuracy_interval"] = None if interval is None else tuple(interval)
    if gold.letters is not None:
        letters = flat(outcome.letters)
        columns |= {
            "letters": letters,
            "gold_letters": of_gold(gold.letters),
            "option_counts": of_gold(gold.option_counts),
            "bare_letter": flat(table.bare_letter),
            "expects_letters": any(rule.bare_letter_share is not None for rule in scored.rules),
        }
        columns |= _orders(scored, letters) | _counts(scored, letters)
    return DiagnosticColumns(**columns)


def _contrasts(main_entry: Mapping[str, Any]) -> list[Contrast]:
    return [
        Contrast(
            held["metric"],
            held["stratum"],
            held["a"],
            held["b"],
            held["value"],
            None if held["interval"] is None else tuple(held["interval"]),
        )
        for held in main_entry.get("contrasts", ())
    ]


def _gold_lengths(gold: Gold) -> FloatArray:
    """float64[n] seconds of each row's right intervals, else of its evidence, NaN where unknown."""
    lengths = np.full(len(gold), np.nan)
    if gold.evidence is not None:
        lengths = gold.evidence[:, 1] - gold.evidence[:, 0]
    if gold.intervals is not None:
        offsets = gold.intervals.offsets
        totals = np.concatenate([[0.0], np.cumsum(np.diff(gold.intervals.values, axis=1)[:, 0])])
        sums = totals[offsets[1:]] - totals[offsets[:-1]]
        lengths = np.where(np.diff(offsets) > 0, sums, lengths)
    return lengths


def _orders(scored: ScoredRuns, letters: npt.NDArray[np.int8]) -> dict[str, Any]:
    """Groups of one question in several orders, and which option's text each row chose."""
    gold, rows, runs = scored.gold, np.flatnonzero(scored.active), len(scored.table)
    if gold.groups is None:
        return {}
    _, numbers = np.unique([gold.groups[row] for row in rows.tolist()], return_inverse=True)
    groups = numbers.ravel()
    columns: dict[str, Any] = {
        "groups": np.concatenate([groups + run * (len(rows) + 1) for run in range(runs)])
    }
    if gold.options is not None:
        codes: dict[str, int] = {}
        chosen = [
            codes.setdefault(text, len(codes)) if text else -1
            for text in _chosen_texts(gold, np.tile(rows, runs), letters)
        ]
        columns["option_texts"] = np.array(chosen, dtype=np.int64)
    return columns


def _chosen_texts(
    gold: Gold, rows: npt.NDArray[np.int64], letters: npt.NDArray[np.int8]
) -> list[str]:
    """The text of each row's option; empty where it is none, or is not known."""
    assert gold.options is not None
    texts = []
    for row, letter in zip(rows.tolist(), letters.tolist(), strict=True):
        options = gold.options[row] if letter >= 0 else []
        texts.append(options[letter] if 0 <= letter < len(options) else "")
    return texts


def _counts(scored: ScoredRuns, letters: npt.NDArray[np.int8]) -> dict[str, Any]:
    """Which rows ask for a number, and the numbers that the chosen and the right option say."""
    gold, rows, runs = scored.gold, np.flatnonzero(scored.active), len(scored.table)
    counting = np.zeros(len(gold), dtype=np.bool_)
    for stratum in gold.strata.values():
        wanted = [k for k, name in enumerate(stratum.categories) if _COUNTING.search(name)]
        counting[stratum.rows[np.isin(stratum.category, wanted)]] = True
    if not counting[rows].any():
        return {}
    everywhere = np.tile(rows, runs)
    asked = np.flatnonzero(counting[everywhere])
    columns: dict[str, Any] = {"counting": counting[everywhere]}
    if gold.options is None or gold.letters is None:
        return columns
    for name, chosen in (("given_numbers", letters), ("gold_numbers", gold.letters[everywhere])):
        numbers = np.full(len(everywhere), np.nan)
        texts = _chosen_texts(gold, everywhere[asked], chosen[asked])
        numbers[asked] = [_number(text) for text in texts]
        columns[name] = numbers
    return columns


def _number(option: str) -> float:
    """The one number that an option says in digits or as a word; NaN where it says none."""
    found = _NUMBER.findall(option)
    if len(found) == 1:
        return float(found[0])
    words = [_WORDS[word] for word in re.findall(r"[a-z]+", option.lower()) if word in _WORDS]
    return float(words[0]) if len(words) == 1 and not found else float("nan")
