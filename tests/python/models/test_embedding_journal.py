"""What is kept of a job that was stopped: by a kill, a full disk, damage, or another process."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from fastvbench import InputError
from fastvbench.models import Embedded
from fastvbench.models._embedding_job import TextItem, embed_texts
from fastvbench.models._embedding_journal import EmbeddingJournal
from fastvbench.retrieval.stores import open_embeddings

ITEMS = [TextItem(f"id-{i}", f"video-{i}", f"text {i}") for i in range(20)]


class HashEmbedder:
    """Vectors of the texts' characters; dies where it is told to."""

    name, dimension, has_vision, frames_per_unit, text_limit_tokens = "hash", 4, False, 1, None

    def __init__(self, dies_at_batch=None):
        self.batches = 0
        self.dies_at_batch = dies_at_batch

    def describe(self):
        return {"model": "hash"}

    def embed_texts(self, texts):
        if self.batches == self.dies_at_batch:
            os.kill(os.getpid(), signal.SIGKILL)
        self.batches += 1
        sums = [[sum(map(ord, text)) % (k + 7) for k in range(4)] for text in texts]
        lengths = np.array([len(text) for text in texts])
        return Embedded(np.array(sums, np.float32) + 1, lengths, 0)


def embed(target, embedder):
    return embed_texts(ITEMS, embedder, target, batch_size=3)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    target = tmp_path_factory.mktemp("whole") / "text.safetensors"
    assert embed(target, HashEmbedder()).is_complete
    return target


@pytest.mark.parametrize("batch", [0, 1, 4, 6])
def test_a_killed_process_loses_its_batch_alone(tmp_path, whole, batch):
    target = tmp_path / "text.safetensors"
    program = f"""
        from pathlib import Path
        from tests.python.models.test_embedding_journal import HashEmbedder, embed
        embed(Path({str(target)!r}), HashEmbedder(dies_at_batch={batch}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()
    embedder = HashEmbedder()
    outcome = embed(target, embedder)
    assert outcome.resumed == 3 * batch
    assert embedder.batches == 7 - batch  # what was done is not done again
    assert target.read_bytes() == whole.read_bytes()


def test_a_full_disk_leaves_what_was_done(tmp_path, whole, monkeypatch):
    """The disk takes a part of a row and refuses the rest."""
    target = tmp_path / "text.safetensors"
    left = [400]
    write = os.write

    def limited(descriptor, content):
        if left[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, content[: left[0]])
        left[0] -= written
        return written

    with monkeypatch.context() as full:
        full.setattr(os, "write", limited)
        with pytest.raises(OSError, match="No space left"):
            embed(target, HashEmbedder())
    assert not target.exists()
    outcome = embed(target, HashEmbedder())
    assert 0 < outcome.resumed < 20
    assert target.read_bytes() == whole.read_bytes()


def test_a_finished_job_has_nothing_to_do(tmp_path, whole):
    target = tmp_path / "text.safetensors"
    embed(target, HashEmbedder())
    embedder = HashEmbedder()
    assert embed(target, embedder).resumed == 20
    assert embedder.batches == 0
    store = open_embeddings(target)
    assert list(store.ids) == [item.id for item in ITEMS]
    assert list(store.videos) == [item.video for item in ITEMS]
    assert store.token_counts.tolist() == [len(item.text) for item in ITEMS]


def test_a_damaged_row_and_all_behind_it_are_made_again(tmp_path, whole):
    target = tmp_path / "text.safetensors"
    embed(target, HashEmbedder())
    journal = tmp_path / "text.safetensors.journal"
    content = bytearray(journal.read_bytes())
    content[len(content) // 2] ^= 1
    journal.write_bytes(content)
    assert 0 < embed(target, HashEmbedder()).resumed < 20
    assert target.read_bytes() == whole.read_bytes()


def test_two_processes_do_not_write_into_one_file(tmp_path):
    first = EmbeddingJournal(tmp_path / "j", {"a": 1}, 4)
    with pytest.raises(InputError, match="another process writes here"):
        EmbeddingJournal(tmp_path / "j", {"a": 1}, 4)
    first.add(0, 5, np.ones(4, np.float32))
    first.close()
    again = EmbeddingJournal(tmp_path / "j", {"a": 1}, 4)
    assert again.entries[0].units == 5
    again.close()
    with pytest.raises(InputError, match=r"other settings \(a, b\)"):
        EmbeddingJournal(tmp_path / "j", {"b": 1}, 4)
    with pytest.raises(InputError, match="other settings"):
        EmbeddingJournal(tmp_path / "j", {"a": 2}, 4)
