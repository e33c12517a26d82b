"""Interval literals of SQL as milliseconds, by the rules of the Flink planner (Calcite's ``SqlIntervalQualifier``)."""

import re
from decimal import Decimal
from typing import Final

from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Expression, Interval, Operation
from tidemark.simulator.values.duration import format_duration

_UNITS: Final = {"WEEK": 604_800_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
_ORDER: Final = ("DAY", "HOUR", "MINUTE", "SECOND")
_MONTHS: Final = ("YEAR", "QUARTER", "MONTH")
_MOST_DIGITS: Final = 3
"""``FlinkTypeFactory`` refuses more."""

_DIGITS: Final = 2
"""Digits of the first field unless the unit names another number: ``INTERVAL '100' SECOND`` is one digit too many."""


def milliseconds(expression: Expression) -> int:
    """The length of an interval literal, perhaps with a sign; parts of a millisecond are cut off.

    Raises ``SqlProblem`` for months and years, which have no length, for what is no interval literal, and for a number
    with more digits than its unit has.
    """
    if isinstance(expression, Operation) and expression.operator in ("-", "+") and len(expression.operands) == 1:
        return -milliseconds(expression.operands[0]) if expression.operator == "-" else milliseconds(
            expression.operands[0])  # fmt: skip
    if not isinstance(expression, Interval):
        raise SqlProblem("no_interval", expression.place)
    if not expression.quoted:
        # Calcite multiplies at run time then, and the planner refuses it as the length of a window.
        raise SqlProblem("unquoted", expression.place, text=expression.text, unit=expression.unit)
    unit, last = _singular(expression.unit), _singular(expression.last_unit or expression.unit)
    if unit in _MONTHS:
        raise SqlProblem("months", expression.place)
    if unit not in _UNITS or last not in _UNITS or (last != unit and not (unit in _ORDER and last in _ORDER)):
        raise SqlProblem("unit", expression.place, unit=expression.unit)
    text, negative = expression.text.strip(), expression.negative
    if text[:1] in ("-", "+"):
        negative, text = negative != (text[0] == "-"), text[1:]
    length = _length(expression, text, unit, last)
    return -length if negative else length


def _singular(unit: str) -> str:
    return unit.removesuffix("S")


def _length(interval: Interval, text: str, unit: str, last: str) -> int:
    units = (unit,) if unit == last else _ORDER[_ORDER.index(unit) : _ORDER.index(last) + 1]
    fields = _fields(text, units)
    if not fields or not units:
        raise SqlProblem(
            "interval_text", interval.place, text=interval.text, units=" TO ".join(dict.fromkeys((unit, last)))
        )
    digits = interval.digits or _DIGITS
    if len(str(int(fields[0]))) > digits:
        raise SqlProblem("digits", interval.place, text=interval.text, unit=unit, digits=len(str(int(fields[0]))))
    if digits > _MOST_DIGITS:
        raise SqlProblem("many_digits", interval.place, unit=unit)
    if any(field >= 60 - 36 * (each == "HOUR") for each, field in zip(units[1:], fields[1:], strict=True)):
        raise SqlProblem("interval_text", interval.place, text=interval.text, units=f"{unit} TO {last}")
    return int(sum(field * _UNITS[each] for each, field in zip(units, fields, strict=True)))


def _fields(text: str, units: tuple[str, ...]) -> list[Decimal]:
    """The numbers of ``D HH:MM:SS.fff`` cut to ``units``; empty if the text is not of that form."""
    separators = [" " if each == "DAY" else ":" for each in units[:-1]]
    pattern = "".join(rf"(\d{{1,10}}){re.escape(each)}" for each in separators)
    pattern += r"(\d{1,10}(?:\.\d{0,9})?)" if units[-1] == "SECOND" else r"(\d{1,10})"
    found = re.fullmatch(pattern, text, re.ASCII)
    return [Decimal(each) for each in found.groups()] if found else []


def written(ms: int) -> str | int:
    """``ms`` as a scenario file has it."""
    return format_duration(ms) if ms else 0
