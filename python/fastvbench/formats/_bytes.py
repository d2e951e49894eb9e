"""From a file on disk to UTF-8 blocks: gzip, UTF-16, byte order marks, wrong files, the hash."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import io
import os
import stat
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, BinaryIO

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "BLOCK_BYTES",
    "FileHash",
    "Json",
    "Ledger",
    "blaming_gzip",
    "count",
    "decode_text",
    "open_bytes",
    "raw_blocks",
    "text_blocks",
]

Json = Any
"""A value that JSON can hold; what it is, only a look can tell."""

Ledger = dict[str, int]
"""What was met and tolerated while reading, by name, with how often."""

BLOCK_BYTES = 1 << 20

_GZIP_MAGIC = b"\x1f\x8b"
# What people hand over by mistake. Text formats are told apart by the readers themselves.
_BINARY_MAGIC = {
    _GZIP_MAGIC: "a gzip file inside a gzip file",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"RIFF": "a RIFF file (webp, wav or avi)",
    b"%PDF": "a PDF document",
    b"PAR1": "a parquet file",
    b"\x28\xb5\x2f\xfd": "a zstandard archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-zip archive",
    b"\x1a\x45\xdf\xa3": "a Matroska or WebM video",
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls)",
    b"\x93NUMPY": "a numpy array",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow file",
    b"\x7fELF": "a program",
}
# Four-byte marks first: the UTF-32 mark begins with the UTF-16 one.
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def count(ledger: Ledger | None, name: str, times: int = 1) -> None:
    """Add to a ledger, if there is one to add to."""
    if ledger is not None:
        ledger[name] = ledger.get(name, 0) + times


class FileHash:
    """SHA-256 of blocks, computed one block behind on a second thread.

    Hashing releases the interpreter lock, so on two cores it hides behind the parsing.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._worker: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None

    def update(self, block: bytes) -> None:
        """Add a block; small files never start the thread."""
        if len(block) < BLOCK_BYTES and self._worker is None:
            self._hash.update(block)
            return
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="fastvbench-hash")
        if self._pending is not None:
            self._pending.result()
        self._pending = self._worker.submit(self._hash.update, block)

    def close(self) -> None:
        """Wait for the last block and let the thread go."""
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = self._pending = None

    def hexdigest(self) -> str:
        """The digest of all blocks so far, in hexadecimal."""
        self.close()
        return self._hash.hexdigest()


def raw_blocks(
    path: str | os.PathLike[str], *, file_hash: FileHash | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked if it is gzip (by its content, whatever its name).

    Args:
        path: the file.
        file_hash: fed with the bytes as they lie on the disk, packed ones too.

    Raises:
        InputError: missing, a folder, unreadable, empty, or gzip that is corrupt or truncated.
    """
    blocks = _disk_blocks(path, file_hash)
    first = next(blocks, b"")
    while len(first) < 2 and (more := next(blocks, b"")):  # a pipe may give one byte at a time
        first += more
    if not first:
        raise InputError("the file is empty", path=path, expected="predictions or annotations")
    if first.startswith(_GZIP_MAGIC):
        yield from _gunzip(path, first, blocks)
        return
    yield first
    yield from blocks


@contextlib.contextmanager
def blaming_gzip(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let damage of a gzip file be reported as that, not as what it does to the text inside.

    A flipped bit gives wrong text at once, while the checksum that proves it comes at the end.
    """
    try:
        yield
    except InputError:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                packed = file.read(2) == _GZIP_MAGIC
            if packed:
                for _ in raw_blocks(path):
                    pass
        raise


def _disk_blocks(path: str | os.PathLike[str], file_hash: FileHash | None) -> Iterator[bytes]:
    try:
        kind = os.stat(path).st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):  # it is read more than once
            raise InputError("is a pipe or a device", path=path, expected="a file on a disk")
        with open(path, "rb", buffering=0) as file:
            while block := file.read(BLOCK_BYTES):
                if file_hash is not None:
                    file_hash.update(block)
                yield block
    except FileNotFoundError:
        raise InputError("no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder", path=path, expected="a file") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"cannot be read ({reason})", path=path) from None
    finally:
        if file_hash is not None:
            file_hash.close()


def _gunzip(path: str | os.PathLike[str], block: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip, also several members in a row; zero padding after the last one is allowed."""
    unpacker = zlib.decompressobj(wbits=31)
    unpacked_any = False
    while True:
        try:
            unpacked = unpacker.decompress(block, BLOCK_BYTES)
        except zlib.error as error:
            raise InputError(
                f"the gzip file is corrupt ({error})", path=path, expected="an intact .gz file"
            ) from None
        if unpacked:
            unpacked_any = True
            yield unpacked
        block = unpacker.unconsumed_tail
        if unpacker.eof:
            block = unpacker.unused_data.lstrip(b"\0")
            while not block:
                following = next(blocks, b"")
                if not following:
                    if not unpacked_any:
                        raise InputError("the gzip file unpacks to nothing", path=path)
                    return
                block = following.lstrip(b"\0")
            unpacker = zlib.decompressobj(wbits=31)
        elif not block and not unpacked:  # a bounded call may hold unpacked bytes back
            block = next(blocks, b"")
            if not block:
                break
    # The file ended before its last member said that it is complete.
    raise InputError("the gzip file is truncated", path=path, expected="a complete .gz file")


def text_blocks(
    path: str | os.PathLike[str],
    *,
    ledger: Ledger | None = None,
    file_hash: FileHash | None = None,
) -> Iterator[bytes]:
    """Yield the text of a file as UTF-8 bytes, whatever it was written in.

    A byte order mark is dropped and counted (``byte_order_mark``); UTF-16 and UTF-32 become
    UTF-8 and are counted (``utf16``). Bytes that are not valid UTF-8 pass through untouched:
    only the reader of a line knows what they spoil.

    Raises:
        InputError: as `raw_blocks`, and for content that is no text at all.
    """
    blocks = raw_blocks(path, file_hash=file_hash)
    head = next(blocks)
    while len(head) < 16 and (more := next(blocks, b"")):  # marks need their four bytes
        head += more
    encoding, mark_bytes = _wide_encoding(head)
    if encoding is not None:
        count(ledger, "utf16")
        yield from _narrowed(path, head[mark_bytes:], blocks, encoding)
        return
    if head.startswith(codecs.BOM_UTF8):
        count(ledger, "byte_order_mark")
        head = head[len(codecs.BOM_UTF8) :]
    _refuse_other_files(path, head)
    if head:
        yield head
    yield from blocks


def _wide_encoding(head: bytes) -> tuple[str | None, int]:
    for mark, encoding in _WIDE_MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    # Without a mark: JSON begins with an ASCII character, so every second byte is zero.
    if len(head) >= 4 and head[0] in b'{["' and head[1] == 0 and head[2] != 0 and head[3] == 0:
        return "utf-16-le", 0
    if len(head) >= 4 and head[0] == 0 and head[1] in b'{["' and head[2] == 0 and head[3] != 0:
        return "utf-16-be", 0
    return None, 0


def _narrowed(
    path: str | os.PathLike[str], head: bytes, blocks: Iterator[bytes], encoding: str
) -> Iterator[bytes]:
    # Lone surrogates pass, which the UTF-8 side of this library keeps too.
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    try:
        block = head
        first = True
        while block:
            text = decoder.decode(block).removeprefix("\ufeff" if first else "")
            first = first and not text
            if text:
                yield text.encode("utf-8", "surrogatepass")
            block = next(blocks, b"")
        try:
            yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            # Half a character at the end belongs to a torn last line, whose reader will notice.
            yield "\ufffd".encode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not valid {encoding[:6].upper()} ({error.reason})", path=path, expected="UTF-8"
        ) from None


def _refuse_other_files(path: str | os.PathLike[str], head: bytes) -> None:
    found = next((name for magic, name in _BINARY_MAGIC.items() if head.startswith(magic)), None)
    if found is None and head[4:8] == b"ftyp":
        found = "an MP4 video"
    if found is None and head.startswith(b"PK\x03\x04"):
        found = "a zip archive"
    # A torn write can leave zeros at a file's end, so only the beginning decides.
    if found is None and b"\0" in head[:1024] and head.lstrip(b"\0")[:1] not in (b"{", b"["):
        found = "binary data"
    if found is None and head[:1024].lstrip()[:15].lower().startswith((b"<!doctype", b"<html")):
        found = "an HTML page"
    if found is not None:
        raise InputError(f"this is {found}", path=path, expected="JSON, JSONL, tsv, csv or xlsx")


def decode_text(data: bytes, *, ledger: Ledger | None = None) -> str:
    """Decode UTF-8 without ever failing.

    Encoded lone surrogates are kept as such; any other invalid byte becomes U+FFFD and the call
    is counted once as ``invalid_utf8``.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        count(ledger, "invalid_utf8")
        return data.decode("utf-8", "replace")


class _BlockReader(io.RawIOBase):
    """Blocks as a readable file, for consumers that want one."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            block = next(self._blocks, b"")
            if not block:
                return 0
            self._rest = memoryview(block)
        taken = min(len(buffer), len(self._rest))
        buffer[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken


def open_bytes(path: str | os.PathLike[str], *, file_hash: FileHash | None = None) -> BinaryIO:
    """Open a file for reading bytes; gzip is unpacked as it is read.

    Args:
        path: the file.
        file_hash: fed with the bytes as they lie on the disk.

    Raises:
        InputError: on opening or on a later read, as `raw_blocks`.
    """
    blocks = raw_blocks(path, file_hash=file_hash)
    first = next(blocks)  # a missing file is reported here, not at the first read

    def all_blocks() -> Iterator[bytes]:
        yield first
        yield from blocks

    return io.BufferedReader(_BlockReader(all_blocks()), BLOCK_BYTES)
