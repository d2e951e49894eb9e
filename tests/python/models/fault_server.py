"""A server that misbehaves the way its requests ask it to."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
import time

SLOW_SECONDS = 0.05


class FaultServer(socketserver.ThreadingTCPServer):
    """Speaks just enough HTTP to break it.

    The last line of a prompt says what happens to its tries, one after the other, the last for
    good: ``429 500 ok``. An ``ok`` echoes the prompt's first line.

    Attributes:
        url: for `OpenAiGenerator`.
        tries: by prompt, the times at which it was asked.
        bodies: every request's JSON.
        headers: every request's header lines.
        most_at_once: patient requests that were under way together.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.tries: dict[str, list[float]] = {}
        self.bodies: list[dict] = []
        self.headers: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def handle_error(self, request, client_address):
        """A client that hung up is what half of these tests are about."""

    def note(self, headers: str, body: dict) -> tuple[str, str]:
        """Count a try; returns what to do and what to echo."""
        prompt = prompt_of(body)
        with self._lock:
            times = self.tries.setdefault(prompt, [])
            times.append(time.monotonic())
            self.bodies.append(body)
            self.headers.append(headers)
            steps = prompt.splitlines()[-1].split()
            return steps[min(len(times), len(steps)) - 1], prompt.splitlines()[0]

    @contextlib.contextmanager
    def under_way(self):
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1


def prompt_of(body: dict) -> str:
    content = [m for m in body["messages"] if m["role"] == "user"][-1]["content"]
    if isinstance(content, str):
        return content
    return [part["text"] for part in content if part["type"] == "text"][-1]


def completion(text, **choice) -> bytes:
    return json.dumps(
        {
            "choices": [{"message": {"content": text}, "finish_reason": "stop"} | choice],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2},
        }
    ).encode()


class _Connection(socketserver.StreamRequestHandler):
    def handle(self):
        headers = ""
        while (line := self.rfile.readline().decode("latin-1")).strip():
            headers += line
        if not headers:
            return
        length = next(line for line in headers.splitlines() if line.startswith("Content-Length: "))
        body = json.loads(self.rfile.read(int(length.partition(": ")[2])))
        step, echo = self.server.note(headers, body)
        getattr(self, "do_" + step.replace("-", "_").partition("=")[0])(step, echo, headers)

    def reply(self, status, body, *extra, length=None):
        length = len(body) if length is None else length
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {length}", *extra, "", ""]
        self.wfile.write("\r\n".join(lines).encode() + body)

    def do_ok(self, step, echo, headers):
        self.reply(200, completion(echo))

    def do_patient(self, step, echo, headers):
        with self.server.under_way():
            time.sleep(0.1)
        self.reply(200, completion(echo))

    def do_429(self, step, echo, headers):
        """``429=0.3`` asks for 0.3 s of rest."""
        seconds = step.partition("=")[2]
        self.reply(429, b"{}", *([f"Retry-After: {seconds}"] if seconds else []))

    def do_500(self, step, echo, headers):
        self.reply(500, b"<html>Internal error</html>")

    def do_503(self, step, echo, headers):
        self.reply(503, b"busy", "Retry-After: soon")

    def do_400(self, step, echo, headers):
        self.reply(400, b'{"error": {"message": "too many tokens"}}')

    def do_401(self, step, echo, headers):
        """As some servers do, it repeats the header that it did not like."""
        told = [line for line in headers.splitlines() if line.startswith("Authorization")]
        self.reply(401, json.dumps({"error": f"bad key: {told}"}).encode())

    def do_redirect(self, step, echo, headers):
        self.reply(307, b"", "Location: http://127.0.0.1:9/elsewhere")

    def do_cut(self, step, echo, headers):
        whole = completion(echo)
        self.reply(200, whole[: len(whole) // 2], length=len(whole))

    def do_half_json(self, step, echo, headers):
        whole = completion(echo)
        self.reply(200, whole[: len(whole) // 2])

    def do_no_choices(self, step, echo, headers):
        self.reply(200, b'{"error": {"message": "the engine died"}}')

    def do_garbage(self, step, echo, headers):
        self.wfile.write(b"\x00\xff not http at all\r\n\r\n")

    def do_hang_up(self, step, echo, headers):
        pass

    def do_silent(self, step, echo, headers):
        self.rfile.read(1)  # until the client gives up

    def do_slow_body(self, step, echo, headers):
        self.reply(200, b"", length=1000)
        self._drip()

    def do_slow_header(self, step, echo, headers):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        self._drip()

    def _drip(self):
        for _ in range(1000):  # no single read takes long
            self.wfile.write(b"a")
            time.sleep(SLOW_SECONDS)

    def do_tool(self, step, echo, headers):
        self.reply(200, completion(None, finish_reason="tool_calls"))

    def do_thinking(self, step, echo, headers):
        message = {"content": None, "reasoning_content": "A or B"}
        self.reply(200, completion(None, message=message, finish_reason="length"))

    def do_parts(self, step, echo, headers):
        parts = [{"type": "text", "text": "B"}, {"type": "text", "text": "ee"}]
        self.reply(200, completion(parts, finish_reason=None))


@contextlib.contextmanager
def fault_server():
    with FaultServer() as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            serving.join()
