"""How far a run is, on standard error: a bar on a terminal, rare lines in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.cli._progress import LiveLine

if TYPE_CHECKING:
    from fastvbench.runs._answer import Progress

__all__ = ["RunProgress", "length_text"]

_CELLS = 20


def length_text(seconds: float) -> str:
    """A length of time as people say it: ``42 s``, ``7 min``, ``3 h 05 min``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


class RunProgress(LiveLine):
    """A run's watcher.

    Args:
        what: the run's name in front of the bar.
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def __call__(self, progress: Progress) -> None:
        """Say how far it is, where it is time to."""
        if self.is_due():
            self.show(self.text(progress))

    def text(self, progress: Progress) -> str:
        """The line: bar, counts, rate, time left, failures and the score so far."""
        share = progress.done / max(progress.expected, 1)
        full = int(share * _CELLS)
        bar = "#" * full + "." * (_CELLS - full)
        parts = [f"{self._what} [{bar}] {progress.done:,} of {progress.expected:,}"]
        now = progress.answered + progress.failed
        rate = now / self.seconds
        if now:
            left = (progress.expected - progress.done) / rate
            parts += [f"{rate:.3g} a second", f"{length_text(left)} left"]
        if progress.failed:
            parts.append(f"{progress.failed:,} failed")
        score = progress.score
        if score is not None and score.value is not None:
            parts.append(f"{score.metric.title} {score.metric.shown(score.value)} so far")
        return ", ".join(parts)
