"""The loop of a run: questions go to the model in batches, rows to the file as they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.models import Response
from fastvbench.models._saved_answers import SavedAnswers
from fastvbench.runs._shown import Shown, one_line, shown_questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastvbench.models import Generator, Request
    from fastvbench.runs._options import RunOptions
    from fastvbench.runs._plan import Plan
    from fastvbench.runs._responses import ResponsesFile
    from fastvbench.runs._running_score import RunningScore

__all__ = ["Progress", "Watcher", "answer"]

MOST_HELD_BYTES = 1 << 30  # of frames in one batch; a video that is larger is a batch of its own


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes:
        expected: questions of the run.
        before: those that an earlier process answered.
        answered: those that this one has answered.
        failed: those that it could not.
        videos: videos (or clips) whose frames it has decoded.
        score: the running score.
        stopped: why the run ended early, None where it did not.
        interrupted: whether the user ended it.
    """

    expected: int
    before: int = 0
    answered: int = 0
    failed: int = 0
    videos: int = 0
    score: RunningScore | None = None
    stopped: str | None = None
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Questions that are dealt with."""
        return self.before + self.answered + self.failed


class Watcher(Protocol):
    """Told how far a run is, after every batch."""

    def __call__(self, progress: Progress) -> None:
        """Show it."""


def answer(
    plan: Plan,
    options: RunOptions,
    generator: Generator,
    responses: ResponsesFile,
    *,
    progress: Progress,
    watch: Watcher,
) -> None:
    """Ask every question that has no answer yet, and write a row for each.

    Ends early, and says why in `progress`, where the model fails too often in a row or the disk
    takes no more.

    Args:
        plan: what is asked.
        options: how.
        generator: the model.
        responses: where rows go.
        progress: what is kept up to date.
        watch: is told after every batch.

    Raises:
        KeyboardInterrupt: the user ended it; every finished row is in the file.
    """
    waiting = [q for q in plan.questions if q.task.id not in responses.finished]
    if isinstance(generator, SavedAnswers):  # a row that is not in the file is missing, as in score
        waiting = [q for q in waiting if generator.holds(q.task.id)]
    size = options.batch_size or generator.batch_size
    failures = _Failures(options.most_failures)
    counted = _CountedVideos(progress)
    for batch in _batches(counted.of(shown_questions(plan, waiting, options)), size):
        rows = _rows(batch, generator, options, failures)
        for row in rows:
            try:
                responses.append(row)
            except OSError as error:
                progress.stopped = f"the disk took no more: {one_line(error)}"
                return
            if row["error"] is None:
                progress.answered += 1
            else:
                progress.failed += 1
        if progress.score is not None:
            progress.score.add(rows)
        watch(progress)
        if failures.too_many:
            progress.stopped = (
                f"the model failed {failures.in_a_row} times in a row, at last with: "
                f"{failures.last}"
            )
            return


@dataclass(slots=True)
class _CountedVideos:
    """Counts decoded videos by the frames that come by: those of one video are one object."""

    progress: Progress
    last: object = None

    def of(self, shown: Iterable[Shown]) -> Iterator[Shown]:
        for each in shown:
            if each.frames is not None and each.frames is not self.last:
                self.progress.videos += 1
                self.last = each.frames
            yield each


@dataclass(slots=True)
class _Failures:
    """Failures of the model itself, in a row; a video that cannot be read is none."""

    most: int
    in_a_row: int = 0
    last: str = ""

    def count(self, response: Response) -> None:
        if response.error is None:
            self.in_a_row = 0
        else:
            self.in_a_row += 1
            self.last = response.error

    @property
    def too_many(self) -> bool:
        return self.in_a_row >= self.most


def _batches(shown: Iterable[Shown], size: int) -> Iterator[list[Shown]]:
    """Questions in batches, in which the frames of different videos do not take too much."""
    batch: list[Shown] = []
    held, frames = 0, None
    for each in shown:
        more = 0 if each.frames is frames else each.held_bytes
        if batch and (len(batch) == size or held + more > MOST_HELD_BYTES):
            yield batch
            batch, held, more = [], 0, each.held_bytes
        batch.append(each)
        held, frames = held + more, each.frames
    if batch:
        yield batch


def _rows(
    batch: Sequence[Shown], generator: Generator, options: RunOptions, failures: _Failures
) -> list[dict[str, Any]]:
    requests = [shown.request for shown in batch if shown.request is not None]
    answered = {}
    if requests:
        for response in _generated(generator, requests, options):
            failures.count(response)
            answered[response.id] = response
    return [
        _row(
            shown,
            Response.failed(shown.question.task.id, shown.error or "not put to the model")
            if shown.request is None
            else answered[shown.request.id],
        )
        for shown in batch
    ]


def _generated(
    generator: Generator, requests: list[Request], options: RunOptions
) -> list[Response]:
    """Responses of a batch; where the batch fails as a whole, of each request on its own."""
    try:
        responses = generator.generate(requests, options.settings)
    except MissingExtraError:
        raise
    except (RuntimeError, OSError, ValueError, MemoryError) as error:
        if len(requests) == 1:
            return [Response.failed(requests[0].id, one_line(error))]
        return [
            response
            for request in requests
            for response in _generated(generator, [request], options)
        ]
    if [response.id for response in responses] != [request.id for request in requests]:
        raise InputError(
            "the generator's responses are not those of its requests",
            field="id",
            value=[response.id for response in responses][:3],
            expected=", ".join(request.id for request in requests[:3]),
        )
    return responses


def _row(shown: Shown, response: Response) -> dict[str, Any]:
    """One line of responses.jsonl."""
    return {
        "id": response.id,
        "text": response.text if response.error is None else None,
        "error": response.error,
        "finish_reason": response.finish_reason,
        "prompt_tokens": response.prompt_tokens,
        "visual_tokens": response.visual_tokens,
        "completion_tokens": response.completion_tokens,
        "attempts": response.attempts,
        "video": shown.question.task.video,
        "prompt": shown.prompt,
        "frame_count": 0 if shown.frames is None else len(shown.frames["indices"]),
        "video_frames": shown.frames,
        "images": 0 if shown.request is None else len(shown.request.images),
        "latency_seconds": round(response.latency_seconds, 6),
    }
