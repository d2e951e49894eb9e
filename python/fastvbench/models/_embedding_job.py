"""Embed one side of a retrieval benchmark into a file, and go on after any stop."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import orjson

from fastvbench.models._embedding_journal import EmbeddingJournal
from fastvbench.models._frame_mean import FrameMean
from fastvbench.retrieval.stores import write_embeddings
from fastvbench.video import FailedVideo, FramePipeline, FrameRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

    from fastvbench.models._embedding_journal import JournalEntry
    from fastvbench.models._types import Embedder

    Progress = Callable[[int, int], None]

__all__ = ["MediaItem", "SideOutcome", "TextItem", "embed_media", "embed_texts"]


@dataclass(frozen=True)
class TextItem:
    """A caption.

    Attributes:
        id: of what it captions.
        video: the video that this belongs to.
        text: the caption.
    """

    id: str
    video: str
    text: str


@dataclass(frozen=True)
class MediaItem:
    """A video, or a part of one.

    Attributes:
        id: of the clip or video.
        video: the video that it belongs to.
        path: the file; None where there is none.
        begin_seconds: where a clip begins in its file; None for the file's begin.
        end_seconds: where it ends; None for the file's end.
    """

    id: str
    video: str
    path: Path | None
    begin_seconds: float | None = None
    end_seconds: float | None = None


@dataclass
class SideOutcome:
    """What became of one side.

    Attributes:
        file: the file of embeddings; None where not one row could be made.
        rows: rows asked for.
        written: rows in the file.
        resumed: of those, rows that an earlier begin had made.
        failures: why a row is missing, by id.
        truncated: texts that were longer than the model reads.
        units: tokens of all texts, or frames of all videos.
        seconds: that this begin took.
    """

    file: Path | None
    rows: int
    written: int = 0
    resumed: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    truncated: int = 0
    units: int = 0
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether every row is there."""
        return self.written == self.rows


def embed_texts(
    items: Sequence[TextItem],
    embedder: Embedder,
    target: Path,
    *,
    batch_size: int,
    progress: Progress | None = None,
) -> SideOutcome:
    """Embed captions into a file.

    Batches are the same whatever was done before, and one that is not whole is made again: what
    stands beside a text moves the last bit of its vector.

    Args:
        items: what to embed, in the order of the file's rows.
        embedder: makes the vectors.
        target: .safetensors, .parquet or .npy.
        batch_size: texts at once.
        progress: called with the rows done and the rows asked for.

    Raises:
        InputError: begun with other settings or captions, or in use by another process.
        OSError: the disk is full.
    """
    begin = time.perf_counter()
    made_with = _made_with(embedder, [item.text for item in items]) | {"batch_size": batch_size}
    journal = EmbeddingJournal(_journal_path(target), made_with, embedder.dimension)
    outcome = SideOutcome(target, len(items), resumed=len(journal.entries))
    try:
        for first in range(0, len(items), batch_size):
            rows = range(first, min(first + batch_size, len(items)))
            if any(row not in journal.entries for row in rows):
                embedded = embedder.embed_texts([items[row].text for row in rows])
                for row, vector, count in zip(
                    rows, embedded.vectors, embedded.token_counts.tolist(), strict=True
                ):
                    if row not in journal.entries:
                        journal.add(row, count, vector)
            if progress is not None:
                progress(rows.stop, len(items))
        limit = embedder.text_limit_tokens
        counts = [entry.units for entry in journal.entries.values()]
        outcome.truncated = 0 if limit is None else sum(count > limit for count in counts)
        _finish(outcome, journal, target, items, limit)
    finally:
        journal.close()
    outcome.seconds = time.perf_counter() - begin
    return outcome


def embed_media(
    items: Sequence[MediaItem],
    embedder: Embedder,
    target: Path,
    *,
    policy: str,
    batch_size: int,
    workers: int = 2,
    cache: Path | None = None,
    time_limit_seconds: float | None = None,
    progress: Progress | None = None,
) -> SideOutcome:
    """Embed videos, or parts of them, into a file: one vector each, the mean of its frames'.

    Each file is decoded once for all its clips. One that cannot be decoded, or is not there, is a
    failure of its rows, and is tried again by the next begin.

    Args:
        items: what to embed, in the order of the file's rows.
        embedder: makes the vectors.
        target: .safetensors, .parquet or .npy.
        policy: which frames are taken, as `parse_policy` reads it.
        batch_size: frames at once.
        workers: threads that decode.
        cache: folder of frame indexes.
        time_limit_seconds: for each step of a decoder.
        progress: called with the rows done and the rows asked for.

    Raises:
        InputError: begun with other settings or items, or in use by another process.
        OSError: the disk is full.
    """
    begin = time.perf_counter()
    places = [f"{item.begin_seconds} {item.end_seconds}" for item in items]
    made_with = _made_with(embedder, [item.id for item in items], places)
    made_with |= {"frames": policy, "batch_size": batch_size}
    journal = EmbeddingJournal(_journal_path(target), made_with, embedder.dimension)
    outcome = SideOutcome(target, len(items), resumed=len(journal.entries))
    try:
        requests = []
        for row, item in enumerate(items):
            if row in journal.entries:
                continue
            if item.path is None:
                outcome.failures[item.id] = "no such file in the media folder"
                continue
            requests.append(
                FrameRequest(row, item.path, policy, item.begin_seconds, item.end_seconds)
            )
        pipeline = FramePipeline(
            requests, workers=workers, cache=cache, time_limit_seconds=time_limit_seconds
        )
        means: dict[tuple[Hashable, ...], FrameMean] = {}
        failures: dict[Hashable, str] = {}
        for chunk in pipeline.chunks():
            if isinstance(chunk, FailedVideo):
                failures[chunk.key] = _reason(chunk)
                means = {keys: mean for keys, mean in means.items() if chunk.key not in keys}
            else:
                mean = means.setdefault(chunk.keys, FrameMean(embedder, batch_size))
                mean.add(chunk.frames)
                if mean.frame_count == chunk.total:
                    _keep(means.pop(chunk.keys), chunk.keys, journal, failures)
            if progress is not None:
                failed = len(outcome.failures) + len(failures)
                progress(len(journal.entries) + failed, len(items))
        for request in requests:
            row = cast("int", request.key)
            if row not in journal.entries:
                outcome.failures[items[row].id] = failures.get(row, "no frame was taken of it")
        _finish(outcome, journal, target, items)
    finally:
        journal.close()
    outcome.seconds = time.perf_counter() - begin
    return outcome


def _keep(
    mean: FrameMean,
    rows: tuple[Hashable, ...],
    journal: EmbeddingJournal,
    failures: dict[Hashable, str],
) -> None:
    """Keep the vector of a video whose frames are all there, for each row that is about them."""
    vector = mean.vector()
    for row in rows:
        if vector is None:
            failures[row] = "the mean of its frames has no direction"
        else:
            journal.add(cast("int", row), mean.frame_count, vector)


def _reason(failed: FailedVideo) -> str:
    return " ".join(str(failed.error).split())[:300]


def _journal_path(target: Path) -> Path:
    return target.with_name(target.name + ".journal")


def _made_with(embedder: Embedder, *columns: Sequence[str]) -> dict[str, Any]:
    """What moves the vectors: the model, and what is embedded in which order."""
    described = dict(embedder.describe())
    moving = ("model", "revision", "fingerprint", "dtype", "pooling", "text_prefix")
    digest = hashlib.sha256()
    for column in columns:
        digest.update(orjson.dumps(list(column)))
    return {name: described.get(name) for name in moving} | {
        "dimension": embedder.dimension,
        "items": digest.hexdigest(),
    }


def _finish(
    outcome: SideOutcome,
    journal: EmbeddingJournal,
    target: Path,
    items: Sequence[TextItem] | Sequence[MediaItem],
    limit: int | None = None,
) -> None:
    """Write the rows that are there, in the order of the items.

    Captions themselves stay in their own file: they would not fit into some formats' headers. Their
    token counts are those that the model read, which is how `retrieve` finds that some were cut.
    """
    rows = sorted(journal.entries)
    entries: list[JournalEntry] = [journal.entries[row] for row in rows]
    counts = [entry.units for entry in entries]
    outcome.written = len(rows)
    outcome.units = sum(counts)
    if not rows:
        outcome.file = None
        return
    of_text = isinstance(items[0], TextItem)
    write_embeddings(
        target,
        np.stack([entry.vector for entry in entries]),
        [items[row].id for row in rows],
        videos=[items[row].video for row in rows],
        token_counts=[min(n, limit or n) for n in counts] if of_text else None,
    )
