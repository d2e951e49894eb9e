"""Small videos made for the tests: every picture shows its own number as black and white blocks.

The left 64 x 64 pixels are 4 x 4 blocks, one bit each, the highest first; beside them lies a strip
of changing colours, so that a wrong colour matrix or a picture turned the wrong way shows too.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

BLOCK = 16
GRID = 4
WIDTH, HEIGHT = 96, 64
RATE = 25


def picture(number: int) -> np.ndarray:
    """uint8[64, 96, 3]: the picture of frame ``number``."""
    bits = np.array([number >> (15 - k) & 1 for k in range(16)], dtype=np.uint8).reshape(GRID, GRID)
    blocks = np.kron(bits * 255, np.ones((BLOCK, BLOCK), dtype=np.uint8))
    frame = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    frame[:, :HEIGHT] = blocks[:, :, None]
    rows, columns = np.mgrid[0:HEIGHT, 0 : WIDTH - HEIGHT]
    frame[:, HEIGHT:, 0] = (rows * 4 + number * 3) % 256
    frame[:, HEIGHT:, 1] = (columns * 8 + number * 5) % 256
    frame[:, HEIGHT:, 2] = 255 - rows * 3
    return frame


def number_in(frame: np.ndarray, rotation_degrees: int = 0) -> int:
    """The number that a decoded picture shows.

    Args:
        frame: uint8[3, height, width] as displayed.
        rotation_degrees: the counter-clockwise turn that display has applied.
    """
    upright = np.rot90(np.moveaxis(np.asarray(frame), 0, -1), -rotation_degrees // 90 % 4)
    assert upright.shape[:2] == (HEIGHT, WIDTH), upright.shape
    middle = BLOCK // 2
    bits = upright[middle:HEIGHT:BLOCK, middle:HEIGHT:BLOCK].mean(axis=-1) > 127
    return int("".join(str(int(bit)) for bit in bits.ravel()), 2)


@dataclass(frozen=True)
class Recipe:
    """How one file is made by ffmpeg.

    Args:
        name: of the file.
        output: options of the output.
        frames: how many pictures are fed in.
        source: another file to start from instead of pictures.
        input: options of the input.
        through_pipe: write to a pipe, so that the writer cannot go back and fill in a duration.
    """

    name: str
    output: str
    frames: int = 100
    source: str | None = None
    input: str = ""
    through_pipe: bool = False


X264 = "-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 12 -bf 2 -sc_threshold 0 -crf 18"
X265 = (
    "-c:v libx265 -preset veryfast -pix_fmt yuv420p -crf 18 -x265-params log-level=error:keyint=12"
)
VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -pix_fmt yuv420p -g 12 -crf 10 -b:v 1M"
VP9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p -g 12 -crf 20 -b:v 0"
AV1 = "-c:v libaom-av1 -usage good -cpu-used 8 -pix_fmt yuv420p -g 12 -crf 10 -b:v 0"
UNEVEN = (
    "-vf setpts='(N+3*floor(N/7)+mod(N*N,5)/6)/25/TB' -fps_mode vfr -video_track_timescale 12800"
)
HDR = "-colorspace bt2020nc -color_trc smpte2084 -color_primaries bt2020"
FULL_RANGE = "-vf scale=out_color_matrix=bt709:out_range=pc -colorspace bt709 -color_range pc"
SLIDES = "-vf setpts='(3*N+mod(N*N,4)/2)/TB' -fps_mode vfr"

RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("h264.mp4", f"{X264} -movflags +faststart"),
        Recipe("hevc.mp4", f"{X265} -tag:v hvc1"),
        Recipe("hevc_10_bit.mp4", X265.replace("yuv420p", "yuv420p10le"), frames=40),
        Recipe("h264_444.mp4", X264.replace("yuv420p", "yuv444p"), frames=20),
        Recipe("h264_422_10_bit.mp4", X264.replace("yuv420p", "yuv422p10le"), frames=20),
        Recipe("hevc_hdr.mp4", f"{X265.replace('yuv420p', 'yuv420p10le')} {HDR}", frames=20),
        Recipe("vp9.webm", VP9),
        Recipe("vp9.mkv", "-c copy", source="vp9.webm"),
        Recipe("vp8.webm", VP8, frames=40),
        Recipe("av1.mp4", AV1, frames=40),
        Recipe("av1.mkv", "-c copy", source="av1.mp4"),
        Recipe("h264.mkv", "-c copy", source="h264.mp4"),
        Recipe("h264.ts", "-c copy", source="h264.mp4"),
        Recipe("hevc.ts", "-c copy", source="hevc.mp4"),
        Recipe("h264.flv", "-c copy", source="h264.mp4"),
        Recipe("h264.mov", "-c copy", source="h264.mp4"),
        Recipe("mpeg4.avi", "-c:v mpeg4 -q:v 2 -g 12"),
        Recipe("one_key_frame.mp4", X264.replace("-g 12", "-g 999")),
        Recipe("uneven.mp4", f"{X264} {UNEVEN}"),
        Recipe("uneven.mkv", f"{X264} {UNEVEN}"),
        Recipe("slides.mp4", f"{X264} {SLIDES}", frames=20),
        Recipe("turned_90.mp4", "-c copy -metadata:s:v rotate=90", source="h264.mp4"),
        Recipe("turned_180.mp4", "-c copy -metadata:s:v rotate=180", source="h264.mp4"),
        Recipe("turned_270.mp4", "-c copy -metadata:s:v rotate=270", source="h264.mp4"),
        Recipe("edit_list.mp4", "-c copy", source="h264.mp4", input="-ss 1.3"),
        Recipe("open_gop.mp4", f"{X264} -x264-params open-gop=1:bframes=3"),
        Recipe("open_gop.mkv", "-c copy", source="open_gop.mp4"),
        Recipe("open_gop_hevc.mp4", f"{X265}:open-gop=1:bframes=4"),
        Recipe("no_duration.mkv", "-c copy -f matroska", source="h264.mp4", through_pipe=True),
        Recipe("no_duration.webm", "-c copy -f webm", source="vp9.webm", through_pipe=True),
        Recipe("fragmented.mp4", "-c copy -movflags frag_keyframe+empty_moov", source="h264.mp4"),
        Recipe("late_start.ts", "-c copy -output_ts_offset 5000", source="h264.mp4"),
        Recipe("one_frame.mp4", X264, frames=1),
        Recipe("full_range_709.mp4", f"{X264} {FULL_RANGE}", frames=20),
        Recipe("moov_last.mp4", X264),
        Recipe("raw.h264", "-c copy -bsf:v h264_mp4toannexb", source="h264.mp4"),
    )
}  # fmt: skip


class Studio:
    """Makes the files on first use, into one folder.

    Args:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """The file of that recipe."""
        path = self.folder / name
        if not path.exists():
            self._make(RECIPES[name], path)
        return path

    def _make(self, recipe: Recipe, path: Path) -> None:
        command = ["ffmpeg", "-hide_banner", "-loglevel", "error"]
        fed = b""
        if recipe.source is None:
            command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}"]
            command += ["-r", str(RATE), "-i", "-"]
            fed = b"".join(picture(number).tobytes() for number in range(recipe.frames))
        else:
            command += [*recipe.input.split(), "-i", str(self.path(recipe.source))]
        command += recipe.output.split()
        command += ["-y", "pipe:1" if recipe.through_pipe else str(path)]
        done = subprocess.run(command, input=fed, capture_output=True, check=False, timeout=120)
        if done.returncode:
            raise RuntimeError(f"{recipe.name}: {done.stderr.decode(errors='replace')}")
        if recipe.through_pipe:
            path.write_bytes(done.stdout)


def missing_tool() -> str | None:
    """Why videos cannot be made here, if they cannot."""
    return None if shutil.which("ffmpeg") else "no ffmpeg command to make videos with"
