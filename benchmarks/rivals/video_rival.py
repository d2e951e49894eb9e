"""What people decode frames with: TorchCodec at its best, PyAV straight through.

Each call opens the file, as each of ours does, and returns uint8[k, height, width, 3]. All decode
on one thread, as ours: with several videos at a time, as benchmarks are run, that is fastest.

decord (decord2 3.4.0) is no rival here: of the 180 frames it returns 131 to 155 rightly, depending
on its threads, and prints that it failed to skip to the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from benchmarks.rivals.video_data import an_hour, clips, evenly

Frames = np.ndarray


def prepare_torchcodec() -> Callable[[], Frames]:
    """TorchCodec with the index that it takes from outside, made before: nothing is scanned."""
    import torch
    from torchcodec.decoders import VideoDecoder

    torch.set_num_threads(1)
    path, wanted = an_hour(), evenly().tolist()
    mapping = torchcodec_mapping(path)

    def frames() -> Frames:
        decoder = VideoDecoder(str(path), custom_frame_mappings=mapping)
        return decoder.get_frames_at(wanted).data.permute(0, 2, 3, 1).numpy()

    return frames


def prepare_torchcodec_scanning() -> Callable[[], Frames]:
    """TorchCodec as its documentation begins: exact mode, which scans the file at each opening."""
    import torch
    from torchcodec.decoders import VideoDecoder

    torch.set_num_threads(1)
    path, wanted = an_hour(), evenly().tolist()
    return lambda: VideoDecoder(str(path)).get_frames_at(wanted).data.permute(0, 2, 3, 1).numpy()


def prepare_torchcodec_clips() -> Callable[[], Frames]:
    """One call a clip, in the order in which clips are asked for, on one open decoder."""
    import torch
    from torchcodec.decoders import VideoDecoder

    torch.set_num_threads(1)
    path, wanted = an_hour(), clips().tolist()
    mapping = torchcodec_mapping(path)

    def frames() -> Frames:
        decoder = VideoDecoder(str(path), custom_frame_mappings=mapping)
        batches = [decoder.get_frames_at(clip).data.permute(0, 2, 3, 1) for clip in wanted]
        return torch.cat(batches).numpy()

    return frames


def prepare_pyav_sequential() -> Callable[[], Frames]:
    """PyAV from the first frame to the last, keeping the wanted ones."""
    import av

    path, wanted = str(an_hour()), set(evenly().tolist())

    def frames() -> Frames:
        with av.open(path) as container:
            stream = container.streams.video[0]
            stream.codec_context.thread_count = 1
            numbered = enumerate(container.decode(stream))
            return np.stack([f.to_ndarray(format="rgb24") for n, f in numbered if n in wanted])

    return frames


def torchcodec_mapping(path: Path) -> bytes:
    """All frames of a file as JSON, as TorchCodec wants to be told of them."""
    import av

    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        packets = [
            {"pts": packet.pts, "duration": packet.duration, "key_frame": int(packet.is_keyframe)}
            for packet in container.demux(stream)
            if packet.pts is not None
        ]
    return json.dumps({"frames": sorted(packets, key=lambda packet: packet["pts"])}).encode()
