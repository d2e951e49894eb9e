"""Embedders of transformers, each tiny and of random weights."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.python.models._tiny_models import DUAL_ENCODERS, EMBEDDERS, TEXT_LIMIT_TOKENS
from tests.python.models.shown import noise_frames

from fastvbench import InputError
from fastvbench.models import Embedder, load_embedder, load_generator

torch = pytest.importorskip("torch", reason="the extra [models] is not installed")
transformers = pytest.importorskip("transformers", reason="the extra [models] is not installed")

TEXTS = ["a cat", "a dog sleeps", "rain"]


@pytest.fixture(scope="module")
def loaded(tiny_model):
    """A function from a name to its embedder; each is loaded once."""
    made = {}

    def load(name):
        if name not in made:
            made[name] = load_embedder(f"hf:{tiny_model(name)}", batch_size=4)
        return made[name]

    yield load
    for embedder in made.values():
        embedder.close()


@pytest.mark.parametrize("name", EMBEDDERS)
def test_texts_become_vectors_of_length_one(loaded, name):
    embedder = loaded(name)
    assert isinstance(embedder, Embedder)
    embedded = embedder.embed_texts(TEXTS * 2)
    assert embedded.vectors.shape == (6, embedder.dimension)
    assert embedded.vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(embedded.vectors, axis=1) - 1).max() < 1e-6
    # The same text twice, in another batch and beside others: the same vector, but for rounding.
    assert np.abs(embedded.vectors[:3] - embedded.vectors[3:]).max() < 1e-5
    distances = 1 - embedded.vectors[:3] @ embedded.vectors[:3].T
    assert distances[np.triu_indices(3, 1)].min() > 1e-3
    assert embedder.embed_texts([]).vectors.shape == (0, embedder.dimension)


@pytest.mark.parametrize("name", EMBEDDERS)
def test_texts_that_are_too_long_are_cut_and_counted(loaded, name):
    embedder = loaded(name)
    start = "x" * TEXT_LIMIT_TOKENS
    embedded = embedder.embed_texts([start + "abc", start + "xyz", "short"])
    alike = np.abs(embedded.vectors[0] - embedded.vectors[1]).max() < 1e-6
    assert embedded.token_counts[0] > TEXT_LIMIT_TOKENS
    if name == "endless_text":
        assert embedder.text_limit_tokens is None
        assert (embedded.truncated, alike) == (0, False)  # read to the end
    else:
        assert embedder.text_limit_tokens == TEXT_LIMIT_TOKENS
        assert (embedded.truncated, alike) == (2, True)


@pytest.mark.parametrize("name", DUAL_ENCODERS)
def test_frames_become_vectors_of_length_one(loaded, name):
    embedder = loaded(name)
    frames = noise_frames(0, count=9).pixels
    vectors = embedder.embed_frames(frames)
    units = -(-9 // embedder.frames_per_unit)
    assert vectors.shape == (units, embedder.dimension)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    again = embedder.embed_frames(torch.from_numpy(frames))
    assert np.array_equal(vectors, again)
    other = embedder.embed_frames(noise_frames(1, count=9).pixels)
    assert (np.abs(vectors - other).max(axis=1) > 1e-3).all()
    assert embedder.embed_frames(frames[:0]).shape == (0, embedder.dimension)


def test_a_vector_is_that_of_the_model_itself(loaded, tiny_model):
    """By the library's own example, without our code."""
    folder = tiny_model("clip")
    model = transformers.CLIPModel.from_pretrained(folder).eval()
    processor = transformers.CLIPProcessor.from_pretrained(folder)
    frames = noise_frames(0, count=3).pixels
    pictures = [np.moveaxis(frame, 0, -1) for frame in frames]
    with torch.inference_mode():
        inputs = processor(text=TEXTS, images=pictures, return_tensors="pt", padding=True)
        output = model(**inputs)
    texts, seen = loaded("clip").embed_texts(TEXTS).vectors, loaded("clip").embed_frames(frames)
    assert np.abs(texts - output.text_embeds.numpy()).max() < 1e-5
    assert np.abs(seen - output.image_embeds.numpy()).max() < 1e-5


def test_tensors_and_outputs_of_feature_calls_are_both_read(loaded, monkeypatch):
    """transformers 4 gives tensors where 5 gives outputs with a pooled field."""
    embedder = loaded("siglip")
    frames = noise_frames(0, count=2).pixels
    expected = embedder.embed_texts(TEXTS).vectors, embedder.embed_frames(frames)
    for name in ("get_text_features", "get_image_features"):
        given = getattr(embedder._model, name)

        def bare(given=given, **inputs):
            output = given(**inputs)
            return getattr(output, "pooler_output", output)

        monkeypatch.setattr(embedder._model, name, bare)
    assert np.array_equal(embedder.embed_texts(TEXTS).vectors, expected[0])
    assert np.array_equal(embedder.embed_frames(frames), expected[1])


def test_a_last_run_of_frames_that_is_too_short_is_spread(loaded):
    embedder = loaded("x_clip")
    assert embedder.frames_per_unit == 4
    frames = noise_frames(0, count=6).pixels
    spread = np.concatenate([frames[:4], frames[[4, 4, 5, 5]]])
    assert np.array_equal(embedder.embed_frames(frames), embedder.embed_frames(spread))


def test_models_of_text_pool_as_they_say(tiny_model, loaded):
    folder = tiny_model("sentence_bert")
    said = loaded("sentence_bert")
    assert said.describe()["pooling"] == "cls"
    first = load_embedder(f"hf:{folder}", pooling="cls").embed_texts(TEXTS).vectors
    mean = load_embedder(f"hf:{folder}", pooling="mean").embed_texts(TEXTS).vectors
    assert np.abs(said.embed_texts(TEXTS).vectors - first).max() < 1e-5
    assert np.abs(mean - first).max() > 1e-2
    assert loaded("endless_text").describe()["pooling"] == "mean"
    with pytest.raises(InputError, match="embeds no frames"):
        said.embed_frames(noise_frames(0).pixels)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_padding_is_in_no_vector(tiny_model, pooling):
    embedder = load_embedder(f"hf:{tiny_model('sentence_bert')}", pooling=pooling)
    alone = embedder.embed_texts(["a cat"]).vectors
    padded = embedder.embed_texts(["a cat", "a much longer text"]).vectors[:1]
    assert np.abs(alone - padded).max() < 1e-5


def test_layers_that_are_not_run_here_are_refused(tiny_model, tmp_path):
    folder = tmp_path / "dense"
    folder.mkdir()
    for path in tiny_model("sentence_bert").iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(InputError, match=r"not run here.*Dense"):
        load_embedder(f"hf:{folder}")


def test_a_model_that_lacks_weights_is_refused(tiny_model, tmp_path):
    """transformers would fill them with random numbers."""
    from safetensors.torch import load_file, save_file

    for name, load in (("clip", load_embedder), ("qwen2_5_vl", load_generator)):
        folder = tmp_path / name
        folder.mkdir()
        for path in tiny_model(name).iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        weights = load_file(folder / "model.safetensors")
        lost = next(key for key in weights if "layers.1" in key)
        del weights[lost]
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(InputError, match=r"lacks 1 weights.*saved whole"):
            load(f"hf:{folder}")


def test_a_prefix_goes_before_every_text(tiny_model, loaded):
    prefixed = load_embedder(f"hf:{tiny_model('clip')}", text_prefix="query: ")
    expected = loaded("clip").embed_texts(["query: a cat"]).vectors
    assert np.abs(prefixed.embed_texts(["a cat"]).vectors - expected).max() < 1e-6
    assert json.loads(json.dumps(prefixed.describe()))["text_prefix"] == "query: "


def test_what_embeds_nothing_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be loaded"):
        load_embedder(f"hf:{tmp_path}")
    with pytest.raises(InputError, match="batch_size"):
        load_embedder(f"hf:{tmp_path}", batch_size=0)
