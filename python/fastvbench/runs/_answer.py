"""The loop of a run: questions go to the model in batches, rows to the file as they come."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.models import ModelLostError, Response
from fastvbench.models._saved_answers import SavedAnswers
from fastvbench.runs._shown import Shown, one_line, shown_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Generator as Generating

    from fastvbench.models import GenerationSettings, Generator, Request
    from fastvbench.runs._options import RunOptions
    from fastvbench.runs._plan import Plan
    from fastvbench.runs._responses import ResponsesFile
    from fastvbench.runs._running_score import RunningScore

__all__ = ["Progress", "Watcher", "answer"]

Pair = tuple[Shown, Response]

MOST_HELD_BYTES = 1 << 30  # of frames in one batch; a video that is larger is a batch of its own


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes:
        expected: questions of the run.
        before: those that an earlier process answered.
        answered: those that this one has answered.
        failed: those that it could not.
        videos: how often a video was opened to decode it.
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

    def count(self, row: dict[str, Any]) -> None:
        """One more row is written."""
        if row["error"] is None:
            self.answered += 1
        else:
            self.failed += 1

    def note_opened(self, videos: int) -> None:
        """So many decoders were opened so far."""
        self.videos = videos


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

    Ends early, and says why in `progress`, where the model is lost or fails too often in a row, or
    the disk takes no more.

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
    unknown = isinstance(generator, SavedAnswers) and options.frames != "0"
    failures = _Failures(options.most_failures)
    shown = shown_questions(plan, waiting, options, progress.note_opened)
    stream = getattr(generator, "stream", None)
    asking = (
        _by_batches(shown, generator, options)
        if stream is None
        else _by_stream(shown, stream, options)
    )
    try:
        with contextlib.closing(shown), contextlib.closing(asking) as answered:
            for pairs in answered:
                rows = [_row(*pair, shown_is_known=not unknown) for pair in pairs]
                try:
                    for row in rows:
                        responses.append(row)
                        progress.count(row)
                except OSError as error:
                    progress.stopped = f"the disk took no more: {one_line(error)}"
                    return
                failures.count(pairs)
                if progress.score is not None:
                    progress.score.add(rows)
                watch(progress)
                if failures.too_many:
                    progress.stopped = failures.describe()
                    return
    except ModelLostError as error:
        progress.stopped = str(error)


@dataclass(slots=True)
class _Failures:
    """Failures of the model itself, in a row; a video that cannot be read is none."""

    most: int
    in_a_row: int = 0
    last: str = ""

    def count(self, pairs: Iterable[Pair]) -> None:
        for shown, response in pairs:
            if response.error is None:
                self.in_a_row = 0
            elif shown.request is not None:
                self.in_a_row += 1
                self.last = response.error

    @property
    def too_many(self) -> bool:
        return self.in_a_row >= self.most

    def describe(self) -> str:
        return f"the model failed {self.in_a_row} times in a row, at last with: {self.last}"


def _not_put(shown: Shown) -> Response:
    return Response.failed(shown.question.task.id, shown.error or "not put to the model")


# ---- models that take a batch at a time ----------------------------------------------------------


def _by_batches(
    shown: Iterable[Shown], generator: Generator, options: RunOptions
) -> Generating[list[Pair], None, None]:
    for batch in _batches(shown, options.batch_size or generator.batch_size):
        requests = [each.request for each in batch if each.request is not None]
        answered = _generated(generator, requests, options) if requests else []
        by_id = {response.id: response for response in answered}
        yield [
            (each, _not_put(each) if each.request is None else by_id[each.request.id])
            for each in batch
        ]


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


# ---- servers, which take requests as there is room -----------------------------------------------


def _by_stream(
    shown: Iterable[Shown],
    stream: Callable[[Iterable[Request], GenerationSettings], Iterator[Response]],
    options: RunOptions,
) -> Generating[list[Pair], None, None]:
    """Each answer as soon as it is there; frames are made as requests are taken."""
    under_way: dict[str, Shown] = {}
    not_put: list[Shown] = []

    def requests() -> Iterator[Request]:
        for each in shown:
            if each.request is None:
                not_put.append(each)
                continue
            under_way[each.request.id] = each
            yield each.request

    for response in stream(requests(), options.settings):
        yield [(under_way.pop(response.id), response)]
        while not_put:
            each = not_put.pop()
            yield [(each, _not_put(each))]
    yield from ([(each, _not_put(each))] for each in not_put)


def _row(shown: Shown, response: Response, *, shown_is_known: bool) -> dict[str, Any]:
    """One line of responses.jsonl; what a saved answer's model was shown is not known here."""
    frames, images = 0 if shown.frames is None else len(shown.frames["indices"]), 0
    if shown.request is not None:
        images = len(shown.request.images)
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
        "frame_count": frames if shown_is_known else None,
        "video_frames": shown.frames,
        "images": images if shown_is_known else None,
        "latency_seconds": round(response.latency_seconds, 6),
    }
