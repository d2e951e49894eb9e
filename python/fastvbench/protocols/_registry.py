"""Protocols are found by the names of this package's files; nothing is registered by hand."""

from __future__ import annotations

import importlib
import pkgutil

from fastvbench.core._errors import InputError
from fastvbench.protocols._protocol import Protocol

__all__ = ["get_protocol", "list_protocols"]


def list_protocols() -> tuple[str, ...]:
    """Names of all benchmarks that can be scored, in alphabetical order.

    Example:
        >>> "lvbench" in list_protocols()
        True
    """
    package = importlib.import_module("fastvbench.protocols")
    modules = pkgutil.iter_modules(package.__path__)
    return tuple(sorted(m.name for m in modules if not m.name.startswith("_")))


def get_protocol(name: str) -> Protocol:
    """The protocol of one benchmark.

    Raises:
        InputError: there is none of that name.

    Example:
        >>> get_protocol("lvbench").published_size
        1549
    """
    if name not in list_protocols():
        raise InputError(
            "no such protocol", field="protocol", value=name, expected=", ".join(list_protocols())
        )
    module = importlib.import_module(f"fastvbench.protocols.{name}")
    protocol = module.PROTOCOL
    if not isinstance(protocol, Protocol):
        raise TypeError(f"{module.__name__}.PROTOCOL is {type(protocol).__name__}, not a Protocol")
    return protocol
