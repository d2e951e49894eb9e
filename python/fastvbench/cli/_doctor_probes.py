"""Looks at the parts of an installation, each native library in a process of its own.

A library that was built for another CUDA, FFmpeg or torch may do more than fail to import: it may
end the process. So it is loaded in a child, and what that says, or how it died, is the finding.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import json
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = ["Child", "FfmpegSet", "ffmpeg_sets", "installed_version", "missing_library", "run_child"]

CHILD_SECONDS = 180.0  # a first import of torch from a network disk takes minutes

TORCH = """
import json, torch
found = {"version": torch.__version__, "cuda_build": torch.version.cuda,
         "cuda": torch.cuda.is_available()}
if found["cuda"]:
    found["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
print(json.dumps(found))
"""
TORCHVISION = """
import json, torchvision
from torchvision.transforms.v2 import functional
print(json.dumps({"version": torchvision.__version__}))
"""
TORCHCODEC = """
import json, torchcodec
found = {"version": torchcodec.__version__, "ffmpeg": torchcodec.ffmpeg_major_version}
if found["ffmpeg"] is not None:
    from torchcodec.decoders import VideoDecoder
print(json.dumps(found))
"""
AV = """
import json, av
found = {"version": av.__version__, "ffmpeg": getattr(av, "ffmpeg_version_info", "")}
found["av1"] = any(name in av.codecs_available for name in ("libdav1d", "av1", "libaom-av1"))
print(json.dumps(found))
"""
NVDEC = """
import ctypes, json
ctypes.CDLL("libnvcuvid.so.1")
print(json.dumps({"version": ""}))
"""


@dataclass(frozen=True)
class Child:
    """What came of loading a library in a child process.

    Args:
        state: ``ok``, ``missing`` (no such module) or ``broken``.
        found: what the child printed.
        error: last line of what it said, or how it died.
    """

    state: Literal["ok", "missing", "broken"]
    found: dict[str, Any]
    error: str = ""


def run_child(program: str, *, seconds: float = CHILD_SECONDS) -> Child:
    """Run a probe, which prints one JSON object, in a new Python.

    Args:
        program: Python source.
        seconds: after which it is stopped.
    """
    command = [sys.executable, "-c", program]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Child("broken", {}, f"did not load within {seconds:g} s")
    if done.returncode < 0:
        return Child("broken", {}, f"loading it ends the process ({_signal(-done.returncode)})")
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if done.returncode:
        error = said[-1] if said else f"exit code {done.returncode}"
        absent = error.startswith("ModuleNotFoundError")
        return Child("missing" if absent else "broken", {}, error)
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return Child("broken", {}, "printed no report")
    return Child("ok", found)


def installed_version(distribution: str) -> str | None:
    """Version of an installed distribution; None where it is absent."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def missing_library(error: str) -> str | None:
    """The shared library that a loader's message misses; None where it names none."""
    found = re.search(r"(\S+?\.(?:so[.\d]*|dylib|dll))['\"]?: cannot open shared object", error)
    found = found or re.search(r"Library not loaded: \S*?([^/\s]+\.dylib)", error)
    return None if found is None else found.group(1)


@dataclass(frozen=True)
class FfmpegSet:
    """The FFmpeg libraries that one build of TorchCodec wants.

    Args:
        major: FFmpeg's major version.
        wanted: names of the libraries.
        absent: of them, those that the loader does not find.
    """

    major: int
    wanted: tuple[str, ...]
    absent: tuple[str, ...]


def ffmpeg_sets() -> list[FfmpegSet]:
    """What each build in the installed TorchCodec needs of FFmpeg, and what of it is not there.

    The names are read from the builds themselves, so they fit any version of TorchCodec.
    """
    spec = importlib.util.find_spec("torchcodec")
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    sets = []
    for folder in folders:
        for build in sorted(Path(folder).glob("libtorchcodec_core*")):
            major = re.search(r"core(\d+)", build.name)
            if major is None:
                continue
            names = re.findall(rb"lib(?:av|sw)[a-z]+\.(?:so\.\d+|\d+\.dylib)", build.read_bytes())
            wanted = tuple(sorted({name.decode() for name in names}))
            absent = tuple(name for name in wanted if not _loads(name))
            sets.append(FfmpegSet(int(major.group(1)), wanted, absent))
    return sorted(sets, key=lambda found: found.major)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
