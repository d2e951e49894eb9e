"""A LoVR-shaped evaluation from a seed: videos, their clips, a caption for each, ids as strings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastvbench.retrieval.engines import unit_rows
from fastvbench.retrieval.timing import LOVR_CLIPS, LOVR_VIDEOS

# How far captions are from what they describe, and clips from their video's centre.
CAPTION_NOISE = 3.0
CLIP_NOISE = 0.7


@dataclass(frozen=True)
class Direction:
    """One of the four settings: queries, gallery, and the id of every row of both.

    A query's relevant row is the one of its own id.
    """

    name: str
    queries: np.ndarray  # float32 [q, d]
    query_ids: list[str]
    gallery: np.ndarray  # float32 [n, d]
    gallery_ids: list[str]


def directions(fraction: int, dimension: int, seed: int) -> list[Direction]:
    """The four settings on 1/fraction of LoVR's 467 videos and 40,804 clips."""
    generator = np.random.default_rng(seed)
    videos, clips = max(2, LOVR_VIDEOS // fraction), LOVR_CLIPS // fraction

    def noise(rows):
        return generator.standard_normal((rows, dimension), np.float32) / np.sqrt(
            np.float32(dimension)
        )

    video_of_clip = np.arange(clips) * videos // clips
    video_vectors = unit_rows(noise(videos))
    clip_vectors = unit_rows(video_vectors[video_of_clip] + CLIP_NOISE * noise(clips))
    video_captions = unit_rows(video_vectors + CAPTION_NOISE * noise(videos))
    clip_captions = unit_rows(clip_vectors + CAPTION_NOISE * noise(clips))
    video_ids = [f"video_{video:04d}" for video in range(videos)]
    clip_ids = [f"video_{video:04d}_{clip:05d}.mp4" for clip, video in enumerate(video_of_clip)]
    shuffle = generator.permutation(clips)  # captions come in an order of their own
    clip_captions = np.ascontiguousarray(clip_captions[shuffle])
    caption_ids = [clip_ids[clip] for clip in shuffle]
    return [
        Direction("text_to_clip", clip_captions, caption_ids, clip_vectors, clip_ids),
        Direction("text_to_video", video_captions, video_ids, video_vectors, video_ids),
        Direction("clip_to_text", clip_vectors, clip_ids, clip_captions, caption_ids),
        Direction("video_to_text", video_vectors, video_ids, video_captions, video_ids),
    ]
