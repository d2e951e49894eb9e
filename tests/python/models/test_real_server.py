"""The client against a server that others wrote: ``transformers serve`` on this machine."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import io
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from tests.python.models.shown import noise_frames, noise_picture

from fastvbench.models import GenerationSettings, Request, load_generator

pytest.importorskip("transformers", reason="the extra [models] is not installed")
pytest.importorskip("uvicorn", reason="transformers[serving] is not installed")

GREEDY = GenerationSettings(max_new_tokens=8)
LONGEST_START_SECONDS = 120


@pytest.fixture(scope="module")
def served(tiny_model, tmp_path_factory):
    """A running server's URL and the folder of the model that it serves."""
    program = shutil.which("transformers", path=Path(sys.executable).parent)
    if program is None:
        pytest.skip("there is no program `transformers` beside this Python")
    folder = tiny_model("qwen3_vl")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "serve", "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [*command, str(folder)], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_it_serves(process, port, log)
            yield f"http://127.0.0.1:{port}/v1", folder
        finally:
            process.kill()
            process.wait()


def _wait_until_it_serves(process, port, log):
    deadline = time.monotonic() + LONGEST_START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
            return
        time.sleep(0.1)
    pytest.fail(f"no server after {LONGEST_START_SECONDS} s: {log.read_text()[-2000:]}")


def as_sent(pixels):
    """What is left of a picture after JPEG, which is what a server sees."""
    from PIL import Image

    from fastvbench.models._pictures import as_picture, jpeg_data_url

    packed = jpeg_data_url(as_picture(pixels), 85).partition(",")[2]
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(packed))))
    return np.ascontiguousarray(shown.transpose(2, 0, 1))


def test_a_server_says_what_the_model_says_in_this_process(served):
    """Text, pictures and frames with their times: the same tokens either way."""
    url, folder = served
    frames = noise_frames(0, count=3)
    seen = dataclasses.replace(frames, pixels=np.stack([as_sent(f) for f in frames.pixels]))
    picture = noise_picture(0)
    prompt = "What happens?"
    asked = [
        Request("text", prompt),
        Request("picture", prompt, images=[picture]),
        Request("frames", prompt, frames),
        Request("both", prompt, frames, images=[picture], system="Be brief."),
    ]
    here = [
        asked[0],
        dataclasses.replace(asked[1], images=[as_sent(picture)]),
        dataclasses.replace(asked[2], frames=seen),
        dataclasses.replace(asked[3], frames=seen, images=[as_sent(picture)]),
    ]
    with load_generator(f"hf:{folder}", frames_as="images") as local:
        expected = local.generate(here, GREEDY)
    with load_generator(f"openai:{url}#{folder}", concurrency=2, key_variable="") as client:
        answers = client.generate(asked, GREEDY)
    assert [a.error for a in answers] == [None] * 4
    assert [a.text for a in answers] == [e.text for e in expected]
    assert [a.prompt_tokens for a in answers] == [e.prompt_tokens for e in expected]
    assert {a.finish_reason for a in answers} <= {"stop", "length"}
    assert len({a.text for a in answers}) == 4


def test_a_model_that_it_does_not_serve_is_an_error_of_the_row(served):
    url, _ = served
    with load_generator(f"openai:{url}#no/such-model", retries=0, key_variable="") as client:
        (answer,) = client.generate([Request("a", "?")], GREEDY)
    assert answer.error.startswith("HTTP ")
    assert answer.attempts == 1
