"""What this installation is and can do."""

from __future__ import annotations

import os

from fastvbench import _core

__all__ = ["info"]


def info() -> dict[str, object]:
    """Version, CPU level, threads, and whether CUDA can be used or why not.

    Returns:
        ``version``; ``cpu_level`` in use and ``cpu_levels`` of this machine; ``threads`` that
        ``threads=0`` stands for; ``cuda`` (False) and ``cuda_reason``; ``warnings``, which names a
        FASTVBENCH_CPU_LEVEL that this machine does not have.

    Example:
        >>> info()["cuda"]
        False
    """
    warnings = []
    if _core.cpu_level_request_refused():
        wanted = os.environ.get("FASTVBENCH_CPU_LEVEL")
        warnings.append(
            f"FASTVBENCH_CPU_LEVEL={wanted} is not one of {_core.available_cpu_levels()}; "
            f"using {_core.cpu_level()}"
        )
    return {
        "version": _core.__version__,
        "cpu_level": _core.cpu_level(),
        "cpu_levels": _core.available_cpu_levels(),
        "threads": _core.default_threads(),
        "cuda": False,
        "cuda_reason": "this version has no CUDA kernels",
        "warnings": warnings,
    }
