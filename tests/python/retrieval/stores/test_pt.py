"""torch's files without torch: what it writes is read, what could run code is refused unread."""

from __future__ import annotations

import pickle
import zipfile

import numpy as np
import pytest
from tests.python.retrieval.stores.matrices import IDS, MATRIX, ROWS
from tests.python.retrieval.stores.torch_files import (
    Tensor,
    touching_pickle,
    write_pt,
    write_pt_of_pickle,
)

from fastvbench.core._errors import InputError
from fastvbench.retrieval.stores import open_embeddings


def test_a_bare_tensor_and_a_dict(tmp_path):
    store = open_embeddings(write_pt(tmp_path / "a", Tensor(MATRIX)))
    assert (store.format, store.ids) == ("pt", None)
    assert np.array_equal(store.embeddings, MATRIX)
    value = {
        "features": Tensor(MATRIX),
        "counts": Tensor(np.arange(ROWS)),
        "ids": tuple(IDS),
        "token_counts": Tensor(np.arange(ROWS)),
        "settings": {"interval": 10, "half": False, "scale": 0.5, "nothing": None},
    }
    store = open_embeddings(write_pt(tmp_path / "b", value))
    assert np.array_equal(store.embeddings, MATRIX)
    assert store.ids == IDS
    assert store.token_counts.tolist() == [*range(ROWS)]


def test_views_of_a_storage(tmp_path):
    elements = np.arange(24, dtype=np.float32)
    middle = Tensor(elements, (2, 4), offset=8)
    store = open_embeddings(write_pt(tmp_path / "a", middle))
    assert store.embeddings.tolist() == elements[8:16].reshape(2, 4).tolist()
    turned = Tensor(elements, (4, 6), (1, 4))
    store = open_embeddings(write_pt(tmp_path / "b", turned))
    assert store.embeddings.tolist() == elements.reshape(6, 4).T.tolist()
    repeated = Tensor(elements, (3, 2), (0, 1), 22)
    assert open_embeddings(write_pt(tmp_path / "c", repeated)).embeddings.tolist() == [[22, 23]] * 3


BAD_TENSORS = {
    "beyond": Tensor(MATRIX, (ROWS + 1, 4)),
    "offset": Tensor(MATRIX, offset=1),
    "strides": Tensor(MATRIX, (2, 2), (23, 1)),
    "negative": Tensor(MATRIX, (2, 2), (-1, 1)),
    "fewer strides": Tensor(MATRIX, (2, 2), (2,)),
    "claimed": Tensor(MATRIX, claimed_length=10**12),
    "negative claim": Tensor(MATRIX, claimed_length=-24),
}


@pytest.mark.parametrize("rows", [ROWS + 1, 2**40, 2**62])
def test_a_tensor_that_shows_its_storage_again_and_again_is_refused(tmp_path, rows):
    tensor = Tensor(MATRIX, (rows, MATRIX.shape[1]), (0, 1))
    with pytest.raises(InputError, match="more elements than its storage"):
        open_embeddings(write_pt(tmp_path / "a", tensor))


@pytest.mark.parametrize("name", BAD_TENSORS)
def test_tensors_beyond_their_storage(tmp_path, name):
    with pytest.raises(InputError, match=r"a damaged pickle|a truncated storage"):
        open_embeddings(write_pt(tmp_path / "a", BAD_TENSORS[name]))


def test_other_values(tmp_path):
    for value in ([Tensor(MATRIX)], 3, "text", None):
        with pytest.raises(InputError, match="neither a tensor nor a dict of tensors"):
            open_embeddings(write_pt(tmp_path / "a", value))
    with pytest.raises(InputError, match="no matrix of embeddings, got 'none'"):
        open_embeddings(write_pt(tmp_path / "a", {"ids": IDS}))
    with pytest.raises(InputError, match="another byte order, got 'big'"):
        open_embeddings(write_pt(tmp_path / "a", Tensor(MATRIX), byte_order="big"))
    packed = write_pt(tmp_path / "a", Tensor(MATRIX), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(InputError, match="storage 0 compressed'; expected an uncompressed member"):
        open_embeddings(packed)
    without = tmp_path / "b"
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(without, "w") as new:
        new.writestr("file/data.pkl", old.read("file/data.pkl"))
    with pytest.raises(InputError, match="storage 0 missing"):
        open_embeddings(without)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_an_unsafe_pt_is_never_executed(tmp_path, protocol):
    proof = tmp_path / "proof"
    data = touching_pickle(proof, protocol)
    pickle.loads(data)["embeddings"].close()
    assert proof.exists()  # the payload is a real one
    proof.unlink()
    path = write_pt_of_pickle(tmp_path / "unsafe.pt", data)
    with pytest.raises(
        InputError, match=r"unsafe.pt: asks to load (_?io|builtins?)\.open"
    ) as caught:
        open_embeddings(path)
    assert "which could run code; refused, nothing was run" in str(caught.value)
    assert not proof.exists()
    (tmp_path / "bare.pt").write_bytes(data)
    with pytest.raises(InputError, match="a pickle, which can run any code; refused, not opened"):
        open_embeddings(tmp_path / "bare.pt")
    assert not proof.exists()


# Ways in which pickles reach for names, and for attributes of the few that are known.
UNSAFE = {
    "global": b"\x80\x02cos\nsystem\n(X\x04\x00\x00\x00touctR.",
    "instance": b"\x80\x02(X\x01\x00\x00\x00aios\nsystem\n.",
    "stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
    "dotted": b"\x80\x04\x8c\x0ctorch._utils\x8c\x27_rebuild_tensor_v2.__call__.__globals__\x93.",
    "builtin": b"\x80\x02c__builtin__\neval\n.",
    "getattr": b"\x80\x02cbuiltins\ngetattr\n.",
    "torch itself": b"\x80\x02ctorch\nload\n.",
    "registered": b"\x80\x02\x82\x01.",
    "numpy": b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n.",
}
TAMPERING = {
    "state": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}X\x01\x00\x00\x00aNsb.",
    "slots": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nN}X\x08\x00\x00\x00__call__Ns\x86b.",
    "new object": b"\x80\x02ccollections\nOrderedDict\n)\x81.",
    "call a storage": b"\x80\x02ctorch\nFloatStorage\n)R.",
    "reference": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "no storage": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(NK\x00)))tR.",
    "stack underflow": b"\x80\x02R.",
    "no end": b"\x80\x02}",
    "empty": b"",
}


@pytest.mark.parametrize("name", UNSAFE)
def test_every_other_name_is_refused(tmp_path, name):
    path = write_pt_of_pickle(tmp_path / "a.pt", UNSAFE[name])
    expected = "a damaged pickle" if name == "registered" else "asks to load .*refused"
    with pytest.raises(InputError, match=expected):
        open_embeddings(path)


@pytest.mark.parametrize("name", TAMPERING)
def test_known_names_cannot_be_tampered_with(tmp_path, name):
    path = write_pt_of_pickle(tmp_path / "a.pt", TAMPERING[name])
    with pytest.raises(InputError, match="a damaged pickle"):
        open_embeddings(path)
    assert np.array_equal(
        open_embeddings(write_pt(tmp_path / "b", Tensor(MATRIX))).embeddings, MATRIX
    )


CLIPS, VIDEOS = IDS[:4], ["v0", "v1"]


def lovr_text(**changes):
    return {"feat": Tensor(MATRIX), "source": CLIPS + VIDEOS} | changes


def lovr_video(**changes):
    entries = {
        "image_feats": Tensor(MATRIX),
        "clip_src": [CLIPS[0], CLIPS[1], None, CLIPS[2], CLIPS[3], None],
        "full_src": [None, None, "v0", None, None, "v1"],
        "video_dict_cost": 1.5,
    }
    return entries | changes


def test_lovr_captions_features(tmp_path):
    path = write_pt(tmp_path / "text.pt", lovr_text())
    clips = open_embeddings(path, part="clip", side="queries")
    assert (clips.format, clips.ids, clips.videos) == ("lovr-pt", CLIPS, ["v0", "v0", "v0", "v1"])
    assert np.array_equal(clips.embeddings, MATRIX[:4])
    videos = open_embeddings(path, part="video")
    assert (videos.ids, videos.videos) == (VIDEOS, VIDEOS)
    assert np.array_equal(videos.embeddings, MATRIX[4:])
    assert open_embeddings(path, part="clip", ids=["a", "b", "c", "d"]).ids == ["a", "b", "c", "d"]
    assert open_embeddings(path, key="feat").ids == CLIPS + VIDEOS
    only = lovr_text(source=IDS)
    assert open_embeddings(write_pt(tmp_path / "only.pt", only)).ids == IDS


def test_lovr_captions_whose_ids_do_not_tell(tmp_path):
    path = write_pt(tmp_path / "text.pt", lovr_text(source=["a", "b", "c", "x", "y", "z"]))
    clips = open_embeddings(path, part="clip", clip_count=4)
    assert (clips.ids, clips.videos) == (["a", "b", "c", "x"], None)
    assert open_embeddings(path, part="video", clip_count=4).ids == ["y", "z"]
    with pytest.raises(InputError, match=r"field 'clip_count': .*, got 7; expected 0 to 6"):
        open_embeddings(path, part="clip", clip_count=7)


def test_lovr_video_features(tmp_path):
    path = write_pt(tmp_path / "video.pt", lovr_video())
    clips = open_embeddings(path, part="clip")
    assert (clips.ids, clips.videos) == (CLIPS, ["v0", "v0", "v0", "v1"])
    assert np.array_equal(clips.embeddings, MATRIX[[0, 1, 3, 4]])
    assert np.array_equal(open_embeddings(path, part="video").embeddings, MATRIX[[2, 5]])
    both = lovr_video(full_src=["v0", None, None, None, None, "v1"])
    path = write_pt(tmp_path / "both.pt", both)  # a row may be a clip and a video
    assert np.array_equal(open_embeddings(path, part="video").embeddings, MATRIX[[0, 5]])


def test_lovr_themes(tmp_path):
    themes = {"theme_feat": Tensor(MATRIX[:3]), "theme_src": IDS[:3]}
    store = open_embeddings(write_pt(tmp_path / "text.pt", lovr_text(**themes)), part="theme")
    assert store.ids == IDS[:3]
    assert np.array_equal(store.embeddings, MATRIX[:3])
    with pytest.raises(InputError, match="no rows of kind 'theme'; expected the entries"):
        open_embeddings(write_pt(tmp_path / "text.pt", lovr_text()), part="theme")


BAD_LOVR = {
    "kinds": (lovr_text(), {}, "rows of two kinds, got \"4 of kind 'clip', 2 of kind 'video'\""),
    "no clips": (lovr_text(source=[*"abcdef"]), {"part": "clip"}, "no rows of kind 'clip'"),
    "few ids": (lovr_text(source=CLIPS), {"part": "clip"}, "field 'source': not as many"),
    "order": (
        lovr_text(source=[*CLIPS[:2], *VIDEOS, *CLIPS[2:]]),
        {"part": "clip"},
        ":3 field 'source': a caption of a video before captions of clips, got 'v0'",
    ),
    "number": (lovr_text(source=[*CLIPS, 1.5, "v"]), {"part": "video"}, ":5 field 'source': not"),
    "few src": (lovr_video(clip_src=CLIPS), {"part": "clip"}, "field 'clip_src': not as many ids"),
    "repeated": (
        lovr_text(source=[*CLIPS[:3], CLIPS[0], *VIDEOS]),
        {"part": "clip"},
        ":4: an id that line 1 of the gallery has too, got 'v0-Scene-000'",
    ),
    "given ids": (lovr_text(), {"part": "clip", "ids": ["a"]}, "not as.* got 1; expected 4"),
    "no matrix": (lovr_text(feat=Tensor(MATRIX[:, 0].copy())), {"part": "clip"}, "not a matrix"),
    "other file": (
        {"embeddings": Tensor(MATRIX)},
        {"part": "clip"},
        "field 'part': an option for LoVR's own feature files alone, got 'clip'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_LOVR)
def test_bad_lovr_files(tmp_path, name):
    value, options, message = BAD_LOVR[name]
    with pytest.raises(InputError, match=message):
        open_embeddings(write_pt(tmp_path / "a.pt", value), **options)


def test_files_of_torch_itself(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed: its files are imitated")
    tensor = torch.from_numpy(MATRIX.copy())
    saved = {
        "plain": tensor,
        "half": tensor.half(),
        "turned": tensor.T.contiguous().T,
        "slice": torch.cat([tensor, tensor])[3:9],
        "parameter": torch.nn.Parameter(tensor),
        "dict": {"embeddings": tensor, "ids": IDS, "size": tensor.shape, "cost": 0.5},
        "bfloat16": tensor.bfloat16(),
    }
    for name, value in saved.items():
        torch.save(value, tmp_path / name)
        if name == "bfloat16":
            pytest.importorskip("ml_dtypes", reason="the extra [retrieval] is not installed")
        store = open_embeddings(tmp_path / name)
        expected = value["embeddings"] if isinstance(value, dict) else value.detach()
        assert np.array_equal(store.embeddings.astype(np.float32), expected.float().numpy())
        assert store.element_type == str(expected.dtype).removeprefix("torch.")
    torch.save(tensor.double(), tmp_path / "double")
    with pytest.raises(InputError, match="float64 elements"):
        open_embeddings(tmp_path / "double")
    torch.save(tensor, tmp_path / "old", _use_new_zipfile_serialization=False)
    with pytest.raises(InputError, match=r"before torch 1\.6"):
        open_embeddings(tmp_path / "old")
    torch.save({"embeddings": tensor, "ids": np.array(IDS)}, tmp_path / "numpy")
    with pytest.raises(InputError, match="asks to load numpy"):
        open_embeddings(tmp_path / "numpy")
    loaded = torch.load(write_pt(tmp_path / "ours", Tensor(MATRIX)), "cpu", weights_only=True)
    assert np.array_equal(loaded.numpy(), MATRIX)  # the imitation is a good one
