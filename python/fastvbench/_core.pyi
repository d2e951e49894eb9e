"""
Compiled kernels of fastvbench; use the fastvbench package instead.
"""

from __future__ import annotations

def available_cpu_levels() -> list[str]:
    """
    Levels that this machine can run.
    """

def cpu_level() -> str:
    """
    Name of the CPU level in use.
    """

def cpu_level_request_refused() -> bool:
    """
    True where FASTVBENCH_CPU_LEVEL names no level of this machine.
    """

def default_threads() -> int:
    """
    Threads that threads=0 stands for.
    """

def flag_bits() -> dict[str, int]:
    """
    Name and bit of each flag an interval may carry; equal to core._status.Flag.
    """

def set_cpu_level(name: str) -> None:
    """
    Use another CPU level in this process (tests run every level this way).
    """

def status_numbers() -> dict[str, int]:
    """
    Name and number of each status a row may have; equal to core._status.Status.
    """

__version__: str
