"""Questions that are asked several times with their options in other orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fastvbench.core._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OrderedRows", "id_in_order", "rows_in_orders"]


class OrderedRows(NamedTuple):
    """Ids that tell the orders of a question apart, and which rows are one question.

    Attributes:
        ids: n ids; ``id#order`` where the file repeats an id for each order.
        groups: n names, equal for the orders of one question; None where no row has an order.
    """

    ids: list[str]
    groups: list[str] | None


def id_in_order(ident: str, order: object) -> str:
    """The id of a question in one order of its options: ``17#2``.

    Raises:
        InputError: `order` is neither a whole number nor text.
    """
    if isinstance(order, float) and order.is_integer():
        order = int(order)
    if isinstance(order, bool) or not isinstance(order, int | str):
        raise InputError(
            "not an order of options", field="order", value=order, expected="a number or text"
        )
    return f"{ident}#{order}"


def rows_in_orders(
    ids: Sequence[str], orders: Sequence[Any] | None, groups: Sequence[str] | None = None
) -> OrderedRows:
    """Make ids unique where rows repeat them for each order of the options.

    Args:
        ids: n ids as the file has them.
        orders: n orders as the file has them, None where a row has none; None for a file without.
        groups: n names of the question that each row asks, for files whose ids are unique
            already; None where rows of one question share their id.
    """
    if orders is None or all(order is None for order in orders):
        return OrderedRows(list(ids), None)
    names = list(ids) if groups is None else list(groups)
    if len(set(ids)) == len(ids):
        return OrderedRows(list(ids), names)
    unique = [
        ident if order is None else id_in_order(ident, order)
        for ident, order in zip(ids, orders, strict=True)
    ]
    return OrderedRows(unique, names)
