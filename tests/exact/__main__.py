"""Exact search and ranks in every configuration, against the proof.

python -m tests.exact [--configs ci|all] [--seconds N] [--only NUMBER]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter

from tests.exact.configurations import all_configurations, ci_configurations
from tests.exact.run import bfloat16, check_configuration
from tests.reference.search_fast import WrongAnswerError

from fastvbench import _core


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exact", description=__doc__)
    parser.add_argument("--configs", choices=("ci", "all"), default="all")
    parser.add_argument("--seconds", type=float, help="start no configuration after this long")
    parser.add_argument("--only", type=int, action="append", help="one configuration by number")
    arguments = parser.parse_args()
    chosen = ci_configurations() if arguments.configs == "ci" else all_configurations()
    if arguments.only:
        chosen = [c for c in all_configurations() if c.number in arguments.only]
    print(f"CPU levels: {', '.join(_core.available_cpu_levels())}", flush=True)
    start = time.monotonic()
    done: Counter[str] = Counter()
    for configuration in chosen:
        began = time.monotonic()
        if arguments.seconds is not None and began - start > arguments.seconds:
            done["left out for want of time"] += 1
            continue
        if "bfloat16" in configuration.dtype and bfloat16() is None:
            done["left out: bfloat16 needs ml_dtypes"] += 1
            continue
        try:
            runs = check_configuration(configuration)
        except WrongAnswerError as error:
            print(f"WRONG {error}")
            print(f"again: python -m tests.exact --only {configuration.number}")
            return 1
        done["configurations"] += 1
        done["runs"] += runs
        print(f"{configuration}: {runs} runs, {time.monotonic() - began:.2f} s", flush=True)
    peak_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(", ".join(f"{count} {what}" for what, count in done.items()))
    print(f"no difference; {time.monotonic() - start:.0f} s, {peak_gib:.1f} GiB at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
