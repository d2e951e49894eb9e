"""The videos that these tests share, made once a session, and what they need to be made."""

from __future__ import annotations

import pytest
from tests.python.video.videos import Studio, missing_tool


@pytest.fixture(scope="session")
def decoders():
    """Skips where the video extra is missing."""
    for name in ("torch", "av", "torchcodec"):
        pytest.importorskip(name, reason=f"{name} comes with the extra [video]")


@pytest.fixture(scope="session")
def studio(decoders, tmp_path_factory) -> Studio:
    """Makes test videos on demand."""
    reason = missing_tool()
    if reason:
        pytest.skip(reason)
    return Studio(tmp_path_factory.mktemp("videos"))
