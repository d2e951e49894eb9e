"""What a caller may ask of a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.models import GenerationSettings
from fastvbench.protocols._gold import bare_video_name

if TYPE_CHECKING:
    from fastvbench.models import Generator
    from fastvbench.protocols import Protocol

__all__ = ["FRAME_PIXELS", "RunOptions", "Shard", "parse_shard"]

# The largest frame that a stack named here hands to a model: 768 patches of 28 x 28 pixels.
FRAME_PIXELS = 768 * 28 * 28
_SHARD = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a benchmark; a video's questions are all in one of them."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def holds(self, video: str) -> bool:
        """Whether a video belongs here: by its name alone, on every machine."""
        digest = hashlib.sha256(bare_video_name(video).encode("utf-8", "backslashreplace"))
        return int.from_bytes(digest.digest()[:8], "big") % self.count == self.number


def parse_shard(text: str) -> Shard:
    """``I/N``, I from 0.

    Raises:
        InputError: anything else.

    Example:
        >>> parse_shard("0/3")
        Shard(number=0, count=3)
    """
    found = _SHARD.fullmatch(text.strip())
    if found is not None:
        shard = Shard(int(found[1]), int(found[2]))
        if shard.number < shard.count:
            return shard
    raise InputError("not a shard", field="shard", value=text, expected="I/N, such as 0/3")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """A run, as it is asked for.

    Attributes:
        protocol: the benchmark, or its name.
        model: a specification (`fastvbench.models.load_generator`), or a generator.
        annotations: path or rows.
        out: the run folder.
        media: folder of the videos or images; None for runs that show none.
        frames: frame policy, ``0`` for none; None takes the prompt's stack's published one.
        prompt: whose published prompt is asked with; None goes by `rules`, else the first.
        prompt_text: a template in place of a published one; `prompt` then names it.
        rules: rule sets to score by, the first being the main one.
        subtitles: folder of subtitle files, which are then shown.
        settings: how text is generated.
        model_options: options of the generator.
        batch_size: rows that are handed to the model at once; None leaves it to the generator.
        limit: only so many questions, from the first.
        shard: only these videos.
        resume: go on with a run that is there.
        allow_missing_media: questions without their file become failed rows.
        most_failures: failures of the model in a row after which the run stops.
        frame_pixels: most pixels of a frame that is kept; a larger one is scaled down.
        decode_workers: videos decoded at once.
        time_limit_seconds: of each step of decoding a video.
        index_cache: folder that keeps frame indexes, so that a video is scanned once for all runs.
        durations: file with video lengths, for annotations that have none.
        seed: of the result's intervals.
    """

    protocol: str | Protocol
    model: str | Generator
    annotations: Any
    out: Path
    media: Path | None = None
    frames: str | None = None
    prompt: str | None = None
    prompt_text: str | None = None
    rules: str | Sequence[str] | None = None
    subtitles: Path | None = None
    settings: GenerationSettings = field(default_factory=GenerationSettings)
    model_options: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int | None = None
    limit: int | None = None
    shard: Shard | None = None
    resume: bool = False
    allow_missing_media: bool = False
    most_failures: int = 20
    frame_pixels: int = FRAME_PIXELS
    decode_workers: int = 2
    time_limit_seconds: float | None = None
    index_cache: Path | None = None
    durations: Path | None = None
    seed: int = 0
