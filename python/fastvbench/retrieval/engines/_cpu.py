"""Which instructions this CPU has, as far as a rival's best kernel depends on them."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path

from fastvbench.core import info

__all__ = ["cpu_model", "has_avx2", "has_avx512"]

_CPUINFO = Path("/proc/cpuinfo")
_SKYLAKE_X = frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"})


@functools.lru_cache(maxsize=1)
def _cpuinfo() -> dict[str, str]:
    """The first processor's entries; empty where the system does not tell."""
    entries: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            entries.setdefault(key.strip(), value.strip())
    return entries


def _levels() -> list[str]:
    levels = info()["cpu_levels"]
    assert isinstance(levels, list)
    return levels


def has_avx512() -> bool:
    """Whether the CPU has what a kernel for Skylake-X uses."""
    flags = _cpuinfo().get("flags")
    return "avx512" in _levels() if flags is None else set(flags.split()) >= _SKYLAKE_X


def has_avx2() -> bool:
    """Whether the CPU has AVX2."""
    return "avx2" in _levels()


def cpu_model() -> str:
    """The CPU's name as the system gives it; empty where it does not."""
    return _cpuinfo().get("model name", "")
