"""Names of annotations find files of a folder, or it is said which they do not."""

from __future__ import annotations

import pytest

from fastvbench import InputError
from fastvbench.runs._media import IMAGE_ENDINGS, VIDEO_ENDINGS, MediaFolder
from fastvbench.runs._subtitles import read_subtitles


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return MediaFolder(folder, VIDEO_ENDINGS)


def test_names_find_files(tmp_path):
    media = made(tmp_path, "a.mp4", "deep/er/b.webm", "c.d.mp4", "notes.txt", "UP.MP4")
    for name, file in {
        "a": "a.mp4",
        "a.mp4": "a.mp4",
        "videos/a.mp4": "a.mp4",
        "b": "deep/er/b.webm",
        "deep/er/b.webm": "deep/er/b.webm",
        "b.mkv": "deep/er/b.webm",
        "c.d": "c.d.mp4",
        "UP": "UP.MP4",
    }.items():
        assert media.find([name]) == tmp_path / file, name
    assert media.find(["notes", "nothing"]) is None
    assert media.find(["nothing", "a"]) == tmp_path / "a.mp4"


def test_a_name_of_several_files_is_refused_unless_its_folders_tell(tmp_path):
    media = made(tmp_path, "one/v.mp4", "two/v.mp4")
    with pytest.raises(InputError, match="means several files"):
        media.find(["v"])
    assert media.find(["elsewhere/v", "two/v.mp4"][1:]) == tmp_path / "two" / "v.mp4"
    assert media.find(["two/v"]) == tmp_path / "two" / "v.mp4"


def test_names_do_not_lead_out_of_the_folder(tmp_path):
    (tmp_path / "secret.mp4").write_bytes(b"x")
    media = made(tmp_path / "media", "a.mp4")
    assert media.find(["../secret.mp4"]) is None
    assert media.find([str(tmp_path / "secret.mp4")]) is None


def test_no_folder(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        MediaFolder(tmp_path / "none", IMAGE_ENDINGS)


SRT = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nthere.\r\n\r\n2\r\n"
    "00:00:03,000 --> 00:00:04,000\r\n{\\an8}Bye.\r\n"
)
VTT = "WEBVTT\n\nNOTE a remark\n\nintro\n01:00.000 --> 01:02.000 align:start\nHello <b>you</b>.\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.srt", SRT, "Hello there.\nBye."),
        ("a.vtt", VTT, "Hello you."),
        (
            "a.json",
            '[{"start": "0", "end": "1", "line": "Hi"}, {"timestamp": [0, 1], "text": " "}]',
            "Hi",
        ),
    ],
)
def test_subtitles_are_read(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    assert read_subtitles(path) == expected


@pytest.mark.parametrize(
    ("name", "content"), [("a.srt", "no cues here"), ("a.json", "{}"), ("a.json", "[1]")]
)
def test_what_is_no_subtitle_file_is_refused(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=r"not subtitles|not a cue"):
        read_subtitles(path)
