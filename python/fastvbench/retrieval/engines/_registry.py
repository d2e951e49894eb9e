"""The engines by name, without loading any of them."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, NamedTuple

from fastvbench.core import InputError, MissingExtraError
from fastvbench.retrieval.engines._faiss import FaissEngine, faiss_environment
from fastvbench.retrieval.engines._fastvbench import FastvbenchEngine
from fastvbench.retrieval.engines._numpy import NumpyEngine
from fastvbench.retrieval.engines._torch import TorchEngine

if TYPE_CHECKING:
    from fastvbench.retrieval.engines._engine import Engine

__all__ = [
    "ENGINES",
    "MissingEngineError",
    "check_installed",
    "engine_environment",
    "engine_variables",
    "is_installed",
    "make_engine",
]


class _Entry(NamedTuple):
    module: str  # the package it needs
    install: str  # what pip is asked for


ENGINES = {
    "fastvbench": _Entry("fastvbench", "fastvbench"),
    "faiss": _Entry("faiss", "'fastvbench[timing]'"),
    "torch": _Entry("torch", "torch"),
    "numpy": _Entry("numpy", "numpy"),
}

# Some machines name a BLAS kernel for everybody: it would slow whoever brings a newer BLAS.
_KERNEL_VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class MissingEngineError(MissingExtraError):
    """An engine was asked for whose package is not installed.

    Args:
        name: the engine.
    """

    def __init__(self, name: str) -> None:
        self.extra = "timing"
        ImportError.__init__(self, f"the {name} engine needs: pip install {ENGINES[name].install}")


def is_installed(name: str) -> bool:
    """Whether an engine's package can be found; it is not loaded."""
    return importlib.util.find_spec(ENGINES[name].module) is not None


def check_installed(name: str) -> None:
    """Refuse an engine that does not exist or cannot run here.

    Raises:
        InputError: no such engine.
        MissingEngineError: its package is not installed.
    """
    if name not in ENGINES:
        raise InputError("no such engine", value=name, expected=" or ".join(ENGINES))
    if not is_installed(name):
        raise MissingEngineError(name)


def make_engine(name: str, *, threads: int, device: str = "cpu") -> Engine:
    """Load an engine into this process; one process holds one engine.

    Args:
        name: a key of `ENGINES`.
        threads: threads it may use.
        device: where torch computes; the others know the CPU only.
    """
    check_installed(name)
    if name == "torch":
        return TorchEngine(threads, device)
    if name == "faiss":
        return FaissEngine(threads)
    return FastvbenchEngine(threads) if name == "fastvbench" else NumpyEngine(threads)


def engine_environment(name: str, *, threads: int) -> dict[str, str]:
    """All variables of a process that runs an engine: this one's, less foreign BLAS kernels.

    Args:
        name: a key of `ENGINES`.
        threads: threads of every pool that reads its size from the environment.
    """
    inherited = {key: value for key, value in os.environ.items() if key not in _KERNEL_VARIABLES}
    return inherited | engine_variables(name, threads=threads)


def engine_variables(name: str, *, threads: int) -> dict[str, str]:
    """Variables that make an engine fastest, for its process alone.

    Args:
        name: a key of `ENGINES`.
        threads: threads of every pool that reads its size from the environment.
    """
    variables = dict.fromkeys(_THREAD_VARIABLES, str(threads))
    return variables | (faiss_environment() if name == "faiss" else {})
