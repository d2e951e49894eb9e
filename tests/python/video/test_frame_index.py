"""The table of frames and its cache: numpy alone, no decoder."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from fastvbench import InputError
from fastvbench.video import Damage, FrameIndex
from fastvbench.video._index_cache import IndexCache
from fastvbench.video._packets import (
    UNTIMED,
    PacketTable,
    StreamHeader,
    index_of_packets,
    looks_suspicious,
)
from fastvbench.video._source import look_at


def index(ticks=(0, 2, 4, 6), keys=(0,), **more) -> FrameIndex:
    is_key = np.zeros(len(ticks), dtype=bool)
    is_key[list(keys)] = True
    given = {"time_base_numerator": 1, "time_base_denominator": 50, "width": 4, "height": 2}
    return FrameIndex(np.array(ticks), is_key, last_duration_ticks=2, **{**given, **more})


def packets(pts, dts=None, key_every=1, **more) -> PacketTable:
    header = StreamHeader(Fraction(1, 25), 4, 2, 0, "h264", 25.0, more.pop("seconds", None))
    pts = np.array(pts, dtype=np.int64)
    return PacketTable(
        pts=pts,
        dts=pts if dts is None else np.array(dts, dtype=np.int64),
        duration=np.ones(len(pts), dtype=np.int64),
        is_key=np.arange(len(pts)) % key_every == 0,
        header=header,
        unreadable=0,
        is_corrupt=np.zeros(len(pts), dtype=bool),
        scanned_by="test",
    )


def test_frame_on_screen():
    video = index((10, 12, 20, 21))  # 0.2, 0.24, 0.4, 0.42 s
    times = [-1, 0, 0.2, 0.239, 0.24, 0.399, 0.4, 0.41, 0.42, 99, np.inf, -np.inf]
    assert video.frame_at(times).tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 0]
    assert video.frame_at(0.3) == 1
    assert video.frame_at([]).tolist() == []
    assert video.frame_at([[0.2], [0.4]]).tolist() == [[0], [2]]
    with pytest.raises(InputError, match="not a number"):
        video.frame_at([0.1, np.nan])


def test_begin_end_and_rate():
    video = index((10, 12, 14))
    assert (video.begin_seconds, video.end_seconds) == (0.2, 0.32)
    assert video.duration_seconds == pytest.approx(0.12)
    assert video.average_rate == pytest.approx(25.0)
    assert video.is_constant_rate
    assert not index((0, 2, 4, 9)).is_constant_rate
    # 30 frames a second in milliseconds: 33, 33, 34. No two steps alike, and yet constant.
    milliseconds = np.round(np.arange(100) * 1000 / 30).astype(int)
    assert index(milliseconds, time_base_denominator=1000).is_constant_rate


def test_where_decoding_starts():
    video = index(range(0, 20, 2), keys=(0, 4, 8))
    assert video.key_frame_before([0, 3, 4, 7, 8, 9]).tolist() == [0, 0, 4, 4, 8, 8]
    assert index((0, 2, 4), keys=(1,)).key_frame_before([0, 1, 2]).tolist() == [-1, 1, 1]
    assert index((0, 2), keys=()).key_frame_before([1]).tolist() == [-1]
    assert video.key_frame_before(5) == 4


def test_doubt_ends_at_the_second_key_frame():
    video = index(range(0, 24, 2), keys=(0, 4, 8), damaged_frames=(2,))
    assert [video.is_doubtful(frame) for frame in range(12)] == [False] * 2 + [True] * 6 + [
        False
    ] * 4


def test_refuses_what_is_no_index():
    with pytest.raises(InputError, match="do not ascend"):
        index((0, 2, 2))
    with pytest.raises(InputError, match="no frames"):
        index((), keys=())
    with pytest.raises(InputError, match="differ in length"):
        FrameIndex(np.arange(3), np.ones(2, dtype=bool), 1, 1, 25, 4, 2)
    with pytest.raises(ValueError, match="read-only"):
        index().pts_ticks[0] = 5


def test_packets_become_frames_in_display_order():
    made = index_of_packets(packets([0, 3, 1, 2, 6, 4, 5], dts=range(-1, 6)), "v", tolerant=False)
    assert made.pts_ticks.tolist() == list(range(7))
    assert made.last_duration_ticks == 1
    assert not made.damage
    paired = index_of_packets(packets([0, 0, 1, 1, 2], key_every=3), "v", tolerant=False)
    assert paired.pts_ticks.tolist() == [0, 1, 2]
    assert paired.is_key.tolist() == [True, True, False]
    assert paired.damage == Damage(repeated_times=2)


def test_damage_is_named_or_repaired():
    with pytest.raises(InputError, match="v: has a video stream without frames"):
        index_of_packets(packets([]), "v", tolerant=True)
    untimed = packets([UNTIMED, 1, UNTIMED, 3], dts=[UNTIMED, 1, UNTIMED, 3])
    with pytest.raises(InputError, match="2 of 4 frames have no time"):
        index_of_packets(untimed, "v", tolerant=False)
    made = index_of_packets(untimed, "v", tolerant=True)
    assert (made.repair, made.pts.tolist()) == ("numbered", [0.0, 0.04, 0.08, 0.12])
    again = packets([*range(40), *range(40), *range(5)])
    with pytest.raises(InputError, match="jumps back 2 times, first at packet 40"):
        index_of_packets(again, "v", tolerant=False)
    made = index_of_packets(again, "v", tolerant=True)
    assert made.pts_ticks.tolist() == list(range(85))
    assert made.damage.time_resets == 2
    short = index_of_packets(packets(range(50), seconds=4.0), "v", tolerant=False)
    assert short.damage.missing_seconds == pytest.approx(2.0)
    assert short.damage.notes() == ["2.0 s of what the container promises are missing"]


def test_what_a_sorted_table_may_hide():
    assert not looks_suspicious(packets(range(100)))
    assert not looks_suspicious(packets([0, 2, 1, 4, 3]))
    assert looks_suspicious(packets([*range(50), *range(50)]))
    assert looks_suspicious(packets([0, 1, 5]))
    assert looks_suspicious(packets([0, UNTIMED, 2]))
    assert looks_suspicious(packets([0]))
    woven = packets(np.arange(100))  # two pieces that mesh evenly look like twice the rate
    halved = StreamHeader(Fraction(1, 50), 4, 2, 0, "h264", 25.0, None)
    assert looks_suspicious(PacketTable(**{**vars(woven), "header": halved}))


def test_saved_and_loaded(tmp_path):
    whole = index(
        range(0, 200, 2),
        keys=range(0, 100, 12),
        rotation_degrees=-90,
        codec="hevc",
        header_rate=29.97,
        header_seconds=3.5,
        repair="unwrapped",
        scanned_by="pyav",
        damage=Damage(time_resets=1, missing_seconds=1.5),
        damaged_frames=(3, 50),
    )
    path = tmp_path / "a.npz"
    whole.save(path)
    assert FrameIndex.load(path) == whole
    assert FrameIndex.load(path).scanned_by == "pyav"
    assert index() != whole
    an_hour = index(np.arange(86_400) * 2, keys=range(0, 86_400, 250))
    an_hour.save(path)
    assert path.stat().st_size < 5_000
    content = path.read_bytes()
    for damaged in (
        b"",
        b"text",
        content[: len(content) // 2],
        content.replace(b"steps", b"stepz"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="no saved frame index"):
            FrameIndex.load(path)
    with pytest.raises(InputError, match="no saved frame index"):
        FrameIndex.load(tmp_path / "missing.npz")


def test_cache_knows_versions_of_a_file(tmp_path):
    video = tmp_path / "a.mp4"
    video.write_bytes(b"one")
    cache = IndexCache(tmp_path / "kept" / "here")
    file = look_at(video)
    assert cache.find(file, tolerant=False) is None
    cache.keep(file, index(), tolerant=False)
    assert cache.find(file, tolerant=False) == index()
    assert cache.find(look_at(str(video)), tolerant=False) == index()
    assert cache.find(file, tolerant=True) is None
    (tmp_path / "link.mp4").symlink_to(video)
    assert cache.find(look_at(tmp_path / "link.mp4"), tolerant=False) == index()
    os.utime(video, ns=(1, 1))
    assert cache.find(look_at(video), tolerant=False) is None
    cache.keep(look_at(video), index((0, 5)), tolerant=False)
    video.write_bytes(b"longer")
    os.utime(video, ns=(1, 1))
    assert cache.find(look_at(video), tolerant=False) is None
    assert cache.find(file, tolerant=False) == index()
    cache.path_of(file, tolerant=False).write_bytes(b"damaged")
    assert cache.find(file, tolerant=False) is None
    cache.keep(file, index(), tolerant=False)
    assert cache.find(file, tolerant=False) == index()
    assert not [name for name in os.listdir(tmp_path / "kept" / "here") if name.startswith(".")]


def test_cache_that_cannot_be_written(tmp_path):
    video = tmp_path / "a.mp4"
    video.write_bytes(b"one")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot keep frame indexes"):
        IndexCache(tmp_path / "file").keep(look_at(video), index(), tolerant=False)


def test_the_room_loads_no_decoder():
    code = (
        "import sys, fastvbench.video as v; v.FrameIndex, v.open_video; "
        "print(sorted({'torch', 'torchcodec', 'av', 'torchvision'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_without_the_extra(tmp_path):
    """A missing library is named together with the command that brings it."""
    video = tmp_path / "a.mp4"
    video.write_bytes(b"content")
    code = (
        "import sys\n"
        "for name in ('av', 'torch', 'torchcodec'): sys.modules[name] = None\n"
        "import fastvbench\n"
        "for backend in ('auto', 'pyav', 'torchcodec'):\n"
        "    try: fastvbench.video.open_video(sys.argv[1], backend=backend)\n"
        "    except fastvbench.MissingExtraError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, str(video)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert len(said) == 3
    assert all(line.endswith("needs: pip install 'fastvbench[video]'") for line in said)
