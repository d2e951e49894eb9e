"""Small videos of noise, each frame its own, for what has to be seen and not recognised."""

from __future__ import annotations

import numpy as np


def write_video(path, seed, *, frames=20, rate=10, height=48, width=64):
    """Write a video of large coloured blocks, which codecs keep."""
    import av

    draw = np.random.default_rng(seed)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.bit_rate = 4_000_000
        stream.gop_size = 5
        for _ in range(frames):
            blocks = draw.integers(0, 256, (height // 16, width // 16, 3), dtype=np.uint8)
            picture = np.kron(blocks, np.ones((16, 16, 1), dtype=np.uint8))
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
