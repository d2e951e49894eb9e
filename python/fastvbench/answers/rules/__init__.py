"""Published scorers, reproduced exactly: one module per scorer, plain Python, one text at a time.

Import the module you need (``from fastvbench.answers.rules import timechat``). See the room's
README for the rules that hold for every module.
"""

from __future__ import annotations

from ._types import Interval, PublicScriptAborts

__all__ = ["Interval", "PublicScriptAborts"]
