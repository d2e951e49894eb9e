"""Fixtures of the tests that need a GPU: they skip with the reason where there is none."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import fastvbench as fvb


@pytest.fixture(scope="session")
def gpu():
    """Skips where CUDA kernels cannot be used, and says why."""
    about = fvb.info()
    if not about["cuda"]:
        pytest.skip(f"no CUDA: {about['cuda_reason']}")


class Library:
    """Moves numpy arrays to the device and back, as users of one library do."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = pytest.importorskip(name, reason=f"{name} is not installed")
        if name == "torch" and not self.module.cuda.is_available():
            pytest.skip("torch finds no CUDA device")
        if name == "cupy":
            try:
                self.module.zeros(1)
            except self.module.cuda.runtime.CUDARuntimeError as error:
                pytest.skip(f"cupy finds no CUDA device: {error}")

    def to_device(self, array: np.ndarray):
        if self.name == "torch":
            return self.module.from_numpy(array).cuda()
        return self.module.asarray(array)

    def to_host(self, array) -> np.ndarray:
        assert isinstance(
            array, self.module.Tensor if self.name == "torch" else self.module.ndarray
        )
        return array.cpu().numpy() if self.name == "torch" else array.get()

    def column(self, column: fvb.Intervals) -> fvb.DeviceIntervals:
        return fvb.DeviceIntervals(self.to_device(column.values), self.to_device(column.offsets))


@pytest.fixture(params=["torch", "cupy"])
def library(request, gpu) -> Library:
    return Library(request.param)


@pytest.fixture
def torch(gpu):
    """torch, where it finds the device."""
    Library("torch")
    return importlib.import_module("torch")
