"""Files with something wrong, each made from a sound one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
from tests.python.video.videos import Studio


def truncated(studio: Studio) -> Path:
    """The header is there, the last 40 % of the pictures are not."""
    content = studio.path("h264.mp4").read_bytes()
    return _write(studio, "truncated.mp4", content[: len(content) * 6 // 10])


def without_header(studio: Studio) -> Path:
    """A recording that was cut off before its header was written behind it."""
    content = studio.path("moov_last.mp4").read_bytes()
    return _write(studio, "without_header.mp4", content[: len(content) // 2])


def corrupt(studio: Studio) -> Path:
    """Noise over a tenth of the pictures, in the middle."""
    content = bytearray(studio.path("h264.mp4").read_bytes())
    begin, length = content.index(b"mdat") + 4, len(content)
    at = begin + (length - begin) * 45 // 100
    noise = np.random.default_rng(0).integers(0, 256, (length - begin) // 10, dtype=np.uint8)
    content[at : at + len(noise)] = noise.tobytes()
    return _write(studio, "corrupt.mp4", bytes(content))


def corrupt_stream(studio: Studio) -> Path:
    """Noise over a part of a transport stream, its packet headers included."""
    content = bytearray(studio.path("h264.ts").read_bytes())
    at = len(content) // 2
    noise = np.random.default_rng(1).integers(0, 256, len(content) // 12, dtype=np.uint8)
    content[at : at + len(noise)] = noise.tobytes()
    return _write(studio, "corrupt.ts", bytes(content))


def time_reset(studio: Studio) -> Path:
    """One transport stream after another: time starts again in the middle."""
    return _write(studio, "time_reset.ts", studio.path("h264.ts").read_bytes() * 2)


def audio_only(studio: Studio) -> Path:
    """A tone."""
    return _ffmpeg(studio, "audio.m4a", "-f lavfi -i sine=duration=0.5 -c:a aac")


def cover_picture(studio: Studio) -> Path:
    """A tone with a cover picture, which containers keep as a video stream of one frame."""
    picture = _ffmpeg(studio, "cover.jpg", f"-i {studio.path('h264.mp4')} -frames:v 1")
    tone = audio_only(studio)
    options = "-map 0 -map 1 -c copy -disposition:v:0 attached_pic"
    return _ffmpeg(studio, "cover.m4a", f"-i {tone} -i {picture} {options}")


def without_frames(studio: Studio) -> Path:
    """A header that announces video, and nothing behind it."""
    content = studio.path("h264.mkv").read_bytes()
    return _write(studio, "without_frames.mkv", content[: content.index(b"\x1f\x43\xb6\x75")])


def shuffled_times(studio: Studio) -> Path:
    """Matroska in which every seventh picture claims to be shown half a second later."""
    bitstream = "-bsf:v setts=pts='PTS+if(eq(mod(N\\,7)\\,3)\\,500\\,0)':dts=DTS"
    source = studio.path("vp9.mkv")
    return _ffmpeg(studio, "shuffled_times.mkv", f"-i {source} -c copy {bitstream}")


def text(studio: Studio) -> Path:
    """A text with a video's name."""
    return _write(studio, "text.mp4", b"this is no video\n" * 40)


def empty(studio: Studio) -> Path:
    """Nothing with a video's name."""
    return _write(studio, "empty.mp4", b"")


def pipe(studio: Studio) -> Path:
    """A pipe that nobody writes to."""
    path = studio.folder / "pipe.mp4"
    if not path.exists():
        os.mkfifo(path)
    return path


def _write(studio: Studio, name: str, content: bytes) -> Path:
    path = studio.folder / name
    path.write_bytes(content)
    return path


def _ffmpeg(studio: Studio, name: str, options: str) -> Path:
    path = studio.folder / name
    if not path.exists():
        command = ["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", *options.split()]
        subprocess.run([*command, "-y", str(path)], check=True, timeout=60)
    return path
