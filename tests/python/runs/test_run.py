"""A run from the first question to the score, on a model that is made up."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re

import pytest
from tests.python.runs.made_up import MadeUpModel, questions, said_letter

import fastvbench as fvb
from fastvbench import InputError, MissingExtraError
from fastvbench.models import GenerationSettings, ModelLostError
from fastvbench.runs._options import RunOptions, parse_shard
from fastvbench.runs._run import carry_out


def record_of(folder):
    return json.loads((folder / "run.json").read_bytes())


def test_run_asks_everything_once_and_scores_it(tmp_path, rows_of):
    gold, model = questions(50), MadeUpModel()
    result = fvb.run("lvbench", model, None, gold, tmp_path / "run", frames="0")
    assert sorted(model.asked) == sorted(row["uid"] for row in gold)
    right = sum(said_letter(row["uid"]) == row["answer"] for row in gold)
    assert result.value("accuracy") == right / 50
    run = result.data["run"]
    assert (run["complete"], run["answered"], run["missing"]) == (True, 50, 0)
    assert run["cost"] | {"latency_seconds": 0} == {
        "prompt_tokens": 350,
        "visual_tokens": None,
        "completion_tokens": 250,
        "frames": 0,
        "images": 0,
        "latency_seconds": 0,
    }
    assert json.loads((tmp_path / "run" / "result.json").read_bytes())["rules"]
    assert (tmp_path / "run" / "result.samples.jsonl.gz").exists()
    [first, *_] = rows_of(tmp_path / "run")
    assert first["prompt"].startswith("What is number 0?\n(A) one\n")
    assert first["finish_reason"] == "stop"
    assert model.seen[0].frames is None
    record = record_of(tmp_path / "run")
    assert record["identity"]["protocol"]["fingerprint"] == result.data["protocol"]["fingerprint"]
    assert record["sessions"][0]["environment"]["packages"]["numpy"]


def test_questions_of_a_video_are_asked_side_by_side(tmp_path):
    model = MadeUpModel(batch_size=5)
    fvb.run("lvbench", model, None, questions(20, videos=4), tmp_path / "run", frames="0")
    videos = [int(ident[1:]) % 4 for ident in model.asked]
    assert videos == sorted(videos)


def test_a_run_that_is_there_is_not_touched_unless_told(tmp_path, rows_of):
    gold = questions(12)
    fvb.run("lvbench", MadeUpModel(), None, gold, tmp_path / "run", frames="0")
    held = rows_of(tmp_path / "run")
    with pytest.raises(InputError, match="holds a run already"):
        fvb.run("lvbench", MadeUpModel(), None, gold, tmp_path / "run", frames="0")
    again = MadeUpModel()
    fvb.run("lvbench", again, None, gold, tmp_path / "run", frames="0", resume=True)
    assert again.asked == []
    assert rows_of(tmp_path / "run") == held


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"settings": GenerationSettings(temperature=0.5)}, "settings.temperature"),
        ({"prompt": "videollama3"}, "prompt.source"),
        ({"limit": 3}, "limit"),
        ({"shard": "0/2"}, "questions"),
        ({"frame_pixels": 1000}, "frames.most_pixels"),
    ],
)
def test_another_run_does_not_go_on_in_this_folder(tmp_path, change, field):
    gold = questions(12)
    fvb.run("lvbench", MadeUpModel(), None, gold, tmp_path / "run", frames="0")
    options = RunOptions(
        protocol="lvbench",
        model=MadeUpModel(),
        annotations=gold,
        out=tmp_path / "run",
        frames="0",
        resume=True,
        **{k: parse_shard(v) if k == "shard" else v for k, v in change.items()},
    )
    with pytest.raises(
        InputError, match=rf"field '{re.escape(field)}': the run in this folder is another"
    ):
        carry_out(options)
    with pytest.raises(InputError, match=r"annotations\.sha256"):
        fvb.run(
            "lvbench", MadeUpModel(), None, gold[:-1], tmp_path / "run", frames="0", resume=True
        )


def test_a_folder_that_was_left_before_it_had_a_record(tmp_path):
    gold, out = questions(4), tmp_path / "run"
    out.mkdir()
    (out / "responses.jsonl").touch()
    (out / ".run.json.left").write_text("half of a rec")  # by a process that was killed
    assert fvb.run("lvbench", MadeUpModel(), None, gold, out, frames="0").data["run"]["complete"]
    assert not (out / ".run.json.left").exists()
    (out / "run.json").unlink()
    with pytest.raises(InputError, match=r"holds responses\.jsonl without run\.json"):
        fvb.run("lvbench", MadeUpModel(), None, gold, out, frames="0", resume=True)


def test_failed_questions_are_tried_again(tmp_path, rows_of):
    gold, out = questions(30), tmp_path / "run"
    failing = frozenset({"q3", "q17", "q29"})
    result = fvb.run("lvbench", MadeUpModel(failing=failing), None, gold, out, frames="0")
    run = result.data["run"]
    assert (run["complete"], run["failed"], run["answered"]) == (False, 3, 27)
    assert run["failed_examples"]["q17"] == "made up to fail"
    assert result.data["coverage"]["status"]["error"] == 3
    again = MadeUpModel()
    result = fvb.run("lvbench", again, None, gold, out, frames="0", resume=True)
    assert set(again.asked) == failing
    assert result.data["run"]["complete"]
    assert len({row["id"] for row in rows_of(out)}) == len(rows_of(out)) == 30
    assert record_of(out)["sessions"][1]["retried"] == 3
    whole = fvb.run("lvbench", MadeUpModel(), None, gold, tmp_path / "whole", frames="0")
    assert whole.data["rules"] == result.data["rules"]
    hashes = {r.data["run"]["responses_sha256_without_times"] for r in (whole, result)}
    assert len(hashes) == 1


class DyingModel(MadeUpModel):
    """Answers some questions, and then none."""

    def generate(self, requests, settings):
        if len(self.asked) >= 12:
            self.asked += [request.id for request in requests]
            raise ConnectionError("the server went away")
        return super().generate(requests, settings)


def test_a_model_that_dies_ends_the_run_early(tmp_path):
    options = RunOptions(
        protocol="lvbench",
        model=DyingModel(),
        annotations=questions(200),
        out=tmp_path / "run",
        frames="0",
        most_failures=5,
    )
    outcome = carry_out(options)
    assert outcome.progress.answered == 12
    assert 5 <= outcome.progress.failed <= 8
    assert "times in a row" in str(outcome.progress.stopped)
    assert "the server went away" in str(outcome.progress.stopped)
    run = outcome.result.data["run"]
    assert run["answered"] == 12
    assert run["missing"] == 200 - 12 - run["failed"]


class LostModel(MadeUpModel):
    """Whose GPU stops taking calls after a few batches, once."""

    def generate(self, requests, settings):
        if len(self.asked) >= 12:
            raise ModelLostError("the GPU is in a broken state")
        return super().generate(requests, settings)


def test_a_lost_model_ends_the_run_and_a_new_one_goes_on(tmp_path):
    options = RunOptions(
        protocol="lvbench",
        model=LostModel(),
        annotations=questions(40),
        out=tmp_path / "run",
        frames="0",
    )
    ended = carry_out(options)
    assert ended.progress.stopped == "the GPU is in a broken state"
    assert (ended.progress.answered, ended.progress.failed) == (12, 0)
    assert not ended.complete
    done = carry_out(dataclasses.replace(options, model=MadeUpModel(), resume=True))
    assert done.complete
    assert done.progress.before == 12


class OnlyAlone(MadeUpModel):
    """Has room for one question at a time."""

    def generate(self, requests, settings):
        if len(requests) > 1:
            raise RuntimeError("out of memory")
        return super().generate(requests, settings)


def test_a_batch_that_is_too_large_is_tried_one_by_one(tmp_path):
    result = fvb.run("lvbench", OnlyAlone(), None, questions(9), tmp_path / "run", frames="0")
    assert result.data["run"]["complete"]


class Interrupted(MadeUpModel):
    """The user's patience ends."""

    def generate(self, requests, settings):
        if len(self.asked) >= 8:
            raise KeyboardInterrupt
        return super().generate(requests, settings)


def test_ctrl_c_keeps_and_scores_what_is_finished(tmp_path, rows_of):
    gold, out = questions(40), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        fvb.run("lvbench", Interrupted(), None, gold, out, frames="0")
    assert len(rows_of(out)) == 8
    data = json.loads((out / "result.json").read_bytes())
    assert data["run"]["missing"] == 32
    assert record_of(out)["sessions"][0]["stopped"] == "interrupted"
    assert fvb.run("lvbench", MadeUpModel(), None, gold, out, frames="0", resume=True).data["run"][
        "complete"
    ]


def test_limit_restricts_the_denominator(tmp_path):
    result = fvb.run(
        "lvbench", MadeUpModel(), None, questions(30), tmp_path / "run", frames="0", limit=7
    )
    assert result.data["run"]["expected"] == 7
    assert result.data["coverage"]["expected"] == 7


def test_saved_answers_score_as_score_does(tmp_path):
    gold = questions(30)
    said = tmp_path / "said.json"
    said.write_text(json.dumps({f"q{k}": said_letter(f"q{k}") for k in range(25)}))
    run = fvb.run("lvbench", f"answers:{said}", None, gold, tmp_path / "run").data
    scored = fvb.score("lvbench", said, gold).data
    assert run["rules"] == scored["rules"]
    assert run["coverage"] == scored["coverage"]
    assert run["run"]["missing"] == 5


def test_what_the_model_of_saved_answers_was_shown_is_not_known(tmp_path):
    gold = [row | {"duration_seconds": 3600.0} for row in questions(8)]
    said = tmp_path / "said.json"
    said.write_text(json.dumps({row["uid"]: "A" for row in gold}))
    unknown = fvb.run("lvbench", f"answers:{said}", None, gold, tmp_path / "run").data
    assert unknown["run"]["cost"]["frames"] is None
    assert unknown["run"]["cost"]["images"] is None
    assert "frames_per_minute" not in unknown["diagnostics"]
    blind = fvb.run("lvbench", f"answers:{said}", None, gold, tmp_path / "blind", frames="0").data
    assert blind["run"]["cost"]["frames"] == 0


def test_media_are_asked_for(tmp_path):
    with pytest.raises(InputError, match="--media DIR, or --blind"):
        fvb.run("lvbench", MadeUpModel(), None, questions(3), tmp_path / "run", frames="4")
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "v0.mp4").write_bytes(b"no video")
    with pytest.raises(InputError, match="2 files that 2 questions need are not there: v1, v2"):
        fvb.run(
            "lvbench",
            MadeUpModel(),
            tmp_path / "videos",
            questions(3),
            tmp_path / "run",
            frames="4",
        )
    assert not (tmp_path / "run").exists()


def test_a_benchmark_that_is_no_list_of_questions(tmp_path):
    for name in ("lovr", "videollama3_suite"):
        with pytest.raises(InputError, match="is no benchmark of questions"):
            fvb.run(name, MadeUpModel(), None, [], tmp_path / "run")


def test_subtitles_are_shown_with_frames_or_without(tmp_path):
    gold = [
        {
            "video_id": f"00{k}",
            "videoID": f"v{k}",
            "question_id": f"00{k}-1",
            "question": "What is said?",
            "options": ["A. x", "B. y", "C. z", "D. w"],
            "answer": "A",
        }
        for k in range(2)
    ]
    subtitles = tmp_path / "subtitles"
    subtitles.mkdir()
    (subtitles / "v0.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nI said {options}.\n")
    with pytest.raises(InputError, match="1 videos have no subtitle file: v1"):
        fvb.run(
            "videomme", MadeUpModel(), None, gold, tmp_path / "r", frames="0", subtitles=subtitles
        )
    (subtitles / "v1.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nNothing.\n")
    model = MadeUpModel()
    result = fvb.run("videomme", model, None, gold, tmp_path / "r", frames="0", subtitles=subtitles)
    assert result.data["setting"] == "with_subtitle"
    prompt = model.seen[0].prompt
    assert prompt.startswith("This video's subtitles are listed below:\nI said {options}.\nSelect")
    bare = fvb.run("videomme", MadeUpModel(), None, gold, tmp_path / "bare", frames="0")
    assert bare.data["setting"] == "without_subtitle"


class Server(MadeUpModel):
    """Takes requests as there is room, and answers out of order."""

    def __init__(self, **options):
        super().__init__(**options)
        self.most_under_way = 0

    def stream(self, requests, settings):
        under_way = []
        for request in requests:
            under_way.append(request)
            self.most_under_way = max(self.most_under_way, len(under_way))
            if len(under_way) == self.batch_size:
                yield from self.generate([under_way.pop()], settings)
        while under_way:
            yield from self.generate([under_way.pop()], settings)


def test_a_server_is_asked_as_it_has_room(tmp_path, rows_of):
    gold, model = questions(40), Server(failing=frozenset({"q5"}), batch_size=3)
    result = fvb.run("lvbench", model, None, gold, tmp_path / "run", frames="0")
    assert model.most_under_way == 3
    assert (result.data["run"]["answered"], result.data["run"]["failed"]) == (39, 1)
    assert len({row["id"] for row in rows_of(tmp_path / "run")}) == 40
    dead = Server(failing=frozenset(f"q{k}" for k in range(4, 40)))
    options = RunOptions(
        protocol="lvbench",
        model=dead,
        annotations=questions(40, videos=40),
        out=tmp_path / "dead",
        frames="0",
        most_failures=6,
    )
    outcome = carry_out(options)
    assert "6 times in a row" in str(outcome.progress.stopped)
    assert len(dead.asked) < 15


class Wasteful(MadeUpModel):
    """Makes more tokens of a picture than is published."""

    def generate(self, requests, settings):
        return [
            dataclasses.replace(each, visual_tokens=20_000)
            for each in super().generate(requests, settings)
        ]


def test_more_visual_tokens_than_published_are_a_deviation(tmp_path):
    gold, out = questions(8), tmp_path / "run"
    result = fvb.run("lvbench", Wasteful(), None, gold, out, frames="0", prompt="videollama3")
    entry = result.data["diagnostics"]["protocol_deviations"]
    assert entry["deviations"][-1] == {
        "what": "visual tokens",
        "published": "at most 16,384",
        "used": "up to 20,000",
    }
    assert result.data["run"]["cost"]["visual_tokens"] == 160_000


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_what_decodes_videos_is_an_extra(tmp_path):
    for number in range(3):
        (tmp_path / f"v{number}.mp4").write_bytes(b"no video")
    gold = questions(3, videos=3)
    with pytest.raises(MissingExtraError, match=r"pip install 'fastvbench\[video\]'"):
        fvb.run("lvbench", MadeUpModel(), tmp_path, gold, tmp_path / "run", frames="4")
