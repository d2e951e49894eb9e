"""``python -m fastvbench``."""

from __future__ import annotations

import sys

from fastvbench.cli import main

sys.exit(main())
