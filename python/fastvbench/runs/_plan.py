"""From what a caller asks to what is done: questions, their files, and what identifies a run."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from fastvbench.core._errors import InputError
from fastvbench.formats import file_sha256
from fastvbench.models._saved_answers import SavedAnswers
from fastvbench.protocols import get_protocol
from fastvbench.protocols._protocol import AnswerProtocol, Protocol, ScoreOptions, chosen_rules
from fastvbench.protocols._report_parts import protocol_entry
from fastvbench.protocols._score_answers import refuse_repeated_ids
from fastvbench.protocols._tasks import PromptChoice, Task, choose_prompt, fill, tasks_of
from fastvbench.runs._guard import Deviation, deviations
from fastvbench.runs._media import (
    IMAGE_ENDINGS,
    SUBTITLE_ENDINGS,
    VIDEO_ENDINGS,
    MediaFolder,
    TaskMedia,
    locate,
)
from fastvbench.runs._subtitles import read_subtitles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.models import Generator
    from fastvbench.protocols._gold import Gold
    from fastvbench.protocols._rule import Rule
    from fastvbench.runs._options import RunOptions
    from fastvbench.video import FramePolicy

__all__ = ["Plan", "Question", "annotations_entry", "answer_protocol", "make_plan"]

DEFAULT_POLICY = "fps:1,max=180"
MODEL_IDENTITY = (
    *("kind", "revision", "fingerprint", "sha256", "dtype", "frames_as", "time_markers"),
    *("jpeg_quality", "body", "template_sha256", "processor_options", "template_options"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A task with its files found."""

    task: Task
    media: TaskMedia
    subtitles: Path | None = None

    def prompt(self) -> str:
        """The whole text, subtitles filled in.

        Raises:
            InputError: unreadable subtitles.
        """
        if self.subtitles is None:
            return self.task.prompt
        return fill(self.task.prompt, {"subtitles": read_subtitles(self.subtitles)})


@dataclass(slots=True, kw_only=True)
class Plan:
    """Everything that is known before the first answer.

    Attributes:
        protocol: the benchmark.
        rules: rule sets to score by, the main one first.
        gold: its annotations.
        prompt: what is asked with.
        policy: frames of a video; None where the benchmark is about images.
        questions: those of this run, the questions of a video together.
        shows_media: whether videos or images are opened.
        setting: the benchmark's input setting, None where it has one way only.
        found: deviations from what is published.
        identity: what has to be the same for a run to go on, or for shards to be merged.
        selection: which of the annotated questions are asked.
    """

    protocol: AnswerProtocol
    rules: tuple[Rule, ...]
    gold: Gold
    prompt: PromptChoice
    policy: FramePolicy | None
    questions: list[Question]
    shows_media: bool
    setting: str | None
    found: list[Deviation]
    identity: dict[str, Any]
    selection: dict[str, Any]
    _ids: list[str] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        """Ids of the questions, in the order of the annotations."""
        if not self._ids:
            rows = sorted(question.task.row for question in self.questions)
            self._ids = [self.gold.ids[row] for row in rows]
        return self._ids

    @property
    def published_most_visual_tokens(self) -> int | None:
        """The prompt's stack's cap on visual tokens, where it has one."""
        assert self.protocol.tasks is not None
        published = self.protocol.tasks.published.get(self.prompt.source)
        return None if published is None else published.most_visual_tokens


def answer_protocol(protocol: str | Protocol) -> AnswerProtocol:
    """The protocol, which must be one of questions.

    Raises:
        InputError: a suite, or a benchmark of rankings.
    """
    declared = get_protocol(protocol) if isinstance(protocol, str) else protocol
    if isinstance(declared, AnswerProtocol) and declared.tasks is not None:
        return declared
    raise InputError(
        "is no benchmark of questions, so no model can be run through it",
        field="protocol",
        value=declared.name,
        expected="one benchmark; for retrieval, fastvbench embed and fastvbench retrieve",
    )


def make_plan(options: RunOptions, generator: Generator) -> Plan:
    """Read the annotations, choose prompt and frames, and find every file.

    Raises:
        InputError: anything that cannot be used, in one line; missing files are named.
    """
    protocol = answer_protocol(options.protocol)
    assert protocol.tasks is not None
    rules = chosen_rules(protocol.rules, options.rules, protocol.name)
    gold = protocol.read_annotations(options.annotations, ScoreOptions(durations=options.durations))
    refuse_repeated_ids(gold, options.annotations)
    prompt = choose_prompt(
        protocol,
        source=options.prompt,
        rule=None if options.rules is None else rules[0].name,
        subtitles=options.subtitles is not None,
        text=options.prompt_text,
    )
    policy = _policy(options, protocol, prompt)
    rows = _rows(options, gold)
    tasks = _by_video(list(tasks_of(protocol, gold, prompt, rows)))
    shows_media = _shows_media(options, policy, generator)
    questions = _questions(options, protocol, tasks, shows_media=shows_media)
    plan = Plan(
        protocol=protocol,
        rules=rules,
        gold=gold,
        prompt=prompt,
        policy=policy,
        questions=questions,
        shows_media=shows_media,
        setting=_setting(options, protocol),
        found=deviations(
            protocol, gold, prompt, policy, options.settings, frame_pixels=options.frame_pixels
        ),
        identity={},
        selection={},
    )
    plan.identity = _identity(options, plan, generator)
    plan.selection = {
        "annotated": len(gold),
        "questions": len(questions),
        "videos": len({question.task.video for question in questions}),
        "limit": options.limit,
        "shard": None if options.shard is None else str(options.shard),
        "ids_sha256": _hash(plan.ids),
    }
    return plan


def _policy(
    options: RunOptions, protocol: AnswerProtocol, prompt: PromptChoice
) -> FramePolicy | None:
    """The frame policy: asked for, else the usual one of the prompt's stack."""
    assert protocol.tasks is not None
    if protocol.tasks.medium == "image":
        if options.frames not in (None, "0"):
            raise InputError(
                f"{protocol.name} is about images, which have no frames",
                field="frames",
                value=options.frames,
                expected="none, or 0 to show no image",
            )
        return None
    from fastvbench.video import parse_policy  # noqa: PLC0415 - its room loads on use

    published = protocol.tasks.published.get(prompt.source)
    usual = DEFAULT_POLICY
    if published is not None and published.frame_policies:
        usual = published.frame_policies[0]
    return parse_policy(usual if options.frames is None else options.frames)


def _rows(options: RunOptions, gold: Gold) -> list[int]:
    """Places of the questions that are asked, in the order of the annotations."""
    count = len(gold) if options.limit is None else min(options.limit, len(gold))
    rows = [
        row
        for row in range(count)
        if options.shard is None or options.shard.holds(gold.videos[row])
    ]
    if count == 0:
        raise InputError("asks no question", field="limit", value=options.limit, expected="from 1")
    return rows


def _by_video(tasks: Sequence[Task]) -> list[Task]:
    """Tasks with those of one video, and of one clip of it, side by side."""
    first: dict[str, int] = {}
    for task in tasks:
        first.setdefault(task.video, task.row)
    return sorted(
        tasks,
        key=lambda task: (first[task.video], task.begin_seconds or 0.0, task.end_seconds or 0.0),
    )


def _questions(
    options: RunOptions, protocol: AnswerProtocol, tasks: list[Task], *, shows_media: bool
) -> list[Question]:
    """Tasks with their files.

    Raises:
        InputError: files are missing.
    """
    assert protocol.tasks is not None
    subtitles = _subtitles(options, tasks)
    if not shows_media:
        return [Question(task, TaskMedia(None), subtitles.get(task.video)) for task in tasks]
    if options.media is None:
        raise InputError(
            f"{protocol.name} is about {protocol.tasks.medium}s, and no folder of them is given",
            field="media",
            expected="--media DIR, or --blind",
        )
    endings = IMAGE_ENDINGS if protocol.tasks.medium == "image" else VIDEO_ENDINGS
    images = MediaFolder(options.media, IMAGE_ENDINGS)
    located, missing = locate(tasks, MediaFolder(options.media, endings), images)
    if missing.count_of_name and not options.allow_missing_media:
        raise InputError(
            missing.describe(),
            path=options.media,
            expected="every file, or --allow-missing-media to count their questions as failed",
        )
    return [
        Question(task, media, subtitles.get(task.video))
        for task, media in zip(tasks, located, strict=True)
    ]


def _shows_media(options: RunOptions, policy: FramePolicy | None, generator: Generator) -> bool:
    """Not for saved answers, and not where the caller wants none."""
    if isinstance(generator, SavedAnswers):
        return False
    return options.frames != "0" if policy is None else policy.name != "0"


def _subtitles(options: RunOptions, tasks: list[Task]) -> dict[str, Path]:
    """The subtitle file of each video.

    Raises:
        InputError: a video has none.
    """
    if options.subtitles is None:
        return {}
    folder = MediaFolder(options.subtitles, SUBTITLE_ENDINGS)
    found: dict[str, Path] = {}
    absent: dict[str, None] = {}
    for task in tasks:
        if task.video in found or task.video in absent:
            continue
        path = folder.find(task.media_names)
        if path is None:
            absent[task.video] = None
        else:
            found[task.video] = path
    if absent:
        raise InputError(
            f"{len(absent):,} videos have no subtitle file: {', '.join(list(absent)[:5])}",
            path=options.subtitles,
            field="subtitles",
            expected=f"files named after the videos ({', '.join(SUBTITLE_ENDINGS)})",
        )
    return found


def _setting(options: RunOptions, protocol: AnswerProtocol) -> str | None:
    if "with_subtitle" not in protocol.input_settings:
        return None
    return "without_subtitle" if options.subtitles is None else "with_subtitle"


def _identity(options: RunOptions, plan: Plan, generator: Generator) -> dict[str, Any]:
    return {
        "protocol": {
            name: value
            for name, value in protocol_entry(plan.protocol).items()
            if name in ("name", "version", "fingerprint")
        },
        "annotations": annotations_entry(options.annotations),
        "model": _model_entry(generator),
        "prompt": {
            "source": plan.prompt.source,
            "sha256": _hash([plan.prompt.templates, plan.prompt.answer_prefix]),
        },
        "frames": _frames_entry(options, plan.policy),
        "settings": options.settings.as_dict(),
        "setting": plan.setting,
        "limit": options.limit,
    }


def _model_entry(generator: Generator) -> dict[str, Any]:
    """What has to be the same of a model; not where its file lies, nor where a server listens."""
    described = generator.describe()
    entry = {key: described[key] for key in MODEL_IDENTITY if key in described}
    if not {"fingerprint", "sha256"} & entry.keys():
        entry["name"] = described.get("model", generator.name)
    return entry


def _frames_entry(options: RunOptions, policy: FramePolicy | None) -> dict[str, Any]:
    if policy is None:
        return {"policy": None, "images": options.frames != "0"}
    return {"policy": policy.name, "most_pixels": options.frame_pixels}


def annotations_entry(annotations: object) -> dict[str, Any]:
    if isinstance(annotations, str | os.PathLike):
        path = Path(annotations)
        return {"name": path.name, "sha256": file_sha256(path)}
    return {"name": "in memory", "sha256": _hash(annotations)}


def _hash(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
