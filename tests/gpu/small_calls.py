"""One small call of every kernel, for compute-sanitizer: python -m tests.gpu.small_calls.

Each family's `small_calls(torch)` is found in tests/gpu/small_*.py; answers are checked elsewhere.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> int:
    import torch

    for path in sorted(Path(__file__).parent.glob("small_*.py")):
        if path.stem == "small_calls":
            continue
        importlib.import_module(f"tests.gpu.{path.stem}").small_calls(torch)
        torch.cuda.synchronize()
        print(f"{path.stem}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
