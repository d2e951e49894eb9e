"""What a run's record says of the machine and the code around it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from fastvbench.core import info

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["environment", "git_state", "hardware"]

PACKAGES = (
    *("numpy", "orjson", "rapidfuzz", "torch", "torchvision", "torchcodec", "av", "transformers"),
    *("accelerate", "openai", "pillow", "rapidocr-onnxruntime", "onnxruntime"),
)
_GIT_SECONDS = 10


def environment() -> dict[str, Any]:
    """Versions of Python and of the installed packages that may move an answer."""
    versions = {name: found for name in PACKAGES if (found := _version(name)) is not None}
    return {
        "fastvbench": info()["version"],
        "python": platform.python_version(),
        "packages": versions,
        "platform": platform.platform(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def hardware() -> dict[str, Any]:
    """Processors, memory and, where torch is loaded already, GPUs."""
    found: dict[str, Any] = {
        "machine": platform.machine(),
        "cpu_level": info()["cpu_level"],
        "threads": info()["threads"],
    }
    if "SC_PHYS_PAGES" in os.sysconf_names:
        found["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    torch = sys.modules.get("torch")  # a run without a model in this process needs none
    if torch is not None and torch.cuda.is_available():
        found["gpus"] = [
            torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())
        ]
    return found


def git_state(folder: Path) -> dict[str, Any] | None:
    """Commit of the repository that a folder is in, and whether files differ; None without one."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    status = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "changed": bool(status)}


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
