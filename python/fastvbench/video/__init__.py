"""Frames of a video by number, and the table that says when each is shown."""

from __future__ import annotations

from fastvbench.video._backend import BackendInfo, FrameBatch, Recovery
from fastvbench.video._errors import (
    DecodeTimeout,
    FrameDecodeError,
    NoVideoStream,
    VideoError,
    VideoOpenError,
)
from fastvbench.video._frame_index import Damage, FrameIndex
from fastvbench.video._pipeline import FramePipeline
from fastvbench.video._policy import FramePolicy, parse_policy
from fastvbench.video._preprocess import (
    Preprocessing,
    clip_preprocessing,
    qwen2_5_vl_preprocessing,
    siglip_preprocessing,
    to_patches,
    videollama3_preprocessing,
)
from fastvbench.video._requests import DecodedFrames, FailedVideo, FrameChunk, FrameRequest
from fastvbench.video._sampling import (
    Clip,
    round_to_multiple,
    sample_clips,
    sample_every_nth,
    sample_fps,
    sample_keyframes,
    sample_times,
    sample_uniform,
)
from fastvbench.video._scan import scan_index
from fastvbench.video._video import Video, open_video

__all__ = [
    "BackendInfo",
    "Clip",
    "Damage",
    "DecodeTimeout",
    "DecodedFrames",
    "FailedVideo",
    "FrameBatch",
    "FrameChunk",
    "FrameDecodeError",
    "FrameIndex",
    "FramePipeline",
    "FramePolicy",
    "FrameRequest",
    "NoVideoStream",
    "Preprocessing",
    "Recovery",
    "Video",
    "VideoError",
    "VideoOpenError",
    "clip_preprocessing",
    "open_video",
    "parse_policy",
    "qwen2_5_vl_preprocessing",
    "round_to_multiple",
    "sample_clips",
    "sample_every_nth",
    "sample_fps",
    "sample_keyframes",
    "sample_times",
    "sample_uniform",
    "scan_index",
    "siglip_preprocessing",
    "to_patches",
    "videollama3_preprocessing",
]
