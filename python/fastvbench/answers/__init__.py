"""Model text to values: option letters and time intervals."""

from __future__ import annotations

from fastvbench.answers._choices import Choices, parse_choice
from fastvbench.answers._lazy_choices import parse_choice_lazily
from fastvbench.answers._timestamps import parse_timestamps

__all__ = ["Choices", "parse_choice", "parse_choice_lazily", "parse_timestamps"]
