"""Fixtures that tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


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
