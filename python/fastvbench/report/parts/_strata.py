"""Values by group of rows, by length of the video and by where the evidence lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastvbench.report._view import groups_words, range_words
from fastvbench.report.charts._chart import IntervalChart
from fastvbench.report.parts._overview import interval_series
from fastvbench.results._strata import UNKNOWN, Stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.report._view import ResultView

__all__ = ["position_charts", "stratum_charts"]

MOST_CATEGORIES = 40
_PLACES = ("first fifth", "second fifth", "middle fifth", "fourth fifth", "last fifth")
_LENGTH_EDGES_SECONDS = (60.0, 180.0, 600.0, 1800.0, 3600.0, 7200.0)
_LENGTHS = (
    "under 1 min",
    "1-3 min",
    "3-10 min",
    "10-30 min",
    "30-60 min",
    "1-2 h",
    "2 h or longer",
)


def stratum_charts(view: ResultView) -> Iterator[IntervalChart]:
    """A chart a stratum: the main rule set with intervals, the public scorer's beside it."""
    key, main, other = view.main_metric, view.main_rule, view.published_rule()
    strata = view.data["rules"][main]["strata"]
    for name, categories in strata.items():
        if list(categories) == [UNKNOWN]:
            continue
        shown = [category for category in categories if key in categories[category]]
        left_out = len(shown) - MOST_CATEGORIES
        shown = shown[:MOST_CATEGORIES]
        if not shown:
            continue
        series = [
            interval_series(
                rule,
                [
                    view.shown(entry[key], key)
                    if (entry := held.get(c, {})) and key in entry
                    else None
                    for c in shown
                ],
            )
            for rule in (main, other)
            if rule is not None and (held := view.data["rules"][rule]["strata"].get(name, {}))
        ]
        axis = view.axis(key)
        title = name.replace("_", " ")
        yield IntervalChart(
            f"By {title}",
            f"{axis.title} in {groups_words(len(shown))}, with 95 % intervals; dashed: all rows. "
            + range_words(shown, series[0].values, axis)
            + (f" {left_out} more groups are in the result file." if left_out > 0 else ""),
            title,
            shown,
            series,
            axis,
            reference=view.headline().value,
            reference_name="all rows",
        )


def position_charts(view: ResultView) -> Iterator[IntervalChart]:
    """The main metric against the video's length and the evidence's place, from the rows."""
    if view.rows is None or view.metric(view.main_metric).unit not in {"fraction", "iou"}:
        return
    gold = view.rows.gold
    lengths = gold.durations_seconds
    if not np.isnan(lengths).all() and "video_length" not in view.rows.strata:
        binned = Stratum.binned(lengths, _LENGTH_EDGES_SECONDS, _LENGTHS)
        yield from _binned(view, "length of the video", binned)
    begin, end = _evidence(view)
    middle = (begin + end) / 2
    if not np.isnan(middle / lengths).all():
        place = np.where(middle <= lengths, middle / lengths, np.nan)
        binned = Stratum.binned(place, (0.2, 0.4, 0.6, 0.8), _PLACES)
        yield from _binned(view, "place of the evidence in the video", binned)
    elif not np.isnan(middle).all():
        binned = Stratum.binned(middle, _LENGTH_EDGES_SECONDS, _LENGTHS)
        yield from _binned(view, "time of the evidence from the video's start", binned)


def _evidence(
    view: ResultView,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Begin and end of where the answer is to be found: as annotated, else the gold intervals."""
    assert view.rows is not None
    gold = view.rows.gold
    begin, end = gold.evidence_seconds[:, 0].copy(), gold.evidence_seconds[:, 1].copy()
    if gold.intervals is not None:
        for row, pairs in enumerate(gold.intervals.rows()):
            if pairs and np.isnan(begin[row]):
                begin[row] = min(start for start, _ in pairs)
                end[row] = max(stop for _, stop in pairs)
    return begin, end


def _binned(view: ResultView, title: str, stratum: Stratum) -> Iterator[IntervalChart]:
    assert view.rows is not None
    key, main = view.main_metric, view.main_rule
    column = view.rows.rules[main].scores[key]
    held: dict[str, Any] = view.summarized({key: column}, view.metric(key), {title: stratum})
    categories = held["strata"][title]
    shown = [category for category in categories if category != UNKNOWN]
    if not shown:
        return
    series = interval_series(main, [view.shown(categories[c][key], key) for c in shown])
    axis = view.axis(key)
    unknown = categories.get(UNKNOWN, {}).get(key, {}).get("n", 0)
    yield IntervalChart(
        f"Against the {title}",
        f"{axis.title} in {groups_words(len(shown))}, with 95 % intervals; dashed: all rows. "
        + range_words(shown, series.values, axis)
        + (f" Not known for {unknown:,} rows." if unknown else ""),
        title,
        shown,
        [series],
        axis,
        reference=view.headline().value,
        reference_name="all rows",
    )
