"""The process of one engine or text encoder: a job on standard input, events on standard output.

``python -m fastvbench.retrieval.timing.worker``; both ways one JSON object a line. Events are
``ready`` (settings), ``progress`` (what), ``done`` (result) and ``refused`` (reason). The process
ends when its standard input does, so that none outlives the study.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from fastvbench.core import FastvbenchError
from fastvbench.retrieval.timing._encode import EncodeJob, EncodeMeasurement
from fastvbench.retrieval.timing._job import Job
from fastvbench.retrieval.timing._measure import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]

REFUSED = 2


def main() -> int:
    """Measure one job."""
    # What a library prints belongs on standard error: the events keep a stream of their own.
    events = os.dup(1)
    os.dup2(2, 1)

    def tell(event: str, **content: object) -> None:
        os.write(events, json.dumps({"event": event, **content}).encode() + b"\n")

    job = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        measurement = _measurement(job, lambda what: tell("progress", what=what))
        tell("ready", settings=measurement.settings())
        tell("done", result=measurement.run())
    except (ValueError, TypeError, MemoryError, OSError, FastvbenchError) as error:
        reason = "out of memory" if isinstance(error, MemoryError) else str(error)
        tell("refused", reason=f"{type(error).__name__}: {reason}")
        return REFUSED
    return 0


def _measurement(
    job: dict[str, Any], say: Callable[[str], None]
) -> Measurement | EncodeMeasurement:
    if "encoder" in job:
        return EncodeMeasurement(EncodeJob(**job), say)
    return Measurement(Job(**job), say)


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)  # whoever asked is gone; nobody waits for this answer


if __name__ == "__main__":
    sys.exit(main())
