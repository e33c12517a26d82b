"""What an expression over the columns of a row computes: its type, found before the first row, and a closure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Row = Mapping[str, Any]
"""The values of the columns of one row by name; under ``CLOCK`` the time (ms) at which it arrives."""

CLOCK: Final = "#clock"
"""No name of SQL can be this."""

INTEGERS: Final = {"small": 32, "int": 32, "bigint": 64}
"""Bits with the sign; ``small`` stands for TINYINT and SMALLINT, with which nothing is calculated here."""

NUMBERS: Final = (*INTEGERS, "decimal", "double")
TIMES: Final = ("timestamp", "timestamp_ltz")


class Failure(Exception):
    """The job fails at this row; ``str`` is the part of the expression that is to blame."""


@dataclass(frozen=True)
class Computed:
    """``type``: one of ``NUMBERS``, ``TIMES``, ``text``, ``boolean``, ``date``, ``interval``, or ``null``.

    ``of``: its value in a row: Python's numbers, texts and booleans; ms since 1970 for both kinds of timestamps, ms for
    an interval, days for a date; None for NULL. It may raise ``Failure``. ``digits``: those of the second in a
    timestamp; ``clock``: whether it depends on the clock; ``columns``: of which columns.
    """

    type: str
    of: Callable[[Row], Any]
    digits: int = 0
    clock: bool = False
    columns: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return {"text": "STRING", "int": "INT", "small": "SMALLINT"}.get(self.type, self.type.upper())


def strict(type: str, work: Callable[..., Any], *operands: Computed, digits: int = 0) -> Computed:
    """``work`` over the values of ``operands``; NULL if one of them is."""
    of = [each.of for each in operands]

    def value(row: Row) -> Any:
        values = [each(row) for each in of]
        return None if None in values else work(*values)

    return joined(type, value, *operands, digits=digits)


def joined(type: str, value: Callable[[Row], Any], *operands: Computed, digits: int = 0) -> Computed:
    """``value``, which depends on what ``operands`` depend on."""
    columns = frozenset[str]().union(*(each.columns for each in operands))
    return Computed(type, value, digits, any(each.clock for each in operands), columns)


def wrapped(number: int, type: str) -> int:
    """``number`` as Java keeps it in the bits of ``type``."""
    half = 1 << (INTEGERS[type] - 1)
    return (number + half) % (2 * half) - half
