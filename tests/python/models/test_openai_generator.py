"""The client of OpenAI's protocol against a server that does everything wrong."""

from __future__ import annotations

import base64
import email.utils
import io
import json
import threading
import time

import numpy as np
import pytest
from tests.python.models.fault_server import fault_server
from tests.python.models.shown import noise_frames, noise_picture

from fastvbench import InputError
from fastvbench.models import GenerationSettings, Generator, Request, load_generator

GREEDY = GenerationSettings(max_new_tokens=16)
HASTY = {"timeout_seconds": 20, "retries": 2, "backoff_seconds": 0.01, "key_variable": ""}


@pytest.fixture(scope="module")
def server():
    with fault_server() as running:
        yield running


def generator(server, **options):
    return load_generator(f"openai:{server.url}#tiny", **(HASTY | options))


def ask(server, prompt, **options):
    with generator(server, **options) as client:
        (answer,) = client.generate([Request("a", prompt)], GREEDY)
    return answer


def test_an_answer_has_text_reason_and_counts(server):
    answer = ask(server, "plain answer\nok")
    assert (answer.text, answer.finish_reason, answer.attempts) == ("plain answer", "stop", 1)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.error) == (7, 2, None)
    assert 0 < answer.latency_seconds < 5


@pytest.mark.parametrize(
    "fault",
    ["429", "500", "503", "cut", "half-json", "no-choices", "garbage", "hang-up"],
)
def test_what_passes_is_tried_again_and_what_stays_is_given_up(server, fault):
    passing = ask(server, f"passing {fault}\n{fault} {fault} ok")
    assert (passing.text, passing.attempts, passing.error) == (f"passing {fault}", 3, None)
    staying = ask(server, f"staying {fault}\n{fault}")
    assert (staying.text, staying.attempts) == ("", 3)
    assert staying.error
    assert "\n" not in staying.error
    assert len(server.tries[f"staying {fault}\n{fault}"]) == 3


@pytest.mark.parametrize("fault", ["silent", "slow-body", "slow-header"])
def test_a_reply_has_a_deadline_however_it_stalls(server, fault):
    begin = time.monotonic()
    answer = ask(server, f"late {fault}\n{fault}", retries=1, timeout_seconds=0.3)
    seconds = time.monotonic() - begin
    assert answer.error == "no complete reply in 0.3 s"
    assert answer.attempts == 2
    assert 0.6 <= seconds < 40  # two tries; a drip alone would take 50 s
    once = ask(server, f"late once {fault}\n{fault} ok", timeout_seconds=0.5, retries=4)
    assert once.text == f"late once {fault}"


@pytest.mark.parametrize("fault", ["400", "401", "redirect"])
def test_what_will_not_get_better_is_not_tried_again(server, fault):
    answer = ask(server, f"never {fault}\n{fault}")
    assert answer.attempts == 1
    assert answer.error.startswith("HTTP 307" if fault == "redirect" else f"HTTP {fault}")
    assert len(server.tries[f"never {fault}\n{fault}"]) == 1


def test_a_server_that_is_not_there_is_an_error_of_each_row():
    with load_generator("openai:http://127.0.0.1:9/v1#m", **HASTY) as client:
        answers = client.generate([Request("a", "?"), Request("b", "?")], GREEDY)
    assert [a.attempts for a in answers] == [3, 3]
    assert all("no connection" in a.error for a in answers)


def test_a_rest_that_the_server_asks_for_is_given_it(server):
    prompt = "rest\n429=0.4 ok"
    assert ask(server, prompt).text == "rest"
    first, second = server.tries[prompt]
    assert second - first >= 0.4
    long = "long rest\n429=3600 ok"
    assert ask(server, long, longest_wait_seconds=0.2).text == "long rest"


def test_a_rest_may_be_a_date_or_nonsense():
    from fastvbench.models._http import Reply
    from fastvbench.models._openai_generator import _retry_after_seconds

    def said(text):
        return _retry_after_seconds(Reply(429, {"retry-after": text}, b""))

    assert 58 < said(email.utils.formatdate(time.time() + 60, usegmt=True)) <= 60
    assert said(email.utils.formatdate(time.time() - 60, usegmt=True)) == 0
    assert said("2") == 2
    assert said("-2") == 0
    assert said("nan") == 0
    assert said("soon") is None
    assert said("") is None


def test_one_rest_holds_every_row_back(server):
    """A row that starts while another was told to rest starts after it."""
    with generator(server, concurrency=1) as client:
        answers = client.generate(
            [Request("a", "told to rest\n429=0.4 400"), Request("b", "next\nok")], GREEDY
        )
    assert answers[1].text == "next"
    told = server.tries["told to rest\n429=0.4 400"][0]
    assert server.tries["next\nok"][0] - told >= 0.4


def test_every_row_has_an_answer_or_a_reason_in_its_place(server):
    faults = ["ok", "429 ok", "500", "cut ok", "hang-up", "400", "half-json ok", "slow-body", "ok"]
    requests = [Request(f"row-{i}", f"many {i}\n{fault}") for i, fault in enumerate(faults * 3)]
    with generator(server, concurrency=9, retries=1, timeout_seconds=1.5) as client:
        answers = client.generate(requests, GREEDY)
    assert [a.id for a in answers] == [r.id for r in requests]
    for request, answer in zip(requests, answers, strict=True):
        assert (answer.error is None) == request.prompt.endswith("ok")
        assert (answer.text == request.prompt.splitlines()[0]) == (answer.error is None)
        assert 1 <= answer.attempts <= 2


def test_as_many_are_under_way_as_were_asked_for(server):
    server.most_at_once = 0
    requests = [Request(str(i), f"at once {i}\npatient") for i in range(12)]
    with generator(server, concurrency=4) as client:
        answers = client.generate(requests, GREEDY)
    assert all(a.error is None for a in answers)
    assert server.most_at_once == 4


def test_a_stream_takes_requests_as_there_is_room_and_gives_answers_as_they_come(server):
    taken = []

    def requests():
        for i in range(12):
            taken.append(i)
            yield Request(str(i), f"stream {i}\n{'patient' if i == 0 else 'ok'}")

    with generator(server, concurrency=3) as client:
        stream = client.stream(requests(), GREEDY)
        assert next(stream).id in {"0", "1", "2"}
        assert len(taken) <= 4  # frames of the others are not in memory yet
        rest = [response.id for response in stream]
    assert len(rest) == 11
    assert sorted({*rest, "0", "1", "2"}, key=int) == [str(i) for i in range(12)]


def test_closing_breaks_off_what_is_under_way(server):
    client = generator(server, concurrency=2, timeout_seconds=60, retries=5)
    threading.Timer(0.3, client.close).start()
    begin = time.monotonic()
    answers = client.generate([Request(str(i), f"hold {i}\nsilent") for i in range(6)], GREEDY)
    assert time.monotonic() - begin < 20
    assert len(answers) == 6
    assert all(a.error for a in answers)


@pytest.mark.parametrize(
    ("prompt", "text", "reason"),
    [("tool\ntool", "", "other"), ("think\nthinking", "", "length"), ("parts\nparts", "Bee", None)],
)
def test_replies_of_other_shapes_are_read(server, prompt, text, reason):
    answer = ask(server, prompt)
    assert (answer.text, answer.finish_reason, answer.error) == (text, reason, None)
    assert (answer.reasoning == "A or B") == (prompt == "think\nthinking")


def test_the_key_goes_into_the_header_and_nowhere_else(server, monkeypatch):
    monkeypatch.setenv("SERVER_KEY", "sk-very-secret ")
    client = generator(server, key_variable="SERVER_KEY")
    refused = client.generate([Request("a", "secret\n401")], GREEDY)[0]
    sent = server.headers[-1]
    assert "Authorization: Bearer sk-very-secret\r\n" in sent
    assert "[key]" in refused.error
    assert "secret" not in refused.error
    assert "secret" not in json.dumps(dict(client.describe())) + client.name + repr(client)
    ask(server, "no key\nok")
    assert "Authorization" not in server.headers[-1]


def test_frames_are_pictures_with_their_times_before_them(server):
    pytest.importorskip("PIL", reason="the extra [models] is not installed")
    from PIL import Image

    frames = noise_frames(3, count=3, seconds=[0.0, 1.5, 61.25])
    request = Request("a", "frames\nok", frames, images=[noise_picture(1)], system="Be brief.")
    with generator(server, jpeg_quality=95) as client:
        (answer,) = client.generate([request], GREEDY)
    assert answer.text == "frames"
    body = server.bodies[-1]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    content = body["messages"][1]["content"]
    told = [part["text"] for part in content if part["type"] == "text"]
    assert told == ["<0.0 seconds>", "<1.5 seconds>", "<61.2 seconds>", "frames\nok"]
    kinds = [part["type"] for part in content]
    assert kinds == ["text", "image_url"] * 3 + ["image_url", "text"]
    sent = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    pixels = [*frames.pixels, noise_picture(1)]
    for url, original in zip(sent, pixels, strict=True):
        head, _, packed = url.partition(",")
        assert head == "data:image/jpeg;base64"
        shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(packed))))
        assert shown.shape == (40, 56, 3)
        grey = shown.mean(axis=2), original.transpose(1, 2, 0).mean(axis=2)
        assert np.corrcoef(grey[0].ravel(), grey[1].ravel())[0, 1] > 0.8
    with generator(server, time_markers=False) as client:
        client.generate([request], GREEDY)
    kinds = [part["type"] for part in server.bodies[-1]["messages"][1]["content"]]
    assert kinds == ["image_url"] * 4 + ["text"]


def test_a_video_can_be_named_or_sent_whole(server, tmp_path):
    path = tmp_path / "a video.mp4"
    path.write_bytes(b"\x00moov")
    request = Request("a", "video\nok", noise_frames(0), video_path=str(path))

    def sent(frames_as):
        with generator(server, frames_as=frames_as) as client:
            assert client.generate([request], GREEDY)[0].error is None
        content = server.bodies[-1]["messages"][0]["content"]
        assert [part["type"] for part in content] == ["video_url", "text"]
        return content[0]["video_url"]["url"]

    assert sent("video_url") == path.as_uri()
    assert sent("video_data") == "data:video/mp4;base64," + base64.b64encode(b"\x00moov").decode()
    with generator(server, frames_as="video_url") as client:
        (answer,) = client.generate([Request("a", "video\nok", noise_frames(0))], GREEDY)
    assert "video_path" in answer.error
    assert answer.attempts == 1


def test_settings_reach_the_server(server):
    settings = GenerationSettings(
        temperature=0.5, top_p=0.9, top_k=20, seed=3, stop=("\n",), thinking_tokens=0
    )
    with generator(server, body={"min_p": 0.1}, tokens_field="max_completion_tokens") as client:
        client.generate([Request("a", "set\nok", answer_prefix="Best option: (")], settings)
        sent = server.bodies[-1]
        client.generate([Request("a", "set\nok")], GREEDY)
        plain = server.bodies[-1]
    assert sent["temperature"] == 0.5
    assert (sent["top_p"], sent["top_k"], sent["seed"], sent["stop"]) == (0.9, 20, 3, ["\n"])
    assert (sent["max_completion_tokens"], sent["min_p"]) == (1024, 0.1)
    assert sent["chat_template_kwargs"] == {"enable_thinking": False}
    assert sent["messages"][-1] == {"role": "assistant", "content": "Best option: ("}
    assert (sent["continue_final_message"], sent["add_generation_prompt"]) == (True, False)
    assert set(plain) == {
        "model",
        "messages",
        "temperature",
        "seed",
        "max_completion_tokens",
        "min_p",
    }
    assert plain["temperature"] == 0.0


def test_a_picture_that_is_none_is_an_error_of_its_row(server):
    pytest.importorskip("PIL", reason="the extra [models] is not installed")
    bad = Request("bad", "picture\nok", images=[np.zeros((3, 4), np.uint8)])
    with generator(server) as client:
        answers = client.generate([bad, Request("good", "picture\nok")], GREEDY)
    assert "images" in answers[0].error
    assert answers[1].text == "picture"


def test_the_record_says_how_the_server_was_asked(server):
    with load_generator(f"openai:{server.url}?token=hidden#a/b", **HASTY) as client:
        assert isinstance(client, Generator)
        described = json.loads(json.dumps(dict(client.describe())))
        client.generate([Request("a", "query\nok")], GREEDY)
    assert client.name == f"openai:{server.url}#a/b"
    assert (described["model"], described["time_markers"]) == ("a/b", True)
    assert "hidden" not in json.dumps(described) + client.name
    assert server.headers[-1].startswith("POST /v1/chat/completions?token=hidden HTTP/1.1")


@pytest.mark.parametrize(
    ("target", "options", "complaint"),
    [
        ("http://127.0.0.1:9/v1", {}, "no model on a server"),
        ("#m", {}, "no model on a server"),
        ("ftp://127.0.0.1/v1#m", {}, "http://"),
        ("http://127.0.0.1:notaport/v1#m", {}, "http://"),
        ("http://me:secret@127.0.0.1/v1#m", {}, "user or password"),
        ("http://127.0.0.1/v1#m", {"concurrency": 0}, "concurrency"),
        ("http://127.0.0.1/v1#m", {"jpeg_quality": 100}, "jpeg_quality"),
        ("http://127.0.0.1/v1#m", {"frames_as": "gif"}, "frames_as"),
        ("http://127.0.0.1/v1#m", {"timeout_seconds": 0}, "timeout_seconds"),
    ],
)
def test_targets_and_options_that_cannot_be_are_refused(target, options, complaint):
    with pytest.raises(InputError, match=complaint) as refused:
        load_generator(f"openai:{target}", **options)
    assert "secret" not in str(refused.value)
