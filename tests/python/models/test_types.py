"""Requests, settings, saved answers, and how a specification is read."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fastvbench import InputError
from fastvbench.models import (
    Frames,
    GenerationSettings,
    Generator,
    Request,
    Response,
    load_embedder,
    load_generator,
)


def frames(**changed):
    given = {
        "pixels": np.zeros((2, 3, 4, 6), np.uint8),
        "seconds": np.array([0.0, 1.0]),
        "indices": np.array([0, 25]),
        "source_rate": 25.0,
        "duration_seconds": 2.0,
    }
    return Frames(**(given | changed))


def test_frames_say_what_does_not_agree():
    assert len(frames()) == 2
    with pytest.raises(InputError, match=r"'pixels'.*uint8 \[n, 3, height, width\]"):
        frames(pixels=np.zeros((2, 3, 4, 6), np.float32))
    with pytest.raises(InputError, match=r"'pixels'"):
        frames(pixels=np.zeros((2, 4, 6, 3), np.uint8))
    with pytest.raises(InputError, match=r"'seconds'.*got \(1,\); expected \(2,\)"):
        frames(seconds=np.array([0.0]))
    with pytest.raises(InputError, match="'indices'"):
        frames(indices=np.array([0, 1, 2]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("top_p", 0.0),
        ("top_p", 1.5),
        ("top_k", 0),
        ("max_new_tokens", 0),
        ("thinking_tokens", -1),
    ],
)
def test_settings_out_of_range_are_refused_by_name(name, value):
    with pytest.raises(InputError, match=name):
        GenerationSettings(**{name: value})


def test_settings_default_to_greedy_and_are_json():
    settings = GenerationSettings(stop=("\n",))
    assert not settings.samples
    assert json.loads(json.dumps(settings.as_dict()))["stop"] == ["\n"]
    assert GenerationSettings(temperature=0.7).samples


def test_a_failure_is_one_line():
    failed = Response.failed("7", "first\n  second", attempts=3)
    assert (failed.error, failed.text, failed.attempts) == ("first second", "", 3)
    assert Response.failed("7", " ").error


def test_saved_answers_answer_by_id(tmp_path):
    path = tmp_path / "saved.jsonl"
    rows = [{"id": 1, "text": "A"}, {"id": 2, "text": None}, {"id": 1, "text": "B"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with load_generator(f"answers:{path}") as generator:
        assert isinstance(generator, Generator)
        asked = [Request("2", "?"), Request("1", "?"), Request("x", "?")]
        answers = generator.generate(asked, GenerationSettings())
        described = generator.describe()
    assert [answer.id for answer in answers] == ["2", "1", "x"]
    assert answers[1].text == "B"  # the last row of an id, as scoring has it
    assert answers[1].error is None
    assert "no text" in answers[0].error
    assert '"x"' in answers[2].error
    assert (described["rows"], described["repeated_ids"]) == (2, 1)
    assert len(described["sha256"]) == 64


@pytest.mark.parametrize("specification", ["", "hf", "hf:", "nothing:here"])
def test_a_specification_that_names_no_model_is_refused(specification):
    with pytest.raises(InputError, match="model"):
        load_generator(specification)
    with pytest.raises(InputError, match="model"):
        load_embedder(specification)


def test_an_option_of_another_kind_is_refused_with_those_there_are(tmp_path):
    path = tmp_path / "saved.json"
    path.write_text('{"1": "A"}')
    with pytest.raises(InputError, match=r"batch_size.*format, id_field, text_field"):
        load_generator(f"answers:{path}", batch_size=4)
