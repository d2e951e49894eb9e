"""``openai:URL#model``: a model behind a server that speaks OpenAI's chat protocol."""

from __future__ import annotations

import email.utils
import http.client
import os
import random
import threading
import time
import urllib.parse
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, get_args

from fastvbench.core._errors import InputError
from fastvbench.models._closing import Closing
from fastvbench.models._http import Poster, Reply, TimedOutError
from fastvbench.models._openai_messages import (
    MessageWriter,
    ServerFrames,
    UnreadableReplyError,
    read_reply,
)
from fastvbench.models._types import Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastvbench.models._types import GenerationSettings, Request

__all__ = ["OpenAiGenerator"]

_LARGEST_BACKOFF_SECONDS = 60.0


class OpenAiGenerator(Closing):
    """Answers by way of a server.

    A row is tried again after 429, 5xx, a time-out, a lost connection and a reply that is no JSON,
    and never after another 4xx. Between tries it waits as long as the server says
    (``Retry-After``), else ever longer. After the last try the row has an error. The key comes from
    the environment and goes nowhere but into the header: where a server repeats it in a message, it
    is blotted out.

    Args:
        target: ``URL#model``; the URL up to ``/v1``.
        concurrency: requests under way at once.
        key_variable: the environment variable that holds the key; unset or empty sends none.
        frames_as: ``image_url`` sends a JPEG a frame; ``video_url`` names the video's file, which
            the server opens; ``video_data`` sends the file. With the latter two, which frames
            are seen is the server's choice.
        time_markers: whether ``<12.0 seconds>`` stands before each frame.
        jpeg_quality: of frames and pictures, 1 to 95.
        timeout_seconds: of one try, from connecting to the last byte.
        retries: tries after the first.
        backoff_seconds: the wait before the first retry; it doubles from then on, to a minute.
        longest_wait_seconds: what ``Retry-After`` is cut to.
        tokens_field: ``max_tokens``, or ``max_completion_tokens`` where a server wants that.
        body: further fields of every request.

    Raises:
        InputError: not such a target, or an option out of range.
    """

    def __init__(
        self,
        target: str,
        *,
        concurrency: int = 8,
        key_variable: str = "OPENAI_API_KEY",
        frames_as: ServerFrames = "image_url",
        time_markers: bool = True,
        jpeg_quality: int = 85,
        timeout_seconds: float = 600.0,
        retries: int = 5,
        backoff_seconds: float = 1.0,
        longest_wait_seconds: float = 120.0,
        tokens_field: str = "max_tokens",
        body: Mapping[str, Any] | None = None,
    ) -> None:
        url, mark, model = target.rpartition("#")
        if not mark or not url or not model:
            raise InputError(
                "names no model on a server",
                field="model",
                value=_without_query(target),
                expected="openai:URL#model",
            )
        _check("concurrency", concurrency, concurrency >= 1, "a number from 1")
        _check("jpeg_quality", jpeg_quality, 1 <= jpeg_quality <= 95, "1 to 95")
        _check("timeout_seconds", timeout_seconds, timeout_seconds > 0, "seconds above 0")
        _check("retries", retries, retries >= 0, "a number from 0")
        _check("backoff_seconds", backoff_seconds, backoff_seconds >= 0, "seconds from 0")
        kinds = ", ".join(get_args(ServerFrames))
        _check("frames_as", frames_as, frames_as in get_args(ServerFrames), kinds)
        address, _, query = url.partition("?")
        endpoint = address.rstrip("/") + "/chat/completions" + (f"?{query}" if query else "")
        self._poster = Poster(endpoint)
        self.name = f"openai:{address}#{model}"
        self.batch_size = concurrency
        self._writer = MessageWriter(
            model,
            frames_as=frames_as,
            time_markers=time_markers,
            jpeg_quality=jpeg_quality,
            tokens_field=tokens_field,
            body=dict(body or {}),
        )
        self._key = os.environ.get(key_variable, "").strip() if key_variable else ""
        self._timeout_seconds, self._retries = timeout_seconds, retries
        self._backoff_seconds, self._longest_wait_seconds = backoff_seconds, longest_wait_seconds
        self._record = {
            "kind": "openai",
            "server": address,
            "model": model,
            "frames_as": frames_as,
            "time_markers": time_markers,
            "jpeg_quality": jpeg_quality,
            "media_order": ["frames", "images", "prompt"],
            "body": dict(body or {}),
            "concurrency": concurrency,
            "timeout_seconds": timeout_seconds,
            "retries": retries,
        }
        self._stopped = threading.Event()
        self._pause_lock = threading.Lock()
        self._pause_until = 0.0

    def describe(self) -> Mapping[str, Any]:
        """The server, the model's name there, and how it is asked; nobody knows its weights."""
        return dict(self._record)

    def close(self) -> None:
        """Break off what is under way."""
        self._stopped.set()
        self._poster.cut_all()

    def generate(self, requests: Sequence[Request], settings: GenerationSettings) -> list[Response]:
        """Answer requests, up to `batch_size` of them at once."""
        numbered = [(place, request) for place, request in enumerate(requests)]
        answers: dict[int, Response] = dict(self._all(numbered, settings))
        return [answers[place] for place in range(len(requests))]

    def stream(
        self, requests: Iterable[Request], settings: GenerationSettings
    ) -> Iterator[Response]:
        """Answer requests as they come, each response as soon as it is there, in any order.

        Requests are taken only when there is room for them, so that frames of few are in memory.
        """
        for _, response in self._all(enumerate(requests), settings):
            yield response

    def _all(
        self, numbered: Iterable[tuple[int, Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, Response]]:
        waiting: dict[Future[Response], int] = {}
        pool = ThreadPoolExecutor(self.batch_size, thread_name_prefix="fastvbench-server")
        try:
            for place, request in numbered:
                waiting[pool.submit(self._answer, request, settings)] = place
                if len(waiting) >= self.batch_size:
                    yield from _finished(waiting)
            while waiting:
                yield from _finished(waiting)
        except BaseException:  # Ctrl-C too: nobody waits for answers any more
            self.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _answer(self, request: Request, settings: GenerationSettings) -> Response:
        """One row, tried until it has an answer or no tries are left."""
        try:
            body = self._writer.write(request, settings)
        except (InputError, OSError) as error:
            return Response.failed(request.id, str(error))
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        problem = ""
        seconds = 0.0
        for attempt in range(1, self._retries + 2):
            self._wait_for_pause()
            if self._stopped.is_set():
                problem = problem or "broken off"
                break
            begin = time.perf_counter()
            asked_seconds: float | None = None
            try:
                reply = self._poster.post(body, headers, self._timeout_seconds)
                seconds = time.perf_counter() - begin
                if reply.status == 200:
                    fields = read_reply(reply.body)
                    return Response(request.id, **fields, latency_seconds=seconds, attempts=attempt)
                problem = _told(reply)
                if reply.status != 429 and reply.status < 500:
                    return self._failed(request, problem, seconds, attempt)
                asked_seconds = _retry_after_seconds(reply)
                if reply.status == 429 and asked_seconds is not None:
                    self._pause(asked_seconds)
            except TimedOutError:
                problem = f"no complete reply in {self._timeout_seconds:g} s"
            except UnreadableReplyError as error:
                problem = str(error)
            except (OSError, http.client.HTTPException) as error:
                problem = f"no connection, or a broken one ({type(error).__name__}: {error})"
            seconds = time.perf_counter() - begin
            if attempt <= self._retries:
                self._stopped.wait(self._wait_seconds(attempt, asked_seconds))
        return self._failed(request, problem, seconds, attempt)

    def _failed(self, request: Request, problem: str, seconds: float, attempts: int) -> Response:
        if self._key:
            problem = problem.replace(self._key, "[key]")
        return Response.failed(request.id, problem, latency_seconds=seconds, attempts=attempts)

    def _wait_seconds(self, attempt: int, asked_seconds: float | None) -> float:
        if asked_seconds is not None:
            return min(asked_seconds, self._longest_wait_seconds)
        doubled = self._backoff_seconds * 2.0 ** (attempt - 1)
        # A part of it is drawn, so that rows that failed together do not come back together.
        return min(doubled, _LARGEST_BACKOFF_SECONDS) * random.uniform(0.5, 1.0)

    def _pause(self, seconds: float) -> None:
        """Hold all rows back: the server asked for a rest."""
        until = time.monotonic() + min(seconds, self._longest_wait_seconds)
        with self._pause_lock:
            self._pause_until = max(self._pause_until, until)

    def _wait_for_pause(self) -> None:
        with self._pause_lock:
            seconds = self._pause_until - time.monotonic()
        if seconds > 0:
            self._stopped.wait(seconds)


def _finished(waiting: dict[Future[Response], int]) -> list[tuple[int, Response]]:
    """Wait for at least one answer and take all that are there."""
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    return [(waiting.pop(future), future.result()) for future in done]


def _told(reply: Reply) -> str:
    """Status and message of a refusal."""
    text = reply.body[:2000].decode("utf-8", "replace")
    return f"HTTP {reply.status}: {' '.join(text.split())[:300]}"


def _retry_after_seconds(reply: Reply) -> float | None:
    """What ``Retry-After`` says, in seconds or as a date; None where it says nothing."""
    text = reply.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def _without_query(target: str) -> str:
    parts = urllib.parse.urlsplit(target)
    return target if not parts.query else target.replace(parts.query, "...")


def _check(name: str, value: object, holds: bool, expected: str) -> None:
    if not holds:
        raise InputError("out of range", field=name, value=value, expected=expected)
