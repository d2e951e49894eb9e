"""What this installation is and can do."""

from __future__ import annotations

import os

from fastvbench import _core
from fastvbench.core._device import cuda_device_names, why_no_cuda

__all__ = ["VERSION", "info"]

VERSION = _core.__version__


def info() -> dict[str, object]:
    """Version, CPU level, threads, and whether CUDA can be used or why not.

    Returns:
        ``version``; ``cpu_level`` in use and ``cpu_levels`` of this machine; ``threads`` that
        ``threads=0`` stands for; ``cuda`` (True or False), ``cuda_reason`` (why not, else empty)
        and ``cuda_devices`` (names); ``warnings``, which names a FASTVBENCH_CPU_LEVEL that this
        machine does not have.

    Example:
        >>> info()["cuda"] in (True, False)
        True
    """
    warnings = []
    if _core.cpu_level_request_refused():
        wanted = os.environ.get("FASTVBENCH_CPU_LEVEL")
        warnings.append(
            f"FASTVBENCH_CPU_LEVEL={wanted} is not one of {_core.available_cpu_levels()}; "
            f"using {_core.cpu_level()}"
        )
    reason = why_no_cuda()
    return {
        "version": VERSION,
        "cpu_level": _core.cpu_level(),
        "cpu_levels": _core.available_cpu_levels(),
        "threads": _core.default_threads(),
        "cuda": reason is None,
        "cuda_reason": reason or "",
        "cuda_devices": [] if reason else cuda_device_names(),
        "warnings": warnings,
    }
