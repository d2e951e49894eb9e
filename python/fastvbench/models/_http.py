"""One HTTP POST that ends in time: connections that stall or drip are cut off."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Poster", "Reply", "TimedOutError"]

_CONNECT_SECONDS = 30.0
_MOST_REPLY_BYTES = 64 << 20
_BLOCK_BYTES = 1 << 16


class TimedOutError(Exception):
    """The reply was not complete in time."""


@dataclass(frozen=True)
class Reply:
    """A complete reply.

    Attributes:
        status: HTTP's.
        headers: by lower-case name.
        body: all of it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class Poster:
    """Posts to one URL from any number of threads.

    The standard library limits the time of each read, which a server that sends a byte now and
    then never exceeds. Here a whole exchange has a deadline, kept by closing the socket under it.
    Redirects are not followed, so that headers go to no other host. ``HTTP_PROXY`` and its kin
    count, but never for this machine itself.

    Args:
        url: http or https, without user and password.

    Raises:
        InputError: any other URL.
    """

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if parts.scheme not in {"http", "https"} or not host:
            raise InputError(
                "not a server's URL", field="model", expected="http://... or https://..."
            )
        if parts.username is not None or parts.password is not None:
            raise InputError(
                "a URL with a user or password, which would end up in records",
                field="model",
                expected="the key in an environment variable",
            )
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._host, self._port = host, port or (443 if self._tls else 80)
        self._path = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
        self._proxy = _proxy_for(parts.scheme, host)
        self._live: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def post(self, body: bytes, headers: Mapping[str, str], timeout_seconds: float) -> Reply:
        """Post a body and read the whole reply.

        Raises:
            TimedOutError: it was not complete in time.
            OSError, http.client.HTTPException: no connection, or one that broke off.
        """
        deadline = time.monotonic() + timeout_seconds
        connection = self._connection(min(timeout_seconds, _CONNECT_SECONDS))
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _cut(connection)

        watch = threading.Timer(timeout_seconds, expire)
        watch.daemon = True
        with self._lock:
            self._live.add(connection)
        watch.start()
        try:
            connection.connect()
            connection.sock.settimeout(max(0.001, deadline - time.monotonic()))
            connection.request("POST", self._target(), body=body, headers=dict(headers))
            response = connection.getresponse()
            content = _read(response)
            names = {name.lower(): value for name, value in response.getheaders()}
            if expired.is_set():
                raise TimedOutError
            return Reply(response.status, names, content)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # A socket closed under a TLS connection may also raise ValueError.
            if expired.is_set() or isinstance(error, TimeoutError):
                raise TimedOutError from None
            if isinstance(error, ValueError):
                raise http.client.HTTPException(str(error)) from error
            raise
        finally:
            watch.cancel()
            with self._lock:
                self._live.discard(connection)
            connection.close()

    def cut_all(self) -> None:
        """Break off every exchange that is under way."""
        with self._lock:
            live = list(self._live)
        for connection in live:
            _cut(connection)

    def _connection(self, connect_seconds: float) -> http.client.HTTPConnection:
        host, port = self._proxy or (self._host, self._port)
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=connect_seconds)
        secure = http.client.HTTPSConnection(host, port, timeout=connect_seconds, context=self._tls)
        if self._proxy is not None:
            secure.set_tunnel(self._host, self._port)
        return secure

    def _target(self) -> str:
        if self._proxy is not None and self._tls is None:
            return f"http://{self._host}:{self._port}{self._path}"
        return self._path


def _cut(connection: http.client.HTTPConnection) -> None:
    open_socket = connection.sock
    if open_socket is not None:
        with contextlib.suppress(OSError):
            open_socket.shutdown(socket.SHUT_RDWR)


def _read(response: http.client.HTTPResponse) -> bytes:
    blocks = []
    size = 0
    while block := response.read(_BLOCK_BYTES):
        size += len(block)
        if size > _MOST_REPLY_BYTES:
            raise http.client.HTTPException(f"a reply of more than {_MOST_REPLY_BYTES} bytes")
        blocks.append(block)
    if response.length:  # what a Content-Length promised and nobody sent
        raise http.client.IncompleteRead(b"".join(blocks), response.length)
    return b"".join(blocks)


def _proxy_for(scheme: str, host: str) -> tuple[str, int] | None:
    if _is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    proxy = urllib.request.getproxies().get(scheme)
    if not proxy:
        return None
    parts = urllib.parse.urlsplit(proxy if "//" in proxy else f"//{proxy}")
    return None if parts.hostname is None else (parts.hostname, parts.port or 80)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
