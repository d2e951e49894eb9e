"""Carry a benchmark through a model: resumable, recorded, scored at the end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.models import GenerationSettings, load_generator
from fastvbench.runs._answer import Progress, Watcher, answer
from fastvbench.runs._environment import environment, git_state, hardware
from fastvbench.runs._finish import score_folder
from fastvbench.runs._folder import RunFolder, now
from fastvbench.runs._guard import diagnostic
from fastvbench.runs._options import FRAME_PIXELS, RunOptions, parse_shard
from fastvbench.runs._plan import answer_protocol, make_plan
from fastvbench.runs._responses import SYNC_SECONDS, ResponsesFile, read_rows
from fastvbench.runs._running_score import RunningScore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.models import Generator
    from fastvbench.protocols import Protocol
    from fastvbench.results import Result
    from fastvbench.runs._guard import Deviation
    from fastvbench.runs._plan import Plan

__all__ = ["Outcome", "carry_out", "run"]


_AT_ONCE = {"hf": "batch_size", "openai": "concurrency"}  # each kind's word for it


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        folder: the run folder.
        result: the score; None where nothing was answered.
        progress: how far it came.
        deviations: where it departs from what is published.
    """

    folder: Path
    result: Result | None
    progress: Progress
    deviations: list[Deviation]

    @property
    def complete(self) -> bool:
        """Whether every question has an answer."""
        return self.result is not None and bool(self.result.data["run"]["complete"])


def _unwatched(progress: Progress) -> None:
    del progress


def carry_out(options: RunOptions, watch: Watcher = _unwatched) -> Outcome:
    """Do a run, or the rest of one, and score what is there at the end.

    Ctrl-C ends it as anything else does: the rows that are finished are scored, and the outcome
    says that it was interrupted.

    Args:
        options: the run.
        watch: is told how far it is, first before any question is asked.

    Raises:
        InputError: something cannot be used, or the folder holds another run.
        MissingExtraError: an optional part is not installed.
    """
    answer_protocol(options.protocol)
    with _generator(options) as generator:
        plan = make_plan(options, generator)
        with RunFolder(options.out) as folder:
            return _in_folder(options, plan, generator, folder, watch)


@contextlib.contextmanager
def _generator(options: RunOptions) -> Iterator[Generator]:
    """The model; closed at the end where it was made here."""
    if not isinstance(options.model, str):
        yield options.model
        return
    given = dict(options.model_options)
    kind = options.model.partition(":")[0]
    if options.batch_size is not None and kind in _AT_ONCE:
        given.setdefault(_AT_ONCE[kind], options.batch_size)
    with load_generator(options.model, **given) as made:
        yield made


def _in_folder(
    options: RunOptions, plan: Plan, generator: Generator, folder: RunFolder, watch: Watcher
) -> Outcome:
    folder.begin(
        plan,
        {
            "protocol_deviations": diagnostic(plan.found, len(plan.gold)),
            "prompt": {
                "source": plan.prompt.source,
                "templates": plan.prompt.templates,
                "answer_prefix": plan.prompt.answer_prefix,
            },
            "published_most_visual_tokens": plan.published_most_visual_tokens,
            "rules": [rule.name for rule in plan.rules],
            "sync_seconds": SYNC_SECONDS,
        },
        resume=options.resume,
    )
    progress = Progress(len(plan.questions), score=RunningScore(plan.rules[0], plan.gold))
    responses = ResponsesFile(folder.responses)
    try:
        progress.before = len(responses.finished)
        if progress.before and progress.score is not None:
            for row, _ in read_rows(folder.responses):
                progress.score.add([row])
        session = folder.open_session(_session(options, generator, responses))
        watch(progress)
        try:
            answer(plan, options, generator, responses, progress=progress, watch=watch)
        except KeyboardInterrupt:
            progress.interrupted = True
    finally:
        with contextlib.suppress(OSError):  # of a full disk: what it refused was reported already
            responses.close()
    result = None
    try:
        session |= _ended(progress) | {"model": dict(generator.describe()), "hardware": hardware()}
        folder.write()
        result = score_folder(
            folder,
            plan.protocol,
            options.annotations,
            plan.ids,
            rules=[rule.name for rule in plan.rules],
            durations=options.durations,
            seed=options.seed,
        )
    except OSError as error:
        if progress.stopped is None:
            progress.stopped = f"the disk took no more: {error}"
    return Outcome(options.out, result, progress, plan.found)


def _session(options: RunOptions, generator: Generator, responses: ResponsesFile) -> dict[str, Any]:
    return {
        "model": dict(generator.describe()),
        "environment": environment(),
        "git": git_state(Path.cwd()),
        "seed": options.settings.seed,
        "batch_size": options.batch_size or generator.batch_size,
        "before": len(responses.finished),
        "retried": responses.retried,
        "torn_bytes_cut": responses.cut_bytes,
    }


def _ended(progress: Progress) -> dict[str, Any]:
    return {
        "ended": now(),
        "answered": progress.answered,
        "failed": progress.failed,
        "videos_decoded": progress.videos,
        "stopped": "interrupted" if progress.interrupted else progress.stopped,
    }


def run(
    protocol: str | Protocol,
    model: str | Generator,
    media: str | os.PathLike[str] | None,
    annotations: Any,
    out: str | os.PathLike[str],
    *,
    frames: str | None = None,
    prompt: str | None = None,
    prompt_text: str | None = None,
    rules: str | Sequence[str] | None = None,
    subtitles: str | os.PathLike[str] | None = None,
    settings: GenerationSettings | None = None,
    model_options: Mapping[str, Any] | None = None,
    batch_size: int | None = None,
    limit: int | None = None,
    shard: str | None = None,
    resume: bool = False,
    allow_missing_media: bool = False,
    most_failures: int = 20,
    frame_pixels: int = FRAME_PIXELS,
    decode_workers: int = 2,
    time_limit_seconds: float | None = None,
    index_cache: str | os.PathLike[str] | None = None,
    durations: str | os.PathLike[str] | None = None,
    seed: int = 0,
    watch: Watcher | None = None,
) -> Result:
    r"""Put every question of a benchmark to a model, and score the answers.

    Everything is kept in the folder `out`: run.json says what was done, responses.jsonl what the
    model said, result.json how it scored. A run that ended early goes on with ``resume=True``.

    Args:
        protocol: the benchmark, or its name.
        model: a specification (``hf:...``, ``openai:URL#model``, ``answers:FILE``) or a generator.
        media: folder of the videos or images; None where none is shown.
        annotations: path or rows.
        out: the run folder.
        frames: frame policy (``1fps``, ``uniform:32``, ``0`` for none); None takes the published
            one of the prompt's stack.
        prompt: whose published prompt is asked with; None goes by `rules`, else the first.
        prompt_text: a template of your own in its place.
        rules: rule sets to score by, the first being the main one.
        subtitles: folder of subtitle files, which are then shown.
        settings: how text is generated; greedy where None.
        model_options: options of the generator.
        batch_size: rows that are handed to the model at once.
        limit: only so many questions, from the first.
        shard: ``I/N``: only the videos of one part.
        resume: go on with a run that is there.
        allow_missing_media: questions without their file become failed rows.
        most_failures: failures of the model in a row after which the run stops.
        frame_pixels: most pixels of a frame; larger ones are scaled down.
        decode_workers: videos decoded at once.
        time_limit_seconds: of each step of decoding a video.
        index_cache: folder that keeps frame indexes, so that a video is scanned once for all runs.
        durations: file with video lengths, for annotations that have none.
        seed: of the result's intervals.
        watch: is told how far the run is, after every batch.

    Returns:
        The Result; ``result.data["run"]`` says whether it is complete, and what is missing.

    Raises:
        InputError: something cannot be used, or nothing could be answered.
        MissingExtraError: an optional part is not installed.
        KeyboardInterrupt: the user ended it; what is finished is kept and scored.

    Example:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "said.json").write_text(json.dumps({"1": "The answer is B."}))
        >>> gold = [{"uid": "1", "key": "v", "question": "Q?\n(A) x\n(B) y", "answer": "B"}]
        >>> result = run("lvbench", f"answers:{folder}/said.json", None, gold, folder / "run")
        >>> result.value("accuracy"), result.data["run"]["complete"]
        (1.0, True)
    """
    options = RunOptions(
        protocol=protocol,
        model=model,
        media=None if media is None else Path(media),
        annotations=annotations,
        out=Path(out),
        frames=frames,
        prompt=prompt,
        prompt_text=prompt_text,
        rules=rules,
        subtitles=None if subtitles is None else Path(subtitles),
        settings=settings or GenerationSettings(),
        model_options=model_options or {},
        batch_size=batch_size,
        limit=limit,
        shard=None if shard is None else parse_shard(shard),
        resume=resume,
        allow_missing_media=allow_missing_media,
        most_failures=most_failures,
        frame_pixels=frame_pixels,
        decode_workers=decode_workers,
        time_limit_seconds=time_limit_seconds,
        index_cache=None if index_cache is None else Path(index_cache),
        durations=None if durations is None else Path(durations),
        seed=seed,
    )
    outcome = carry_out(options, watch or _unwatched)
    if outcome.progress.interrupted:
        raise KeyboardInterrupt
    if outcome.result is None:
        raise InputError(
            f"nothing was answered ({outcome.progress.stopped or 'no question is in this part'})",
            path=outcome.folder,
        )
    return outcome.result
