"""A server that dies in the middle of a run, and another one that the rest is asked of."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.python.runs.made_up import questions, said_letter

from fastvbench.models import load_generator
from fastvbench.runs._options import RunOptions
from fastvbench.runs._run import carry_out


class Server(ThreadingHTTPServer):
    """Answers as the made-up model does; after a number of answers it hangs up on everybody."""

    daemon_threads = True

    def __init__(self, answers: int | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.left = answers
        self.lock = threading.Lock()
        self.asked: list[str] = []

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exception):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            if self.server.left is not None:
                if self.server.left == 0:
                    self.connection.close()
                    return
                self.server.left -= 1
        [message] = body["messages"]
        content = message["content"]
        text = content if isinstance(content, str) else content[-1]["text"]
        number = text.split("number ", 1)[1].split("?", 1)[0]
        self.server.asked.append(f"q{number}")
        reply = json.dumps(
            {
                "choices": [
                    {
                        "message": {"content": f"The answer is {said_letter(f'q{number}')}."},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 7, "completion_tokens": 5},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *parts):
        pass


@pytest.fixture
def run_with(tmp_path):
    def run(server, name, resume=False):
        url = f"openai:http://127.0.0.1:{server.server_address[1]}/v1#m"
        options = {"retries": 1, "backoff_seconds": 0.0, "concurrency": 4}
        with load_generator(url, **options) as generator:
            return carry_out(
                RunOptions(
                    protocol="lvbench",
                    model=generator,
                    annotations=questions(60),
                    out=tmp_path / name,
                    frames="0",
                    rules=["robust"],
                    resume=resume,
                    most_failures=6,
                )
            )

    return run


def test_the_rest_is_asked_of_another_server(run_with, tmp_path, rows_of):
    with Server() as server:
        whole = run_with(server, "whole")
    assert whole.complete
    with Server(answers=25) as server:
        outcome = run_with(server, "run")
    assert "times in a row" in str(outcome.progress.stopped)
    assert outcome.progress.answered == 25
    run = outcome.result.data["run"]
    assert run["missing"] == 60 - 25 - run["failed"] > 0
    first_error = next(iter(run["failed_examples"].values()))
    assert "no connection, or a broken one" in first_error
    with Server() as server:
        outcome = run_with(server, "run", resume=True)
        assert sorted(server.asked) == sorted(set(server.asked))
        assert len(server.asked) == 35
    assert outcome.complete

    def by_id(folder):
        return sorted(
            (row | {"attempts": None} for row in rows_of(tmp_path / folder)),
            key=lambda row: row["id"],
        )

    assert by_id("run") == by_id("whole")
    assert outcome.result.data["rules"] == whole.result.data["rules"]
    hashes = [
        each.result.data["run"]["responses_sha256_without_times"] for each in (outcome, whole)
    ]
    assert hashes[0] == hashes[1]
