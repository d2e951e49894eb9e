"""Vision-language models of transformers, each tiny and of random weights."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from tests.python.models._tiny_models import FURTHER_GENERATORS, GENERATORS
from tests.python.models.shown import kinds_of_requests, noise_frames, noise_picture

from fastvbench import InputError
from fastvbench.models import (
    GenerationSettings,
    Generator,
    ModelLostError,
    Request,
    load_generator,
)

torch = pytest.importorskip("torch", reason="the extra [models] is not installed")
pytest.importorskip("transformers", reason="the extra [models] is not installed")

GREEDY = GenerationSettings(max_new_tokens=4)


@pytest.fixture(scope="module")
def loaded(tiny_model):
    """A function from a name to its generator; each is loaded once."""
    made = {}

    def load(name):
        if name not in made:
            made[name] = load_generator(f"hf:{tiny_model(name)}", dtype="float32")
        made[name].batch_size = 4
        return made[name]

    yield load
    for generator in made.values():
        generator.close()


def said(responses):
    """What must not depend on the batch."""
    return [
        (r.id, r.text, r.finish_reason, r.prompt_tokens, r.completion_tokens, r.visual_tokens)
        for r in responses
    ]


@pytest.mark.parametrize("name", [*GENERATORS, *FURTHER_GENERATORS])
def test_one_row_at_a_time_says_what_four_together_say(loaded, name):
    generator = loaded(name)
    requests = kinds_of_requests()
    together = generator.generate(requests, GREEDY)
    generator.batch_size = 1
    alone = generator.generate(requests, GREEDY)
    assert [r.error for r in together] == [None] * len(requests)
    assert {r.batch_size for r in together} == {4}
    assert {r.batch_size for r in alone} == {1}
    assert said(together) == said(alone)
    assert [r.id for r in together] == [request.id for request in requests]
    texts = [r.text for r in together]
    assert len(set(texts)) > 6  # they were looked at: noise gets an answer of its own


@pytest.mark.parametrize("name", GENERATORS)
def test_the_answer_hangs_on_pixels_and_prompt(loaded, name):
    generator = loaded(name)
    base = Request("a", "What happens?", noise_frames(0), images=[noise_picture(0)])
    changed = [
        base,
        dataclasses.replace(base, frames=noise_frames(1)),
        dataclasses.replace(base, images=[noise_picture(1)]),
        dataclasses.replace(base, prompt="What is heard?"),
        dataclasses.replace(base, system="Answer in French."),
    ]
    texts = [r.text for r in generator.generate(changed, GenerationSettings(max_new_tokens=8))]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", GENERATORS)
def test_few_frames_no_frames_and_a_given_beginning(loaded, name):
    generator = loaded(name)
    requests = [
        Request("one", "What happens?", noise_frames(0, count=1)),
        Request("odd", "What happens?", noise_frames(0, count=3)),
        Request("no frame", "What happens?", noise_frames(0, count=0, seconds=[])),
        Request("blind", "What happens?"),
        Request("begun", "What happens?", noise_frames(0), answer_prefix="Best option: ("),
    ]
    answers = {r.id: r for r in generator.generate(requests, GREEDY)}
    assert {r.error for r in answers.values()} == {None}
    assert answers["blind"].visual_tokens == answers["no frame"].visual_tokens == 0
    assert answers["blind"].text == answers["no frame"].text
    assert answers["one"].visual_tokens > 0
    assert answers["odd"].visual_tokens > answers["one"].visual_tokens
    assert not answers["begun"].text.startswith("Best option")  # only what follows


def test_the_end_of_an_answer_is_known(loaded):
    generator = loaded("qwen2_5_vl")
    request = Request("a", "What happens?", noise_frames(0))
    (cut,) = generator.generate([request], GenerationSettings(max_new_tokens=3))
    assert (cut.finish_reason, cut.completion_tokens) == ("length", 3)
    mark = cut.text[1]
    (stopped,) = generator.generate([request], GenerationSettings(max_new_tokens=3, stop=(mark,)))
    assert stopped.finish_reason == "stop"
    assert stopped.text == cut.text[: cut.text.index(mark)]
    ends = generator._model.generation_config
    eos = ends.eos_token_id
    try:  # as if the second token that the model says ended its turn
        first = generator._processor.tokenizer.encode(cut.text[0], add_special_tokens=False)
        ends.eos_token_id = [eos, *first]
        (ended,) = generator.generate([request], GREEDY)
    finally:
        ends.eos_token_id = eos
    assert ended.finish_reason == "stop"
    assert ended.completion_tokens < 4


def test_a_row_that_cannot_be_run_leaves_its_neighbours_alone(loaded):
    generator = loaded("qwen2_5_vl")
    good = [Request(f"good-{i}", f"What? {i}", images=[noise_picture(i)]) for i in range(3)]
    thin = Request("bad", "What?", images=[np.zeros((3, 1, 400), np.uint8)])
    answers = generator.generate([good[0], thin, *good[1:]], GREEDY)
    assert [r.id for r in answers] == ["good-0", "bad", "good-1", "good-2"]
    assert "aspect ratio" in answers[1].error
    assert answers[1].text == ""
    assert said([answers[0], *answers[2:]]) == said(generator.generate(good, GREEDY))


def test_too_little_memory_for_four_is_enough_for_fewer(loaded, monkeypatch):
    generator = loaded("qwen2_5_vl")
    requests = kinds_of_requests()[:4]
    expected = said(generator.generate(requests, GREEDY))
    sizes = []
    generate = generator._model.generate

    def limited(**inputs):
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(**inputs)

    monkeypatch.setattr(generator._model, "generate", limited)
    answers = generator.generate(requests, GREEDY)
    assert sizes == [4, 2, 2]
    assert said(answers) == expected
    assert {(a.attempts, a.batch_size) for a in answers} == {(2, 2)}


def test_a_gpu_in_a_broken_state_ends_it_all(loaded, monkeypatch):
    """Every further call would fail: errors of rows would only hide that."""
    generator = loaded("qwen2_5_vl")

    def broken(**inputs):
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(generator._model, "generate", broken)
    with pytest.raises(ModelLostError, match="device-side assert"):
        generator.generate(kinds_of_requests()[:4], GREEDY)


def test_a_prompt_beyond_the_context_is_an_error_of_its_row(loaded):
    generator = loaded("qwen2_5_vl")
    rows = [Request("long", "so " * 2000), Request("short", "What?")]
    long, short = generator.generate(rows, GREEDY)
    assert "the model takes fewer than 4,096" in long.error
    assert short.error is None
    near = Request("near", "x" * (4096 - 31))  # the template takes some tokens too
    (answer,) = generator.generate([near], GenerationSettings(max_new_tokens=400))
    assert answer.error is None
    assert answer.prompt_tokens + answer.completion_tokens <= 4096


def test_random_answers_hang_on_seed_and_id_alone(loaded):
    generator = loaded("qwen2_5_vl")
    requests = [Request(f"r{i}", "Say something.") for i in range(3)]
    drawn = GenerationSettings(temperature=1.5, max_new_tokens=6, seed=1)
    state = torch.random.get_rng_state()
    first = [r.text for r in generator.generate(requests, drawn)]
    assert torch.equal(torch.random.get_rng_state(), state)  # nobody else's random numbers moved
    backwards = [r.text for r in generator.generate(requests[::-1], drawn)][::-1]
    assert first == backwards
    assert len(set(first)) == 3  # one prompt, three ids
    other = dataclasses.replace(drawn, seed=2)
    assert [r.text for r in generator.generate(requests, other)] != first


def test_a_record_says_which_model_it_was(loaded, tiny_model):
    generator = loaded("smolvlm2")
    assert isinstance(generator, Generator)
    generator.generate(kinds_of_requests(1), GREEDY)
    described = json.loads(json.dumps(generator.describe()))
    assert described["architecture"] == "SmolVLMForConditionalGeneration"
    assert described["dtype"] == "float32"
    assert described["context_tokens"] == 4096
    assert described["versions"]["transformers"]
    assert len(described["fingerprint"]) == 64
    # Its image part and its video part give arrays of one name, so it takes one kind at a time.
    assert described["frames_as"] == {"frames": "video", "frames beside images": "images"}
    assert described["sees_frame_times"] is True
    other = loaded("qwen3_vl")
    other.generate(kinds_of_requests(1), GREEDY)
    assert other.describe()["frames_as"] == {"frames": "video", "frames beside images": "video"}
    assert other.describe()["video_processor"]["cap_pixels_per_frame"] is True
    assert other.describe()["fingerprint"] != described["fingerprint"]


@pytest.mark.parametrize(
    ("name", "sees"), [(name, True) for name in GENERATORS] + [("llava_onevision", False)]
)
def test_whether_a_model_is_told_when_frames_are_shown_is_known(loaded, name, sees):
    assert loaded(name).describe()["sees_frame_times"] is sees


def test_pictures_and_videos_have_budgets_of_their_own(tiny_model):
    """VideoLLaMA3's evaluation gives videos 16K tokens, which is no budget of a picture."""
    frames = Request("video", "What?", noise_frames(0, count=1, height=80, width=112))
    picture = Request("picture", "What?", images=[noise_picture(0, height=80, width=112)])
    folder = tiny_model("videollama3")
    small = {"size": {"shortest_edge": 28 * 28, "longest_edge": 28 * 28}}
    counts = {}
    for name, options in {
        "as saved": {},
        "small videos": {"video_options": small},
        "small pictures": {"image_options": small},
    }.items():
        with load_generator(f"hf:{folder}", **options) as generator:
            answers = generator.generate([frames, picture], GREEDY)
            counts[name] = [answer.visual_tokens for answer in answers]
    (video, seen), (less_video, same), (same_video, less) = counts.values()
    assert less < seen == same
    assert less_video < video == same_video
    with pytest.raises(InputError, match=r"colour.*video_processor does not have.*size"):
        load_generator(f"hf:{folder}", video_options={"colour": 1})


def test_a_model_without_a_chat_template_is_refused(tiny_model, tmp_path):
    for path in tiny_model("qwen2_5_vl").iterdir():
        if "chat_template" not in path.name:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="no chat template"):
        load_generator(f"hf:{tmp_path}")


def test_a_changed_weight_changes_the_fingerprint(tiny_model, tmp_path):
    from fastvbench.models._loading import _folder_fingerprint

    folder = tiny_model("qwen2_5_vl")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert _folder_fingerprint(tmp_path) == _folder_fingerprint(folder)
    weights = bytearray((tmp_path / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(weights)
    assert _folder_fingerprint(tmp_path) != _folder_fingerprint(folder)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"dtype": "float64"}, "dtype.*float64.*bfloat16"),
        ({"batch_size": 0}, "batch_size"),
        ({"frames_as": "gif"}, "frames_as.*video, images"),
        ({"colour": "red"}, "colour.*batch_size"),
        ({"attention": "telepathy"}, "telepathy"),
    ],
)
def test_options_that_cannot_be_are_refused(tiny_model, options, complaint):
    with pytest.raises(InputError, match=complaint):
        load_generator(f"hf:{tiny_model('qwen2_5_vl')}", **options)


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be loaded"):
        load_generator(f"hf:{tmp_path}")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="cannot be loaded"):
        load_generator(f"hf:{tmp_path}")
