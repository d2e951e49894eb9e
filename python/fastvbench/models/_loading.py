"""Load transformers models, and say exactly which ones they are."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Any

from fastvbench.core._errors import InputError, MissingExtraError

__all__ = [
    "LOAD_FAULTS",
    "device_options",
    "import_transformers",
    "load_weights",
    "model_identity",
    "one_line",
]

# What loading an unsuitable or damaged folder, or a name that is not to be had, raises.
LOAD_FAULTS = (OSError, ValueError, KeyError, RuntimeError, ImportError, TypeError, AttributeError)

_WHOLE_FILE_BYTES = 16 << 20
_END_BYTES = 1 << 20
_PACKAGES = ("torch", "torchvision", "transformers", "accelerate", "tokenizers")


def import_transformers(what: str) -> Any:
    """Import transformers and torch.

    Raises:
        MissingExtraError: one of them is not installed.
    """
    try:
        import torch  # noqa: F401, PLC0415 - an optional dependency
        import transformers  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise MissingExtraError(what, "models") from None
    return transformers


def device_options(device: str | None, dtype: str, attention: str | None) -> dict[str, Any]:
    """Keyword arguments of ``from_pretrained`` for where and how a model runs.

    Args:
        device: ``cpu``, ``cuda``, ``cuda:1``; ``auto`` or ``balanced`` spread it over all GPUs
            (which needs accelerate); None takes all GPUs where there are any, else the CPU.
        dtype: ``auto`` (the file's own), ``float32``, ``bfloat16`` or ``float16``.
        attention: ``eager``, ``sdpa``, ``flash_attention_2``, ...; None leaves it to transformers.
    """
    import torch  # noqa: PLC0415 - an optional dependency

    kinds = ("auto", "float32", "bfloat16", "float16")
    if dtype not in kinds:
        raise InputError("not a type", field="dtype", value=dtype, expected=", ".join(kinds))
    if device is None:
        device = "auto" if torch.cuda.is_available() else "cpu"
    options: dict[str, Any] = {
        "dtype": dtype if dtype == "auto" else getattr(torch, dtype),
        "device_map": device if device in {"auto", "balanced", "sequential"} else {"": device},
    }
    if attention is not None:
        options["attn_implementation"] = attention
    return options


def load_weights(auto: Any, path: str, *, unused: tuple[str, ...] = (), **options: Any) -> Any:
    """Load a model, all of it.

    transformers fills weights that a file lacks with random numbers, and says so in its log only.
    Such a model would give numbers that look like results.

    Args:
        auto: a class with ``from_pretrained``.
        path: a folder, or a name that transformers knows.
        unused: beginnings of the names of weights that may be missing, since nothing uses them.
        **options: of ``from_pretrained``.

    Raises:
        InputError: weights are missing; names some.
    """
    model, info = auto.from_pretrained(path, output_loading_info=True, **options)
    missing = sorted(name for name in info["missing_keys"] if not name.startswith(unused))
    if missing:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise InputError(
            f"lacks {len(missing):,} weights of {type(model).__name__}",
            path=path,
            value=shown,
            expected="a model that was saved whole",
        )
    return model.eval()


def model_identity(path: str, model: Any) -> dict[str, Any]:
    """Which model it is and how it runs, as JSON values."""
    identity: dict[str, Any] = {
        "model": path,
        "architecture": type(model).__name__,
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "dtype": str(model.dtype).removeprefix("torch."),
        "device": str(model.device),
        "attention": getattr(model.config, "_attn_implementation", None),
        "versions": {
            name: importlib.metadata.version(name)
            for name in _PACKAGES
            if importlib.util.find_spec(name) is not None
        },
    }
    if Path(path).is_dir():
        identity["fingerprint"] = _folder_fingerprint(Path(path))
    else:
        identity["revision"] = getattr(model.config, "_commit_hash", None)
    return identity


def _folder_fingerprint(folder: Path) -> str:
    """SHA-256 over names, sizes and contents of a folder's files.

    Of files above 16 MiB, the first and the last MiB stand for the rest: weights that were trained
    further differ there too, and tens of gigabytes need not be read twice.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.name.startswith("."):
            continue
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode("utf-8", "surrogatepass"))
        with open(path, "rb") as file:
            if size <= _WHOLE_FILE_BYTES:
                digest.update(file.read())
                continue
            digest.update(file.read(_END_BYTES))
            file.seek(-_END_BYTES, 2)
            digest.update(file.read())
    return digest.hexdigest()


def one_line(error: BaseException) -> str:
    """An error as one line of at most 300 characters, with its kind."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300]
