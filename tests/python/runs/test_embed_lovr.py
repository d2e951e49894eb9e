"""Captions, clips and videos as vectors: what is seen, what is kept, and what goes on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.python.runs.small_media import RATE, write_video

from fastvbench import InputError
from fastvbench.cli import main
from fastvbench.models import load_embedder
from fastvbench.retrieval.stores import open_embeddings
from fastvbench.runs._embed_lovr import EmbedOptions, embed_lovr

for needed in ("torch", "transformers", "av"):
    pytest.importorskip(needed, reason="the extras [models] and [video] are not installed")

VIDEOS = ("alpha", "beta", "gamma")
# A clip has frames 2 to 8 of the 20 of its video.
CLIPS = {f"{video}-Scene-001": (video, 2 / RATE, 9 / RATE) for video in VIDEOS}


@pytest.fixture(scope="module")
def lovr(tmp_path_factory):
    """A folder of videos, captions of them and of their clips, and where the clips lie."""
    folder = tmp_path_factory.mktemp("lovr")
    (folder / "media" / "deep").mkdir(parents=True)
    for seed, video in enumerate(VIDEOS):
        write_video(folder / "media" / "deep" / f"{video}.mp4", 20 / RATE, seed=seed)

    def write(name, rows):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("all_video.jsonl", [{"vid": v, "cap": f"all of {v}, and more of it"} for v in VIDEOS])
    write("all_clip.jsonl", [{"path": f"x/{c}.mp4", "cap": f"part of {c[:2]}"} for c in CLIPS])
    write("clips.jsonl", [{"id": c, "begin": b, "end": e} for c, (_, b, e) in CLIPS.items()])
    return folder


def options(lovr, out, model, **changed):
    given = {
        "model": f"hf:{model}",
        "captions": [str(lovr / "all_clip.jsonl"), str(lovr / "all_video.jsonl")],
        "out": out,
        "media": lovr / "media",
        "clips": str(lovr / "clips.jsonl"),
        "frames": ["every:3"],
        "batch_size": 2,
    }
    return EmbedOptions(**(given | changed))


def decoded(path, numbers):
    import av

    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    return np.stack([np.moveaxis(frames[k], -1, 0) for k in numbers])


def test_a_vector_is_the_mean_of_the_frames_inside_the_boundaries(lovr, tiny_model, tmp_path):
    outcome = embed_lovr(options(lovr, tmp_path, tiny_model("clip")))
    assert outcome.is_complete
    videos = open_embeddings(tmp_path / "videos.safetensors")
    clips = open_embeddings(tmp_path / "clips.safetensors")
    assert list(videos.ids) == list(VIDEOS)
    assert list(clips.ids) == list(CLIPS)
    assert list(clips.videos) == list(VIDEOS)
    seen = {"videos": (videos, range(0, 20, 3)), "clips": (clips, range(2, 9, 3))}
    with load_embedder(f"hf:{tiny_model('clip')}") as embedder:
        for store, numbers in seen.values():
            for row, video in enumerate(VIDEOS):
                frames = decoded(lovr / "media" / "deep" / f"{video}.mp4", numbers)
                mean = embedder.embed_frames(frames).mean(axis=0)
                expected = mean / np.linalg.norm(mean)
                assert np.abs(store.embeddings[row] - expected).max() < 1e-5
        texts = open_embeddings(tmp_path / "text_videos.safetensors")
        own = embedder.embed_texts(["all of beta, and more of it"])
        assert np.abs(texts.embeddings[1] - own.vectors[0]).max() < 1e-5
        assert texts.token_counts[1] == embedder.text_limit_tokens < own.token_counts[0]


@pytest.mark.parametrize("name", ["clip", "siglip"])
def test_the_files_are_what_retrieve_reads(lovr, tiny_model, tmp_path, capsys, name):
    out = tmp_path / "out"
    words = ["embed", "lovr", "--model", f"hf:{tiny_model(name)}", "-o", str(out)]
    words += ["--captions", str(lovr / "all_clip.jsonl"), str(lovr / "all_video.jsonl")]
    words += ["--media", str(lovr / "media"), "--clips", str(lovr / "clips.jsonl")]
    assert main([*words, "--frames", "0,1,uniform-floor:4", "--score"]) == 0
    printed = capsys.readouterr()
    assert "warning: 3 of 3 texts of text_videos are longer than the model reads" in printed.err
    record = json.loads((out / "embeddings.json").read_text())
    assert [b["frames"] for b in record["budgets"]] == [
        "0",
        "uniform-linspace:1",
        "uniform-floor:4",
    ]
    assert record["budgets"][0]["recall"]["text_to_clip"]["recall@1"] == pytest.approx(1 / 3)
    assert record["texts"]["text_videos"]["truncated_texts"] == 3
    assert record["complete"] is True
    folder = out / "frames-uniform-floor-4"
    result = tmp_path / "result.json"
    sides = ["--text-clips", str(out / "text_clips.safetensors")]
    sides += ["--clips", str(folder / "clips.safetensors")]
    sides += ["--text-videos", str(out / "text_videos.safetensors")]
    sides += ["--videos", str(folder / "videos.safetensors")]
    assert main(["retrieve", "lovr", *sides, "-o", str(result)]) == 0
    assert "a tokenizer seems to cut there" in capsys.readouterr().err
    scored = json.loads(result.read_text())["rules"]["robust"]["strata"]["direction"]
    for direction, recalls in record["budgets"][2]["recall"].items():
        assert recalls["recall@1"] == scored[direction]["recall@1"]["value"]
    assert set(record["budgets"][2]["recall"]) == set(scored)


def test_a_video_that_fails_is_named_and_tried_again(lovr, tiny_model, tmp_path, capsys):
    media = tmp_path / "media"
    media.mkdir()
    for video in VIDEOS[:2]:
        whole = (lovr / "media" / "deep" / f"{video}.mp4").read_bytes()
        (media / f"{video}.mp4").write_bytes(whole if video == "alpha" else whole[:200])
    out = tmp_path / "out"
    words = ["embed", "lovr", "--model", f"hf:{tiny_model('clip')}", "--media", str(media)]
    words += ["--captions", str(lovr / "all_video.jsonl"), "-o", str(out)]
    assert main(words) == 4
    told = capsys.readouterr().err
    assert "failed videos: beta: " in told
    assert "failed videos: gamma: no such file in the media folder" in told
    assert list(open_embeddings(out / "videos.safetensors").ids) == ["alpha"]
    for video in VIDEOS[1:]:
        whole = (lovr / "media" / "deep" / f"{video}.mp4").read_bytes()
        (media / f"{video}.mp4").write_bytes(whole)
    (media / "alpha.mp4").write_bytes(b"not asked for any more")
    assert main(words) == 0
    assert list(open_embeddings(out / "videos.safetensors").ids) == list(VIDEOS)


def test_a_stopped_job_goes_on_to_the_same_files(lovr, tiny_model, tmp_path):
    """Cut anywhere in what was kept, even in the middle of a row."""
    model = tiny_model("x_clip")
    whole = tmp_path / "whole"
    embed_lovr(options(lovr, whole, model))
    names = [f"{name}.safetensors" for name in ("text_clips", "text_videos", "clips", "videos")]
    journals = {name: (whole / f"{name}.journal").read_bytes() for name in names}
    draw = np.random.default_rng(0)
    for attempt in range(6):
        out = tmp_path / f"stopped-{attempt}"
        out.mkdir()
        kept = {name: int(draw.integers(0, len(j) + 1)) for name, j in journals.items()}
        for name, journal in journals.items():
            (out / f"{name}.journal").write_bytes(journal[: kept[name]])
        outcome = embed_lovr(options(lovr, out, model))
        assert outcome.is_complete
        for name in names:
            assert (out / name).read_bytes() == (whole / name).read_bytes()
        for name, side in outcome.sides:
            assert (side.resumed == 3) == (
                kept[f"{name}.safetensors"] == len(journals[f"{name}.safetensors"])
            )


def test_other_settings_are_refused_by_name(lovr, tiny_model, tmp_path):
    model = tiny_model("clip")
    embed_lovr(options(lovr, tmp_path, model))
    with pytest.raises(InputError, match=r"clips.*other settings \(frames\)"):
        embed_lovr(options(lovr, tmp_path, model, frames=["every:4"]))
    with pytest.raises(InputError, match=r"other settings \(dimension, fingerprint, model\)"):
        embed_lovr(options(lovr, tmp_path, tiny_model("siglip")))
    with pytest.raises(InputError, match=r"other settings \(items\)"):
        embed_lovr(options(lovr, tmp_path, model, limit=2))


def test_a_model_of_text_embeds_captions_alone(lovr, tiny_model, tmp_path):
    outcome = embed_lovr(options(lovr, tmp_path, tiny_model("sentence_bert"), ending="npy"))
    assert [name for name, _ in outcome.sides] == ["text_clips", "text_videos"]
    assert "model of text alone" in outcome.note
    assert list(open_embeddings(tmp_path / "text_clips.npy").ids) == list(CLIPS)


def test_bad_words_are_refused(lovr, tiny_model, tmp_path, capsys):
    given = ["embed", "lovr", "--model", f"hf:{tiny_model('clip')}", "-o", str(tmp_path / "out")]
    given += ["--captions", str(lovr / "all_video.jsonl")]
    for words, complaint in (
        (["--frames", "many"], "not a frame policy"),
        (["--model-option", "colour=red"], "colour"),
        (["--model", "hf:"], "names no model"),
        (["--clips", str(lovr / "clips.jsonl")], "--media DIR"),
    ):
        assert main([*given, *words]) == 2
        assert complaint in capsys.readouterr().err


def test_a_folder_of_other_videos_is_refused(lovr, tiny_model, tmp_path):
    with pytest.raises(InputError, match="holds none of the 3 clips"):
        embed_lovr(options(lovr, tmp_path / "out", tiny_model("clip"), media=tmp_path))
