"""How a benchmark's rows become what a model is asked, as far as its protocol declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "ASK_FOR_INTERVAL",
    "ASK_FOR_INTERVALS",
    "LETTERED_BY_DOT",
    "LETTERED_IN_BRACKETS",
    "VIDEOLLAMA3_ON_IMAGES",
    "VIDEOLLAMA3_ON_VIDEOS",
    "PublishedSettings",
    "TaskPlan",
]

LETTERED_IN_BRACKETS = "({letter}) {option}"
LETTERED_BY_DOT = "{letter}. {option}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSettings:
    """How one stack says that it ran the model; what it does not say is None, and not compared.

    Attributes:
        frame_policies: policies that are in line with it, the usual one first; ``uniform:N`` stands
            for every way to spread N frames.
        most_frames: its cap on the frames of a video.
        most_visual_tokens: its cap on the tokens that frames or images become.
        temperature: 0.0 for the likeliest token.
        sampling: whether tokens are drawn.
        thinking: whether the model may think before it answers.
    """

    frame_policies: tuple[str, ...] = ()
    most_frames: int | None = None
    most_visual_tokens: int | None = None
    temperature: float | None = None
    sampling: bool | None = None
    thinking: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """What a run needs to know beyond the annotations; nothing here moves a score of saved text.

    A prompt's template takes ``{question}``, ``{options}``, ``{subtitles}`` and, where the plan
    names the column, ``{query}``. A template with ``{options}`` gets the question without its
    options, any other one gets it as the annotation file has it.

    Attributes:
        medium: what a row is about.
        option_line: how a line of ``{options}`` is written, where the file does not write it.
        options_belong_to_question: a template without ``{options}`` still shows them, so they
            follow the question where the file keeps them apart.
        option_lines_column: column of the annotations that holds lines as the file writes them.
        prompt_column: column (or stratum) whose value chooses between prompts of one stack, which
            are then named ``stack, value``.
        query_column: column that a template's ``{query}`` stands for.
        media_columns: further columns that may hold the name of the video or image file.
        image_column: column that names an image to be shown beside the video.
        answer_prefixes: by stack, how the model's answer begins; its template ends with it.
        own_prompt: this package's prompt, for benchmarks of which none is published.
        published: what each stack says of its settings, by the name before a prompt's comma.
        option_count: how many options each published question has, None where that varies.
    """

    medium: Literal["video", "image"] = "video"
    option_line: str = LETTERED_BY_DOT
    options_belong_to_question: bool = False
    option_lines_column: str | None = None
    prompt_column: str | None = None
    query_column: str | None = None
    media_columns: tuple[str, ...] = ()
    image_column: str | None = None
    answer_prefixes: Mapping[str, str] = field(default_factory=dict)
    own_prompt: str | None = None
    published: Mapping[str, PublishedSettings] = field(default_factory=dict)
    option_count: int | None = None


VIDEOLLAMA3_ON_VIDEOS = PublishedSettings(
    frame_policies=("fps-videollama3:1,max=180", "fps:1,max=180"),
    most_frames=180,
    most_visual_tokens=16_384,
    temperature=0.0,
    sampling=False,
)
VIDEOLLAMA3_ON_IMAGES = PublishedSettings(temperature=0.0, sampling=False)

# For grounding benchmarks of which no prompt is published; without numbers, which a model would
# repeat.
ASK_FOR_INTERVAL = (
    "When in the video does this happen: {question}\n"
    "Answer with the start and end time in seconds: START - END seconds."
)
ASK_FOR_INTERVALS = (
    "When in the video does this happen: {question}\n"
    "Answer with every such time range in seconds, one a line: START - END seconds."
)
