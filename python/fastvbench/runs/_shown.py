"""What a model is shown with each question: frames, images, or why there are none."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError, MissingExtraError
from fastvbench.models import Frames, Request
from fastvbench.runs._scale import ScaledDown

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from fastvbench.runs._options import RunOptions
    from fastvbench.runs._plan import Plan, Question
    from fastvbench.video import DecodedFrames, FailedVideo, FramePipeline

__all__ = ["Shown", "shown_questions"]

FrameKey = tuple[str, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Shown:
    """A question with its request, or with the reason why it cannot be put.

    Attributes:
        question: what is asked.
        prompt: the whole text; None where subtitles could not be read.
        request: what the model gets; None beside an error.
        error: why there is no request, one line.
        frames: what the record says of the frames; None where none are shown.
        held_bytes: memory that its frames take; they are shared by a video's questions.
    """

    question: Question
    prompt: str | None = None
    request: Request | None = None
    error: str | None = None
    frames: dict[str, Any] | None = None
    held_bytes: int = 0


def shown_questions(
    plan: Plan,
    questions: Sequence[Question],
    options: RunOptions,
    note_opened: Callable[[int], None],
) -> Generator[Shown, None, None]:
    """Questions with what is shown, in their order; each video is decoded once for all of its own.

    A video or an image that cannot be read is the error of its questions.

    Args:
        plan: the run.
        questions: those that are still to be asked.
        options: how frames are made.
        note_opened: is told how many videos were opened so far.

    Raises:
        MissingExtraError: nothing is installed that decodes videos or images.
    """
    if not plan.shows_media:
        yield from (_asked(plan, question, None) for question in questions)
    elif plan.policy is None:
        yield from (_of_image(plan, question) for question in questions)
    else:
        yield from _of_videos(plan, questions, options, note_opened)


def _asked(
    plan: Plan,
    question: Question,
    frames: Frames | None,
    *,
    images: Sequence[Any] = (),
    record: dict[str, Any] | None = None,
) -> Shown:
    try:
        prompt = question.prompt()
        reference = question.media.reference_image
        if reference is not None:
            images = (*images, _opened(reference))
    except (InputError, OSError) as error:
        return Shown(question, error=one_line(error))
    path = question.media.path
    request = Request(
        id=question.task.id,
        prompt=prompt,
        frames=frames,
        images=images,
        answer_prefix=plan.prompt.answer_prefix,
        video_path=None if path is None or frames is None else str(path),
    )
    held = 0 if frames is None else _bytes_of(frames.pixels)
    return Shown(question, prompt, request, frames=record, held_bytes=held)


def one_line(error: BaseException) -> str:
    """What went wrong, with the kind of error where its text does not say."""
    text = " ".join(str(error).split())
    return text if isinstance(error, InputError) and text else f"{type(error).__name__}: {text}"


def _bytes_of(pixels: Any) -> int:
    size = 1
    for length in pixels.shape:
        size *= int(length)
    return size


# ---- images -------------------------------------------------------------------------------------


def _of_image(plan: Plan, question: Question) -> Shown:
    path = question.media.path
    if path is None:
        return Shown(question, error=_missing(question))
    try:
        image = _opened(path)
    except (InputError, OSError) as error:
        return Shown(question, error=one_line(error))
    return _asked(plan, question, None, images=(image,))


@lru_cache(maxsize=8)
def _opened(path: Path) -> Any:
    """An image in RGB; the last few are kept, for several questions are about one.

    Raises:
        InputError: it cannot be read.
        MissingExtraError: Pillow is not installed.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("showing images to a model", "models") from None
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(
            f"not an image that can be read ({one_line(error)})", path=path.name
        ) from None


def _missing(question: Question) -> str:
    return f"no file in the media folder for {question.task.media_names[0]}"


# ---- videos -------------------------------------------------------------------------------------


def _key(question: Question) -> FrameKey:
    task = question.task
    return str(question.media.path), task.begin_seconds, task.end_seconds


def _of_videos(
    plan: Plan,
    questions: Sequence[Question],
    options: RunOptions,
    note_opened: Callable[[int], None],
) -> Iterator[Shown]:
    from fastvbench.video import FailedVideo, FramePipeline, FrameRequest  # noqa: PLC0415

    assert plan.policy is not None
    groups = [list(group) for _, group in itertools.groupby(questions, key=_key)]
    requests = [
        FrameRequest(
            key=str(number),
            path=group[0].media.path,
            policy=plan.policy,
            begin_seconds=group[0].task.begin_seconds,
            end_seconds=group[0].task.end_seconds,
        )
        for number, group in enumerate(groups)
        if group[0].media.path is not None
    ]
    pipeline = FramePipeline(
        requests,
        workers=options.decode_workers,
        transform=ScaledDown(options.frame_pixels),
        cache=options.index_cache,
        time_limit_seconds=options.time_limit_seconds,
    )
    with contextlib.closing(_results(pipeline)) as decoded:
        for group in groups:
            if group[0].media.path is None:
                yield from (Shown(question, error=_missing(question)) for question in group)
                continue
            item = next(decoded)
            note_opened(pipeline.counts.videos_opened)
            if isinstance(item, FailedVideo):
                reason = f"video {group[0].task.video}: {one_line(item.error)}"
                yield from (Shown(question, error=reason) for question in group)
                continue
            frames = Frames(
                pixels=item.frames,
                seconds=item.seconds,
                indices=item.indices,
                source_rate=item.source_rate,
                duration_seconds=item.duration_seconds,
            )
            record = _record(item)
            for question in group:
                yield _asked(plan, question, frames, record=record)
            del item, frames  # before the next video is asked for


def _results(pipeline: FramePipeline) -> Generator[DecodedFrames | FailedVideo, None, None]:
    """The pipeline's results; closing this stops its threads."""
    yield from pipeline


def _record(item: DecodedFrames) -> dict[str, Any]:
    """What a row says of its frames: which, when, and by what they were decoded."""
    return {
        "indices": item.indices.tolist(),
        "seconds": [round(second, 6) for second in item.seconds.tolist()],
        "height": int(item.frames.shape[2]),
        "width": int(item.frames.shape[3]),
        "source_rate": item.source_rate,
        "duration_seconds": item.duration_seconds,
        "backend": f"{item.backend.name} {item.backend.version}",
    }
