"""Take a file out of this system's page cache, and look whether it went."""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["drop_pages", "resident_fraction"]

_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE


def drop_pages(path: Path) -> str | None:
    """Ask the system to forget a file's pages.

    What a disk, a host or a network file system keeps in caches of its own stays out of reach.

    Returns:
        None where the pages are gone; else why the next read is not a cold one.
    """
    if not hasattr(os, "posix_fadvise"):
        return "this system has no posix_fadvise"
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # a page that is not on the disk yet cannot be dropped
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
    resident = resident_fraction(path)
    if resident is not None and resident > 0.01:
        return f"{resident:.0%} of the file stayed in the page cache (a file system in memory?)"
    return None


def resident_fraction(path: Path) -> float | None:
    """Share of a file's pages that are in the page cache; None where the system does not tell."""
    size = path.stat().st_size
    if size == 0:
        return 0.0
    try:
        mincore = ctypes.CDLL(None, use_errno=True).mincore
    except (AttributeError, OSError, TypeError):
        return None
    pages = -(-size // mmap.PAGESIZE)
    held = (ctypes.c_ubyte * pages)()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # A private map can be written to, which is what ctypes asks for; nothing writes.
        with mmap.mmap(descriptor, size, flags=mmap.MAP_PRIVATE, prot=_READ_WRITE) as view:
            begin = ctypes.c_ubyte.from_buffer(view)
            refused = mincore(ctypes.byref(begin), ctypes.c_size_t(size), held)
            del begin  # the map can close only when nothing points into it
    except OSError:  # a file larger than what may be mapped
        return None
    finally:
        os.close(descriptor)
    return None if refused else float((np.ctypeslib.as_array(held) & 1).mean())
