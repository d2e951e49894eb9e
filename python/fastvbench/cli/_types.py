"""Types that commands share; imported for type checking only."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import argparse

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
