"""The parts of an installation, what is wrong with each, and how to get it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastvbench.cli import _doctor_probes as probes
from fastvbench.core import info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastvbench.cli._doctor_probes import Child, FfmpegSet

__all__ = ["EXTRAS", "Finding", "examine"]

OK, LIMITED, MISSING, BROKEN = "ok", "limited", "missing", "broken"

# Parts whose import tells nothing more than their version does.
PACKAGES = {
    "models": ("transformers", "accelerate", "pillow", "num2words"),
    "report": ("bokeh", "matplotlib"),
    "demo": ("rapidocr-onnxruntime",),
    "tables": ("pyarrow", "openpyxl"),
    "retrieval": ("fsspec", "ml-dtypes"),
    "s3": ("s3fs",),
    "timing": ("faiss-cpu",),  # and matplotlib, which stands under report
}
EXTRAS = ("video", *PACKAGES)

CUDA_LIBRARIES = ("libcud", "libnv", "libtorch_cuda")
GET_FFMPEG = (
    "apt-get install ffmpeg (Debian, Ubuntu), dnf install ffmpeg-free (Fedora), "
    "brew install ffmpeg (macOS) or conda install -c conda-forge ffmpeg"
)
GET_NVDEC = (
    "it comes with NVIDIA's driver; in a container, NVIDIA_DRIVER_CAPABILITIES must have `video`"
)


@dataclass(frozen=True)
class Finding:
    """What was found about one part.

    Args:
        part: its name.
        extra: the extra of this package that brings it; empty for what comes with every install.
        state: ``ok``; ``limited`` (works, but not with all it could); ``missing``; ``broken`` (it
            is there and cannot be loaded).
        version: of it, where it has one.
        detail: what it can do, or what is wrong with it.
        get: what to do about it; empty where there is nothing to do.
    """

    part: str
    extra: str
    state: str
    version: str = ""
    detail: str = ""
    get: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON values."""
        return asdict(self)


def examine() -> list[Finding]:
    """Look at every part; native libraries load in children, side by side."""
    programs = {
        "torch": probes.TORCH,
        "torchvision": probes.TORCHVISION,
        "torchcodec": probes.TORCHCODEC,
        "av": probes.AV,
        "nvdec": probes.NVDEC,
    }
    with ThreadPoolExecutor(len(programs)) as pool:
        children = dict(zip(programs, pool.map(probes.run_child, programs.values()), strict=True))
    torch = children["torch"]
    findings = [
        *_core(),
        _torch(torch),
        _plain("torchvision", "video", children["torchvision"]),
        _torchcodec(children["torchcodec"], probes.ffmpeg_sets(), torch),
        _nvdec(children["nvdec"], torch),
        _av(children["av"]),
    ]
    return [
        *findings,
        *(_package(name, extra) for extra, names in PACKAGES.items() for name in names),
    ]


def _core() -> list[Finding]:
    known: dict[str, Any] = info()
    levels = ", ".join(known["cpu_levels"])
    detail = f"{known['cpu_level']} of {levels}; {known['threads']} threads"
    core = Finding("core", "", OK, known["version"], detail)
    if known["warnings"]:
        core = Finding("core", "", LIMITED, known["version"], "; ".join(known["warnings"]))
    if known["cuda"]:
        cuda = Finding("CUDA kernels", "", OK, "", ", ".join(known["cuda_devices"]))
    else:
        get = "nothing to do: every function runs on the CPU"
        cuda = Finding("CUDA kernels", "", LIMITED, "", known["cuda_reason"], get)
    return [core, cuda]


def _torch(child: Child) -> Finding:
    if child.state != OK:
        return _failed("torch", "video", child)
    found = child.found
    if found["cuda"]:
        return Finding("torch", "video", OK, found["version"], ", ".join(found["devices"]))
    if found["cuda_build"] is None:
        detail = "built for the CPU: frames are decoded and models run on the CPU"
    else:
        detail = f"built for CUDA {found['cuda_build']}, and there is no GPU or driver for it"
    return Finding("torch", "video", OK, found["version"], detail)


def _torchcodec(child: Child, sets: Sequence[FfmpegSet], torch: Child) -> Finding:
    if child.state != OK:
        cpu_build = torch.state == OK and torch.found["cuda_build"] is None
        library = probes.missing_library(child.error)
        if (
            library is not None
            and cpu_build
            and library.startswith(("libcud", "libnv", "libtorch_cud"))
        ):
            detail = f"lacks {library}: this TorchCodec was built for CUDA, this torch for the CPU"
            get = (
                "pip install torchcodec from the index that torch came from, "
                "https://download.pytorch.org/whl/cpu; until then PyAV decodes"
            )
            return Finding("torchcodec", "video", BROKEN, _version("torchcodec"), detail, get)
        return _failed("torchcodec", "video", child)
    found = child.found
    if found["ffmpeg"] is None:
        return Finding(
            "torchcodec",
            "video",
            LIMITED,
            found["version"],
            _absent_ffmpeg(sets),
            f"{GET_FFMPEG}; until then PyAV decodes",
        )
    detail = f"decodes with FFmpeg {found['ffmpeg']}"
    return Finding("torchcodec", "video", OK, found["version"], detail)


def _absent_ffmpeg(sets: Sequence[FfmpegSet]) -> str:
    """Which libraries are not there: of the FFmpeg that is nearest to complete, if any is begun."""
    begun = [each for each in sets if len(each.absent) < len(each.wanted)]
    if begun:
        nearest = min(begun, key=lambda each: len(each.absent))
        return f"FFmpeg {nearest.major} lacks {', '.join(nearest.absent) or 'nothing it names'}"
    if not sets:
        return "finds no FFmpeg"
    first, last = sets[0], sets[-1]
    cores = [name for each in (first, last) for name in each.wanted if "avutil" in name]
    return f"finds no FFmpeg {first.major} to {last.major} ({' to '.join(cores)})"


def _nvdec(child: Child, torch: Child) -> Finding:
    if child.state == OK:
        return Finding("NVDEC", "video", OK, "", "videos can be decoded on the GPU")
    library = probes.missing_library(child.error) or "libnvcuvid.so.1"
    if torch.state == OK and torch.found["cuda"]:
        return Finding("NVDEC", "video", MISSING, "", f"lacks {library}", GET_NVDEC)
    detail = f"lacks {library}; torch sees no GPU either"
    return Finding("NVDEC", "video", LIMITED, "", detail, "nothing to do: videos decode on the CPU")


def _av(child: Child) -> Finding:
    if child.state != OK:
        return _failed("av", "video", child, "PyAV")
    found = child.found
    ffmpeg = f"decodes with its own FFmpeg {found['ffmpeg']}".rstrip()
    if not found["av1"]:
        get = "pip install --upgrade av"
        return Finding("PyAV", "video", LIMITED, found["version"], f"{ffmpeg}, without AV1", get)
    return Finding("PyAV", "video", OK, found["version"], ffmpeg)


def _plain(name: str, extra: str, child: Child) -> Finding:
    if child.state != OK:
        return _failed(name, extra, child)
    return Finding(name, extra, OK, child.found["version"])


def _package(name: str, extra: str) -> Finding:
    version = probes.installed_version(name)
    if version is None:
        return Finding(name, extra, MISSING, "", "", _pip(extra))
    return Finding(name, extra, OK, version)


def _failed(name: str, extra: str, child: Child, title: str | None = None) -> Finding:
    """A library that did not load: absent, or there and unable to."""
    version = _version(name)
    if not version:
        return Finding(title or name, extra, MISSING, "", "", _pip(extra))
    library = probes.missing_library(child.error)
    if library is None:
        return Finding(
            title or name, extra, BROKEN, version, child.error, f"reinstall it: {_pip(extra)}"
        )
    detail = f"lacks the library {library}"
    get = f"install what brings {library}, or a build of {name} that does without"
    return Finding(title or name, extra, BROKEN, version, detail, get)


def _version(name: str) -> str:
    return probes.installed_version(name) or ""


def _pip(extra: str) -> str:
    return f"pip install 'fastvbench[{extra}]'"
