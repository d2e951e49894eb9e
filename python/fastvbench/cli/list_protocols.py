"""``fastvbench list``: the benchmarks that can be scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastvbench.cli._text import table
from fastvbench.protocols import get_protocol
from fastvbench.protocols import list_protocols as names_of_protocols

if TYPE_CHECKING:
    import argparse

    from fastvbench.cli._types import Commands


def add_parser(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("list", help="list the benchmarks that can be scored")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one line a benchmark."""
    del arguments
    rows = []
    for name in names_of_protocols():
        protocol = get_protocol(name)
        rows.append(
            [
                name,
                protocol.size_text,
                ", ".join(rule.name for rule in protocol.rules),
            ]
        )
    print(table(["benchmark", "rows", "rule sets"], rows, align="<><"))
    return 0
