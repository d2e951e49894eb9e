"""How much memory a prepared gallery takes, and how much there is."""

from __future__ import annotations

import os

__all__ = ["available_bytes", "prepared_bytes"]


def prepared_bytes(row_count: int, dimension: int) -> int:
    """Bytes of a gallery's int8 copy: a code per value, and a few numbers per row."""
    return row_count * (dimension + 32)


def available_bytes() -> int | None:
    """Bytes that can be had without swapping, or None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
