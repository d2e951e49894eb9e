"""Embed LoVR's captions, clips and videos: what there is, where it lies, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastvbench.core._errors import InputError
from fastvbench.formats import read_clip_times, read_lovr_captions, write_atomic
from fastvbench.models import load_embedder
from fastvbench.models._embedding_job import (
    MediaItem,
    SideOutcome,
    TextItem,
    embed_media,
    embed_texts,
)
from fastvbench.protocols import retrieve
from fastvbench.results._strict_json import strict_json
from fastvbench.runs._media import VIDEO_ENDINGS, MediaFolder
from fastvbench.runs._study import folder_name
from fastvbench.video import parse_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fastvbench.formats import ClipTimes, LovrCaptions
    from fastvbench.models import Embedder

    Watch = Callable[[str], Callable[[int, int], None]]

__all__ = ["BudgetOutcome", "EmbedOptions", "EmbedOutcome", "embed_lovr"]

RECORD = "embeddings.json"
PUBLISHED_FRAMES = "every:10"
NO_FRAMES = "0"
_CUTS = (1, 5, 10)


@dataclass(frozen=True)
class EmbedOptions:
    """What is embedded, with what, and where to.

    Attributes:
        model: the embedder's specification.
        captions: LoVR's caption files: of clips, of videos, or both.
        out: the folder of the files that are made.
        media: the folder of videos; None embeds captions alone.
        clips: a file of clips' places in their videos; None where each clip is a file of its own.
        frames: frame policies; several make a study.
        ending: of the files: ``safetensors``, ``parquet`` or ``npy``.
        batch_size: texts, or frames, at once.
        model_options: of the embedder.
        limit: only the first captions of each file.
        workers: videos decoded at once.
        cache: a folder of frame indexes.
        time_limit_seconds: for each step of a decoder.
        score: whether each budget is scored.
    """

    model: str
    captions: Sequence[str]
    out: Path
    media: Path | None = None
    clips: str | None = None
    frames: Sequence[str] = (PUBLISHED_FRAMES,)
    ending: str = "safetensors"
    batch_size: int = 32
    model_options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    workers: int = 2
    cache: Path | None = None
    time_limit_seconds: float | None = None
    score: bool = False


@dataclass
class BudgetOutcome:
    """One frame policy.

    Attributes:
        frames: its canonical name.
        sides: what became of ``clips`` and ``videos``.
        recalls: recall at 1, 5 and 10 under ``robust`` by direction; empty where none was scored.
        note: what else there is to say.
    """

    frames: str
    sides: dict[str, SideOutcome] = field(default_factory=dict)
    recalls: dict[str, dict[str, float]] = field(default_factory=dict)
    note: str | None = None


@dataclass
class EmbedOutcome:
    """All of it.

    Attributes:
        folder: where the files are.
        texts: what became of ``text_clips`` and ``text_videos``.
        budgets: one for each frame policy.
        note: what was asked for and not done.
    """

    folder: Path
    texts: dict[str, SideOutcome] = field(default_factory=dict)
    budgets: list[BudgetOutcome] = field(default_factory=list)
    note: str | None = None

    @property
    def sides(self) -> list[tuple[str, SideOutcome]]:
        """Every side with its name; those of several budgets with the budget's."""
        named = list(self.texts.items())
        for budget in self.budgets:
            tail = f" at {budget.frames}" if len(self.budgets) > 1 else ""
            named += [(f"{name}{tail}", side) for name, side in budget.sides.items()]
        return named

    @property
    def is_complete(self) -> bool:
        """Whether every row of every side is there."""
        return all(side.is_complete for _, side in self.sides)


def embed_lovr(options: EmbedOptions, watch: Watch | None = None) -> EmbedOutcome:
    """Embed captions, and clips and videos at each frame budget; score them where that is asked.

    Args:
        options: see `EmbedOptions`.
        watch: gives, for the name of a side, what is called with rows done and rows asked for.

    Raises:
        InputError: a file or option that cannot be used; a folder begun with other settings.
        MissingExtraError: transformers or a decoder is not installed.
        OSError: the disk is full; what is done is kept.
    """
    policies = list(dict.fromkeys(parse_policy(text).name for text in options.frames))
    texts, media = _sides(options)
    options.out.mkdir(parents=True, exist_ok=True)
    outcome = EmbedOutcome(options.out)
    with load_embedder(
        options.model, batch_size=options.batch_size, **options.model_options
    ) as embedder:
        for name, items in texts.items():
            outcome.texts[f"text_{name}"] = embed_texts(
                items,
                embedder,
                options.out / f"text_{name}.{options.ending}",
                batch_size=options.batch_size,
                progress=None if watch is None else watch(f"text_{name}"),
            )
        if media and not embedder.has_vision:
            outcome.note = "a model of text alone: clips and videos are not embedded"
        _record(outcome, embedder, options)
        for policy in policies if media and embedder.has_vision else []:
            several = len(policies) > 1
            folder = options.out / folder_name(policy) if several else options.out
            budget = _budget(policy, media, embedder, folder, options=options, watch=watch)
            if options.score and budget.sides:
                budget.recalls = _recalls({**outcome.texts, **budget.sides})
            outcome.budgets.append(budget)
            _record(outcome, embedder, options)
    return outcome


def _sides(options: EmbedOptions) -> tuple[dict[str, list[TextItem]], dict[str, list[MediaItem]]]:
    """Captions, and what they are about, by ``clips`` and ``videos``."""
    places = {} if options.clips is None else read_clip_times(options.clips)
    folder = None if options.media is None else MediaFolder(options.media, VIDEO_ENDINGS)
    texts: dict[str, list[TextItem]] = {}
    media: dict[str, list[MediaItem]] = {}
    for path in options.captions:
        captions = read_lovr_captions(path)
        name = f"{captions.kind}s"
        if captions.cluster_ids is not None:
            raise InputError(
                "holds captions of runs of clips, not of whole videos",
                path=path,
                field="cluster_id",
                expected="one caption a clip (path, cap) or a video (vid, cap)",
            )
        if name in texts:
            raise InputError(f"a second file of captions of {name}", path=path)
        columns = zip(captions.ids, captions.videos, captions.captions, strict=True)
        texts[name] = [TextItem(*row) for row in list(columns)[: options.limit]]
        if folder is not None:
            media[name] = _items(captions, options.limit, folder, places)
            if all(item.path is None for item in media[name]):
                raise InputError(
                    f"holds none of the {len(media[name]):,} {name} that are captioned",
                    path=options.media,
                    value=media[name][0].id,
                    expected="files named after them, or --clips with their places in videos",
                )
    return texts, media


def _items(
    captions: LovrCaptions, limit: int | None, folder: MediaFolder, places: Mapping[str, ClipTimes]
) -> list[MediaItem]:
    """What is captioned, each once, with its file."""
    items: dict[str, MediaItem] = {}
    for ident, video in list(zip(captions.ids, captions.videos, strict=True))[:limit]:
        if ident in items:
            continue
        place = places.get(ident) if captions.kind == "clip" else None
        if place is None:
            items[ident] = MediaItem(ident, video, folder.find([ident]))
        else:
            path = folder.find([place.video])
            items[ident] = MediaItem(ident, video, path, place.begin_seconds, place.end_seconds)
    return list(items.values())


def _budget(
    policy: str,
    media: Mapping[str, Sequence[MediaItem]],
    embedder: Embedder,
    folder: Path,
    *,
    options: EmbedOptions,
    watch: Watch | None,
) -> BudgetOutcome:
    budget = BudgetOutcome(policy)
    if policy == NO_FRAMES:
        budget.note = "without frames there is nothing to embed: recall is that of chance"
        if options.score:
            budget.recalls = {
                f"text_to_{name[:-1]}": {f"recall@{k}": min(1.0, k / len(items)) for k in _CUTS}
                for name, items in media.items()
            }
        return budget
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in media.items():
        budget.sides[name] = embed_media(
            items,
            embedder,
            folder / f"{name}.{options.ending}",
            policy=policy,
            batch_size=options.batch_size,
            workers=options.workers,
            cache=options.cache,
            time_limit_seconds=options.time_limit_seconds,
            progress=None if watch is None else watch(f"{name} at {policy}"),
        )
    return budget


def _recalls(sides: Mapping[str, SideOutcome]) -> dict[str, dict[str, float]]:
    """Recall in every direction whose two sides are there."""
    files = {name: side.file for name, side in sides.items() if side.file is not None}
    if not any(name in files and f"text_{name}" in files for name in ("clips", "videos")):
        return {}
    result = retrieve("lovr", sides=files, rules="robust", k=_CUTS, samples=False)
    strata = result.data["rules"]["robust"]["strata"]["direction"]
    return {
        direction: {f"recall@{k}": metrics[f"recall@{k}"]["value"] for k in _CUTS}
        for direction, metrics in strata.items()
    }


def _record(outcome: EmbedOutcome, embedder: Embedder, options: EmbedOptions) -> None:
    """Write what was done, and what is missing, beside the files."""
    data = {
        "schema": 1,
        "kind": "embeddings",
        "benchmark": "lovr",
        "model": dict(embedder.describe()),
        "batch_size": options.batch_size,
        "captions": [Path(path).name for path in options.captions],
        "texts": {name: _side_entry(side) for name, side in outcome.texts.items()},
        "budgets": [
            {
                "frames": budget.frames,
                "sides": {name: _side_entry(side) for name, side in budget.sides.items()},
                "recall": budget.recalls or None,
                "note": budget.note,
            }
            for budget in outcome.budgets
        ],
        "note": outcome.note,
        "complete": outcome.is_complete,
    }
    write_atomic(outcome.folder / RECORD, strict_json(data))


def _side_entry(side: SideOutcome) -> dict[str, Any]:
    return {
        "file": None if side.file is None else side.file.name,
        "rows": side.rows,
        "written": side.written,
        "truncated_texts": side.truncated,
        "tokens_or_frames": side.units,
        "seconds": round(side.seconds, 3),
        "failures": side.failures,
    }
