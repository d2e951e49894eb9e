"""Zip archives, which .npz and .pt files are: members that can be mapped where they lie."""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastvbench.retrieval.stores._contents import Path

__all__ = ["ZIP_MAGIC", "blaming_zip", "is_stored", "member_offset_bytes", "open_zip"]

ZIP_MAGIC = b"PK\x03\x04"
# What the zip module raises on damage beside its own error, found by damaging archives at random.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)
_LOCAL_HEADER_BYTES = 30
_ENCRYPTED = 1


@contextlib.contextmanager
def blaming_zip(path: Path) -> Iterator[None]:
    """Turn what goes wrong in a damaged archive into one line about the file.

    Raises:
        InputError: in place of the errors of the zip and zlib modules.
    """
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(
            f"a truncated or damaged archive ({error or type(error).__name__})", path=path
        ) from None


def open_zip(path: Path) -> zipfile.ZipFile:
    """Open an archive.

    Raises:
        InputError: truncated (its directory lies at the end), damaged or encrypted.
    """
    with blaming_zip(path):
        archive = zipfile.ZipFile(path)
    for member in archive.infolist():
        if member.flag_bits & _ENCRYPTED:
            archive.close()
            raise InputError("an encrypted archive", path=path, field=member.filename)
    return archive


def is_stored(member: zipfile.ZipInfo) -> bool:
    """Whether a member lies in the archive as it is, so that it can be mapped."""
    return member.compress_type == zipfile.ZIP_STORED


def member_offset_bytes(path: Path, file: BinaryIO, member: zipfile.ZipInfo) -> int:
    """Where in the archive the bytes of a stored member begin.

    Raises:
        InputError: the archive ends before the member does, or no member is there.
    """
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER_BYTES)
    if len(header) < _LOCAL_HEADER_BYTES or not header.startswith(ZIP_MAGIC):
        raise InputError("a damaged archive", path=path, field=member.filename)
    name_bytes: int
    extra_bytes: int
    name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
    offset_bytes = member.header_offset + _LOCAL_HEADER_BYTES + name_bytes + extra_bytes
    end_bytes = file.seek(0, 2)
    if offset_bytes + member.file_size > end_bytes or member.file_size != member.compress_size:
        raise InputError(
            "a truncated or damaged archive",
            path=path,
            field=member.filename,
            value=f"{max(0, end_bytes - offset_bytes)} bytes",
            expected=f"{member.file_size}",
        )
    return offset_bytes
