"""Files behind a URL, copied to the disk for as long as they are being opened."""

from __future__ import annotations

import contextlib
import pathlib
import tempfile
from typing import TYPE_CHECKING

from fastvbench.core._errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_url", "local_copy"]

# Which extra of this package brings what a protocol needs.
_EXTRAS = {"http": "retrieval", "https": "retrieval", "s3": "s3", "s3a": "s3"}


def is_url(path: object) -> bool:
    """Whether a path is one that the disk knows nothing of."""
    return isinstance(path, str) and "://" in path


@contextlib.contextmanager
def local_copy(url: str) -> Iterator[pathlib.Path]:
    """Copy what is behind a URL into a temporary file, piece by piece, and remove it in the end.

    What has been mapped into memory by then stays readable: the disk keeps the bytes until the
    mapping is gone.

    Args:
        url: any that fsspec knows, such as ``https://...`` or ``s3://bucket/clips.npy``.

    Raises:
        InputError: nothing is there, the server cannot be reached or stops in the middle, or no
            package for such URLs is installed.
        MissingExtraError: fsspec, or what it needs for http or s3, is not installed.
    """
    protocol = url.partition("://")[0]
    try:
        import fsspec  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError(f"reading {protocol}:// URLs", "retrieval") from None
    try:
        file_system, remote_path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        if protocol in _EXTRAS:
            raise MissingExtraError(f"reading {protocol}:// URLs", _EXTRAS[protocol]) from None
        raise InputError(f"cannot be read ({error})", path=url) from None
    except ValueError as error:
        raise InputError(f"cannot be read ({error})", path=url, expected="a known URL") from None
    with tempfile.TemporaryDirectory(prefix="fastvbench-") as folder:
        copy = pathlib.Path(folder, "copy")
        network_errors: tuple[type[Exception], ...] = (OSError, *_network_errors())
        try:
            file_system.get_file(remote_path, str(copy))
        except FileNotFoundError:
            raise InputError("no such file", path=url) from None
        except network_errors as error:
            reason = str(error) or type(error).__name__
            raise InputError(f"cannot be read ({reason})", path=url) from None
        if not copy.is_file():
            raise InputError("is a folder", path=url, expected="a file")
        yield copy


def _network_errors() -> tuple[type[Exception], ...]:
    """What http raises beside OSError."""
    try:
        import aiohttp  # noqa: PLC0415 - an optional dependency
    except ImportError:
        return (TimeoutError,)
    return (TimeoutError, aiohttp.ClientError)
