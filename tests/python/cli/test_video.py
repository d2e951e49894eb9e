from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from tests.python.video.videos import HEIGHT, RATE, WIDTH, Studio, missing_tool, number_in

from fastvbench.cli import _progress, main


@pytest.fixture(scope="session")
def studio(tmp_path_factory) -> Studio:
    for name in ("torch", "av", "torchcodec"):
        pytest.importorskip(name, reason=f"{name} comes with the extra [video]")
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    return Studio(tmp_path_factory.mktemp("command videos"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def picture_in(path) -> np.ndarray:
    image = pytest.importorskip("PIL.Image", reason="Pillow comes with torchvision")
    with image.open(path) as opened:
        return np.moveaxis(np.asarray(opened), -1, 0)


def test_inspect_prints_index_and_picks(studio, capsys):
    assert main(["video", "inspect", str(studio.path("h264.mp4"))]) == 0
    shown = capsys.readouterr().out
    assert f"{WIDTH} x {HEIGHT} h264" in shown
    assert "100 in 4.000 s" in shown
    assert f"{RATE}.000 a second, constant" in shown
    assert "key frames  9, at most 0.480 s apart" in shown
    for policy in ("fps:1,max=180", "uniform-interior:32", "every:10", "keyframes:64"):
        assert policy in shown
    assert "0@0.000 25@1.000 50@2.000 75@3.000" in shown


def test_inspect_as_json(studio, capsys):
    path = str(studio.path("late_start.ts"))
    arguments = ["video", "inspect", path, "--policy", "2fps", "--policy", "times:1", "-o", "-"]
    assert main(arguments) == 0
    both = capsys.readouterr()
    told = json.loads(both.out)
    assert told["kind"] == "video"
    assert told["index"]["frames"] == 100
    assert told["index"]["begins_at_seconds"] > 5000
    assert [pick["policy"] for pick in told["policies"]] == ["fps:2,max=180", "times:1"]
    assert told["policies"][1]["indices"] == [RATE]
    assert told["policies"][1]["seconds"] == [1.0]
    assert told["policies"][1]["decoded_frames"] == 1 + RATE % 12
    assert "times here count from the first frame" in both.err


def test_inspect_shows_gaps_of_a_variable_rate(studio, capsys):
    assert main(["video", "inspect", str(studio.path("uneven.mp4")), "-o", "-"]) == 0
    told = json.loads(capsys.readouterr().out)["index"]
    assert told["is_constant_rate"] is False
    assert told["gap_count"] > 0
    spans = [gap["seconds"] for gap in told["gaps"]]
    assert spans == sorted(spans, reverse=True)
    assert spans[0] == told["longest_step_seconds"] > 2 * told["usual_step_seconds"]


def test_inspect_takes_a_part(studio, capsys, tmp_path):
    output = tmp_path / "told.json"
    arguments = ["--begin", "1", "--end", "2", "--policy", "every:1", "-o", str(output)]
    assert main(["video", "inspect", str(studio.path("h264.mp4")), *arguments]) == 0
    assert json.loads(output.read_bytes())["policies"][0]["indices"] == list(range(25, 50))
    assert "every:1" in capsys.readouterr().out


def test_frames_as_files(studio, capsys, tmp_path):
    folder = tmp_path / "frames"
    path = str(studio.path("h264.mp4"))
    assert main(["video", "frames", path, "--policy", "times:3,1", "-o", str(folder)]) == 0
    record = json.loads((folder / "frames.json").read_bytes())
    assert record["policy"] == "times:3,1"
    assert record["source_rate"] == RATE
    assert record["backend"]["name"] in {"torchcodec", "pyav"}
    assert [row["index"] for row in record["frames"]] == [75, 25]
    assert [row["seconds"] for row in record["frames"]] == [3.0, 1.0]
    assert {file.name for file in folder.iterdir()} == {
        "frames.json",
        "frame-0000075-at-3.000s.png",
        "frame-0000025-at-1.000s.png",
    }
    for row in record["frames"]:
        assert number_in(picture_in(folder / row["file"])) == row["index"]
    assert "75    3.000" in capsys.readouterr().out


def test_a_sheet_holds_the_frames_in_reading_order(studio, tmp_path):
    sheet = tmp_path / "sheet.png"
    path = str(studio.path("h264.mp4"))
    arguments = ["--policy", "every:20", "--width", str(WIDTH * 4), "--columns", "2"]
    assert main(["video", "frames", path, *arguments, "-o", str(sheet)]) == 0
    drawn = picture_in(sheet)
    height, width, margin = HEIGHT * 4, WIDTH * 4, 6
    assert drawn.shape == (3, 3 * (height + margin) + margin, 2 * (width + margin) + margin)
    for place, number in enumerate((0, 20, 40, 60, 80)):
        row, column = divmod(place, 2)
        top, left = margin + row * (height + margin), margin + column * (width + margin)
        small = drawn[:, top + 2 : top + height : 4, left + 2 : left + width : 4]
        assert number_in(small) >> 4 == number >> 4  # the label covers the four lowest bits
        label = drawn[:, top + height - 24 : top + height, left : left + 200]
        assert label.max() > 240  # white ink
        assert (label.max(axis=0) < 100).mean() > 0.2  # on a dark ground


def test_times_are_burned_into_single_files_if_asked(studio, tmp_path):
    path = str(studio.path("h264.mp4"))
    for name, extra in (("plain", []), ("labelled", ["--burn-in"])):
        folder = tmp_path / name
        assert main(["video", "frames", path, "--policy", "1", "-o", str(folder), *extra]) == 0
    file = "frame-0000000-at-0.000s.png"
    plain, labelled = (
        picture_in(tmp_path / "plain" / file),
        picture_in(tmp_path / "labelled" / file),
    )
    assert plain.shape == labelled.shape
    assert (plain != labelled).any()
    np.testing.assert_array_equal(plain[:, : HEIGHT // 2], labelled[:, : HEIGHT // 2])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inspect", "nothing.mp4"], "nothing.mp4"),
        (["inspect", "text.mp4"], "text.mp4"),
        (["inspect", "h264.mp4", "--policy", "often"], "not a frame policy"),
        (["inspect", "h264.mp4", "--begin", "9"], "within 0 to 4 s"),
        (["inspect", "h264.mp4", "-o", "h264.mp4"], "would replace"),
        (["frames", "h264.mp4", "-o", "missing/sheet.png"], "no such folder"),
        (["frames", "h264.mp4", "-o", "missing/folder"], "no such folder"),
        (["frames", "h264.mp4", "-o", "text.mp4"], "is no folder"),
        (["frames", "h264.mp4", "-o", "sheet.jpg"], "no such kind of picture"),
        (["frames", "torn.mp4", "--policy", "every:1", "-o", "folder"], "torn.mp4"),
        (["frames", "torn.mp4", "--policy", "every:1", "-o", "sheet.png"], "torn.mp4"),
        (["frames", "h264.mp4", "--policy", "0", "-o", "sheet.png"], "no frames to draw"),
        (["frames", "h264.mp4", "--width", "99999999", "-o", "sheet.png"], "too large to look at"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(studio, here, capsys, arguments, said):
    (here / "h264.mp4").write_bytes(studio.path("h264.mp4").read_bytes())
    torn = bytearray((here / "h264.mp4").read_bytes())
    middle = slice(len(torn) // 2, len(torn) * 3 // 4)
    torn[middle] = bytes(byte ^ 0x5A for byte in torn[middle])
    (here / "torn.mp4").write_bytes(torn)
    (here / "text.mp4").write_text("no video at all\n" * 100)
    before = {path: path.read_bytes() for path in here.iterdir()}
    assert main(["video", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in here.iterdir()} == before


def test_what_a_terminal_without_the_extra_is_told(tmp_path, capsys, monkeypatch):
    for name in ("av", "torchcodec"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "a.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(5000))
    assert main(["video", "inspect", str(tmp_path / "a.mp4")]) == 3
    assert "pip install 'fastvbench[video]'" in capsys.readouterr().err


def test_long_work_shows_how_far_it_is(studio, tmp_path, monkeypatch, capsys):
    for name in ("_FIRST_SECONDS", "_LOG_SECONDS", "_LIVE_SECONDS"):
        monkeypatch.setattr(_progress, name, 0.0)
    sheet = str(tmp_path / "sheet.png")
    assert (
        main(["video", "frames", str(studio.path("h264.mp4")), "--policy", "20", "-o", sheet]) == 0
    )
    said = capsys.readouterr().err
    assert "decoding [########............] 8 of 20 frames" in said
    assert "decoding [####################] 20 of 20 frames" in said
