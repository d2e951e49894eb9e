"""Sweeps: how a score, its tokens and its seconds move with what was varied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastvbench.core import InputError
from fastvbench.report._costs import Prices, costs_of
from fastvbench.report.charts._chart import Axis, Line, LineChart
from fastvbench.results._model_names import model_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastvbench.report._sources import ReportSource
    from fastvbench.report._view import ResultView

__all__ = ["sweep_charts"]

FRAMES = "frames"


def _varied(source: ReportSource, data: dict[str, Any], key: str) -> float:
    """The value of what was varied: frames a question, or a number that the run records.

    Raises:
        InputError: the run records no such number.
    """
    costs = costs_of(data, "", Prices())
    if key == FRAMES and costs is not None and costs.frames is not None:
        return costs.frames
    held: Any = data.get("run", {})
    for part in key.split("."):
        held = held.get(part) if isinstance(held, dict) else None
    if isinstance(held, bool) or not isinstance(held, int | float):
        raise InputError(
            "its run records no such number",
            path=source.path,
            field=key,
            value=held,
            expected=f"{FRAMES}, or the dotted name of a number in its run",
        )
    return float(held)


def sweep_charts(held: Sequence[tuple[ReportSource, ResultView]], key: str) -> Iterator[LineChart]:
    """Score with its interval, tokens and seconds against what was varied: a line a model.

    Raises:
        InputError: a result whose run does not record what was varied.
    """
    groups: dict[tuple[str, str], list[tuple[float, str, ResultView]]] = {}
    for source, view in held:
        x = _varied(source, view.data, key)
        model = model_of(source.path, view.data)
        groups.setdefault((view.title, view.main_metric), []).append((x, model, view))
    words = f"mean {key} a question" if key == FRAMES else key
    for (title, metric_key), points in groups.items():
        points.sort(key=lambda point: point[0])
        models = list(dict.fromkeys(model for _, model, _ in points))
        axis = points[0][2].axis(metric_key)
        x_axis = Axis(words, decimals=0)
        lines, said = [], []
        for model in models:
            own = [(x, view.headline()) for x, name, view in points if name == model]
            known = [(x, shown) for x, shown in own if shown.value is not None]
            if not known:
                continue
            whole = all(shown.low is not None and shown.high is not None for _, shown in known)
            lines.append(
                Line(
                    model,
                    [x for x, _ in known],
                    [shown.value or 0.0 for _, shown in known],
                    [shown.low or 0.0 for _, shown in known] if whole else [],
                    [shown.high or 0.0 for _, shown in known] if whole else [],
                )
            )
            best = max(known, key=lambda point: point[1].value or 0.0)
            said.append(
                f"{model}: from {axis.shown(known[0][1].value)} at {known[0][0]:,.0f} to "
                f"{axis.shown(known[-1][1].value)} at {known[-1][0]:,.0f}, best at {best[0]:,.0f}"
            )
        yield LineChart(
            f"{title} against {key}",
            f"{axis.title} with 95 % intervals against {words}. {'; '.join(said)}.",
            lines,
            x_axis,
            axis,
        )
        yield from _cost_charts(title, key, points, models, x_axis)


def _cost_charts(
    title: str,
    key: str,
    points: list[tuple[float, str, ResultView]],
    models: list[str],
    x_axis: Axis,
) -> Iterator[LineChart]:
    measures = (
        ("prompt_tokens", "tokens of the prompt", 0),
        ("seconds", "seconds a question", 2),
    )
    for name, words, decimals in measures:
        lines = []
        for model in models:
            known = [
                (x, float(value))
                for x, held, view in points
                if held == model
                and (costs := costs_of(view.data, model, Prices())) is not None
                and (value := getattr(costs, name)) is not None
            ]
            if known:
                lines.append(Line(model, [x for x, _ in known], [y for _, y in known]))
        if lines:
            y_axis = Axis(words, low=0, decimals=decimals)
            ends = [
                f"{line.name}: {y_axis.shown(line.y[0])} to {y_axis.shown(line.y[-1])}"
                for line in lines
            ]
            yield LineChart(
                f"{title}: {words} against {key}",
                f"Mean {words}, from the smallest to the largest. {'; '.join(ends)}.",
                lines,
                x_axis,
                y_axis,
            )
