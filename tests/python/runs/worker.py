"""Runs in processes that tests may kill: one JSON order a line, a fork for each.

Says the fork's number, then how it ended. The imports are done once, so a run takes milliseconds.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path

from tests.python.runs.made_up import MadeUpModel

from fastvbench.core import InputError
from fastvbench.runs._options import RunOptions
from fastvbench.runs._run import carry_out

REFUSED, INCOMPLETE = 2, 4


def die_in_a_write(number: int, share: float) -> None:
    """End this process, without warning, when a part of the row with this number is written."""
    true_write, rows = os.write, [0]

    def write(file: int, data: bytes) -> int:
        if data.startswith(b'{"id"'):
            rows[0] += 1
            if rows[0] == number:
                true_write(file, data[: int(share * len(data))])
                os.kill(os.getpid(), signal.SIGKILL)
        return true_write(file, data)

    os.write = write


class DyingModel(MadeUpModel):
    """Ends its process while it has questions at hand."""

    calls_left = 0

    def generate(self, requests, settings):
        self.calls_left -= 1
        if self.calls_left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().generate(requests, settings)


def work(order: dict[str, object]) -> int:
    seconds = float(order.get("seconds", 0.0))
    model = MadeUpModel(seconds)
    if "calls_left" in order:
        model = DyingModel(seconds)
        model.calls_left = int(order["calls_left"])
    if "die_in_write" in order:
        die_in_a_write(int(order["die_in_write"]), float(order["share"]))
    if order.get("most_bytes"):
        most = int(order["most_bytes"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    options = RunOptions(
        protocol="lvbench",
        model=model,
        annotations=Path(order["annotations"]),
        out=Path(order["out"]),
        frames="0",
        resume=True,
        rules=["robust"],
    )
    try:
        return 0 if carry_out(options).complete else INCOMPLETE
    except InputError as error:
        print(error, file=sys.stderr, flush=True)
        return REFUSED


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = work(json.loads(line))
            finally:
                os._exit(code)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
