"""Real code all the way: decode, prompt, generate, score; the models are tiny and say noise."""

from __future__ import annotations

import json

import pytest
from tests.python.models._tiny_models import GENERATORS
from tests.python.runs.made_up import MadeUpModel, questions
from tests.python.runs.small_media import RATE, write_image, write_video

import fastvbench as fvb
from fastvbench import InputError
from fastvbench.cli import main
from fastvbench.models import GenerationSettings, load_generator

pytest.importorskip("torch", reason="the extra [video] is not installed")
pytest.importorskip("av", reason="the extra [video] is not installed")
pytest.importorskip("PIL", reason="the extra [models] is not installed")

SETTINGS = GenerationSettings(max_new_tokens=4)
DOCVQA = [
    {
        "questionId": number,
        "docId": number // 2,
        "image": f"documents/page_{number // 2}.png",
        "question": f"What is written in line {number}?",
        "answers": ["nothing"],
    }
    for number in range(5)
]
MLVU = [  # its prompt begins the model's answer
    {
        "video": f"v{number}.mp4",
        "question": "What happens?",
        "candidates": ["rain", "snow"],
        "answer": "rain",
        "question_type": "ego",
    }
    for number in range(3)
]
FORESEAQA = [
    {
        "id": f"f{number}",
        "video": f"v{number % 2}",
        "question": "When does this person leave?" if number % 2 else "When does it rain?",
        "options": ["early", "late", "never"],
        "answer": "B",
        "interval": [1.0, 2.0],
        "image": f"person_{number}.png" if number % 2 else None,
    }
    for number in range(5)
]


@pytest.fixture(scope="module")
def media(tmp_path_factory):
    folder = tmp_path_factory.mktemp("media")
    (folder / "documents").mkdir()
    for number in range(3):
        write_video(folder / f"v{number}.mp4", 2.0 + number / 2, seed=number)
        write_image(folder / "documents" / f"page_{number}.png", seed=10 + number)
    for number in (1, 3):
        write_image(folder / f"person_{number}.png", seed=20 + number, size=(32, 40))
    return folder


@pytest.mark.parametrize("name", GENERATORS)
def test_a_model_answers_videos_images_and_both(name, tiny_model, media, tmp_path, rows_of):
    pytest.importorskip("transformers", reason="the extra [models] is not installed")
    runs = (
        ("lvbench", questions(7, videos=3), "uniform:4"),
        ("docvqa", DOCVQA, None),
        ("foreseaqa", FORESEAQA, "2fps"),
        ("mlvu", MLVU, "uniform:2"),
    )
    with load_generator(f"hf:{tiny_model(name)}", dtype="float32") as generator:
        for protocol, gold, frames in runs:
            for size in (1, 4):
                generator.batch_size = size
                result = fvb.run(
                    protocol,
                    generator,
                    media,
                    gold,
                    tmp_path / f"{protocol}{size}",
                    frames=frames,
                    settings=SETTINGS,
                    batch_size=size,
                )
                assert result.data["run"]["complete"]
                assert result.data["coverage"]["missing"] == 0
            one, four = (rows_of(tmp_path / f"{protocol}{size}") for size in (1, 4))
            assert one == four
            assert all(row["prompt_tokens"] > 0 and row["completion_tokens"] > 0 for row in one)
            results = [
                json.loads((tmp_path / f"{protocol}{size}" / "result.json").read_bytes())
                for size in (1, 4)
            ]
            assert results[0]["rules"] == results[1]["rules"]
            assert {row["images"] for row in one} == {
                "lvbench": {0},
                "docvqa": {1},
                "foreseaqa": {0, 1},
                "mlvu": {0},
            }[protocol]


def test_rows_say_which_frames_were_shown_and_videos_are_decoded_once(media, tmp_path, rows_of):
    model = MadeUpModel(batch_size=5)
    out = tmp_path / "run"
    indexes = tmp_path / "indexes"
    indexes.mkdir()
    gold = questions(12, videos=3)
    fvb.run("lvbench", model, media, gold, out, frames="uniform:4", index_cache=indexes)
    assert len(list(indexes.iterdir())) == 3
    session = json.loads((out / "run.json").read_bytes())["sessions"][0]
    assert session["videos_decoded"] == 3
    for row, request in zip(rows_of(out), model.seen, strict=True):
        frames = row["video_frames"]
        length = 2.0 + int(row["video"][1:]) / 2
        assert row["frame_count"] == len(request.frames) == 4
        assert frames["seconds"] == [index / RATE for index in frames["indices"]]
        assert frames["indices"][0] == 0
        assert frames["indices"][-1] == int(length * RATE) - 1
        assert frames["duration_seconds"] == pytest.approx(length)
        assert (frames["width"], frames["height"]) == (64, 48)
        assert frames["backend"].startswith(("torchcodec", "pyav"))
        assert tuple(request.frames.pixels.shape) == (4, 3, 48, 64)
    by_video = {}
    for row, request in zip(rows_of(out), model.seen, strict=True):
        by_video.setdefault(row["video"], set()).add(id(request.frames))
    assert {len(frames) for frames in by_video.values()} == {1}


def test_frames_are_scaled_down_not_up(media, tmp_path, rows_of):
    model = MadeUpModel()
    gold = questions(3, videos=3)
    fvb.run("lvbench", model, media, gold, tmp_path / "run", frames="3", frame_pixels=768)
    assert {tuple(request.frames.pixels.shape) for request in model.seen} == {(3, 3, 24, 32)}
    result = json.loads((tmp_path / "run" / "result.json").read_bytes())
    found = result["diagnostics"]["protocol_deviations"]["deviations"]
    assert {"frames", "frame size"} <= {each["what"] for each in found}


def test_a_video_that_cannot_be_read_costs_its_own_questions(media, tmp_path, rows_of):
    folder = tmp_path / "media"
    folder.mkdir()
    (folder / "v0.mp4").write_bytes((media / "v0.mp4").read_bytes())
    (folder / "v1.mp4").write_bytes(b"this is no video at all" * 50)
    gold = questions(9, videos=3)
    out = tmp_path / "run"
    result = fvb.run(
        "lvbench", MadeUpModel(), folder, gold, out, frames="2", allow_missing_media=True
    )
    errors = {row["video"]: row["error"] for row in rows_of(out)}
    assert errors["v0"] is None
    assert errors["v1"].startswith("video v1: ")
    assert errors["v2"] == "no file in the media folder for v2"
    assert (result.data["run"]["answered"], result.data["run"]["failed"]) == (3, 6)
    for number in (1, 2):
        (folder / f"v{number}.mp4").write_bytes((media / f"v{number}.mp4").read_bytes())
    again = MadeUpModel()
    done = fvb.run(
        "lvbench", again, folder, gold, out, frames="2", allow_missing_media=True, resume=True
    )
    assert done.data["run"]["complete"]
    assert len(again.asked) == 6


def test_a_clip_is_shown_and_nothing_else(media, tmp_path, rows_of):
    rows = [
        {
            "video": "v2.mp4",
            "question": "Q?",
            "candidates": ["x", "y"],
            "answer": "x",
            "task_type": "action_count",
            "start": 1.0,
            "end": 2.0,
        },
        {
            "video": "v2.mp4",
            "question": "Q2?",
            "candidates": ["x", "y"],
            "answer": "x",
            "task_type": "action_count",
        },
    ]
    fvb.run("mvbench", MadeUpModel(), media, rows, tmp_path / "run", frames="4")
    clip, whole = sorted(rows_of(tmp_path / "run"), key=lambda row: row["id"])
    assert all(1.0 <= second < 2.0 for second in clip["video_frames"]["seconds"])
    assert whole["video_frames"]["seconds"][-1] > 2.5


def test_images_have_no_frames_and_may_be_left_out(media, tmp_path, rows_of):
    with pytest.raises(InputError, match="is about images, which have no frames"):
        fvb.run("docvqa", MadeUpModel(), media, DOCVQA, tmp_path / "no", frames="4")
    model = MadeUpModel()
    fvb.run("docvqa", model, None, DOCVQA, tmp_path / "blind", frames="0")
    assert {len(request.images) for request in model.seen} == {0}
    folder = tmp_path / "media"
    (folder / "documents").mkdir(parents=True)
    for number in range(3):
        (folder / "documents" / f"page_{number}.png").write_bytes(b"no picture")
    failed = fvb.run("docvqa", MadeUpModel(), folder, DOCVQA, tmp_path / "failed")
    assert failed.data["run"]["failed"] == 5
    assert "not an image that can be read" in failed.data["run"]["failed_examples"]["0"]


def test_a_study_of_frame_budgets(media, tmp_path, capsys, monkeypatch):
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in questions(12, videos=3)))
    model = MadeUpModel()
    monkeypatch.setattr("fastvbench.runs._run.load_generator", lambda name: model)
    out = tmp_path / "study"
    command = ["run", "lvbench", "--model", "made:up", "--annotations", str(gold)]
    command += ["--media", str(media), "-o", str(out), "--frames", "0,1,4"]
    assert main(command) == 0
    budgets = json.loads((out / "study.json").read_bytes())["budgets"]
    assert [entry["frames"] for entry in budgets] == [0, 12, 48]
    assert {entry["prompt_tokens"] for entry in budgets} == {84}
    assert {entry["value"] for entry in budgets} == {budgets[0]["value"]}
    for entry in budgets:
        record = json.loads((out / entry["folder"] / "run.json").read_bytes())
        opened = record["sessions"][0]["videos_decoded"]
        assert opened == (3 if entry["frames"] else 0)
    assert len(model.asked) == 36
    assert main([*command, "--resume"]) == 0
    assert len(model.asked) == 36
    assert capsys.readouterr().out.count("uniform-linspace:4") == 4  # a row and a deviation, twice
