"""Fixtures that tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Models are built here, not fetched; read when the library that fetches is imported.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def pytest_collection_modifyitems(config, items):
    """Skips what takes minutes unless it is asked for with `-m long`."""
    if "long" in config.getoption("markexpr"):
        return
    skip = pytest.mark.skip(reason="takes minutes: make long")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of published annotations and model outputs; tests skip where it is not there."""
    folder = os.environ.get("FASTVBENCH_REAL_DATA")
    if not folder:
        pytest.skip("FASTVBENCH_REAL_DATA is not set: published data is not at hand")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"FASTVBENCH_REAL_DATA={folder} is no folder")
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory):
    """A function from a name to the folder of a tiny model with random weights, built once."""
    pytest.importorskip("transformers", reason="the extra [models] is not installed")
    import torch
    from tests.python.models import _tiny_models

    torch.set_num_threads(1)  # models this small spend more on handing out work than on doing it
    folder = tmp_path_factory.mktemp("tiny_models")
    return lambda name: _tiny_models.build_tiny(name, folder)
