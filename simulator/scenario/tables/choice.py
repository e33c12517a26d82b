"""How a table is to be read: its encoding and form, what each column is, and which rows are wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Self

from tidemark.simulator.limits import TABLE_FILTERS
from tidemark.simulator.scenario.tables.rows import DELIMITERS, ENCODINGS
from tidemark.simulator.scenario.tables.times import FORMATS, zone_of

ROLES: Final = ("ts", "time_of_day", "at", "key", "value", "member", "channel", "in", "skip")
"""Event time, the time of day where that has only a date, arrival, key, value, member of the value, channel, input of a
join; ``skip``: left out."""

OF_ONE_INPUT: Final = tuple(role for role in ROLES if role != "in")

SINGLE: Final = frozenset({"ts", "time_of_day", "at", "key", "value", "channel", "in"})
"""The roles that one column has at most."""

TIMES: Final = ("ts", "at")
WAYS: Final = ("is", "is_not", "contains", "between")
FORMS: Final = ("csv", "json")

MOST_LINES: Final = 10**9
LONGEST: Final = 200
"""The most characters of a name or a wanted text."""


@dataclass(frozen=True)
class Column:
    """``role``: one of ``ROLES``. ``time``: one of ``FORMATS`` for a time, "" while that is not decided. ``text``: a
    key, a value or a member of one is a text here, even if it looks like a number. ``also``: ``value`` or
    ``member`` where the cells of a key or a time are that as well; else ""."""

    name: str
    role: str = "skip"
    time: str = ""
    text: bool = False
    also: str = ""


@dataclass(frozen=True)
class Filter:
    """Rows whose cell in ``column`` (from 0) is ``text``, is not, contains it, or lies between ``text`` and ``to``.

    Bounds are inclusive, and an empty one is none. Times and numbers are compared as such.
    """

    column: int
    way: str
    text: str
    to: str = ""


@dataclass(frozen=True)
class Choice:
    """``form``: ``csv`` or ``json``. ``decimal``: the decimal separator of values. ``zone``: of times without one.

    ``key``: the key of all records where no column has it. ``side``: the input of all records of a join, likewise.
    Of the rows between ``from_line`` and ``to_line`` (0: the last) that all ``filters`` let pass, every ``every``-th is
    wanted, and ``first`` of them at most (0: all).
    """

    encoding: str = "utf-8"
    form: str = "csv"
    delimiter: str = ","
    header: bool = True
    decimal: str = "."
    zone: str = "UTC"
    columns: tuple[Column, ...] = ()
    key: str = "a"
    side: str = "left"
    filters: tuple[Filter, ...] = ()
    every: int = 1
    first: int = 0
    from_line: int = 0
    to_line: int = 0

    def column_with(self, role: str) -> int | None:
        """The number (from 0) of the first column with ``role``."""
        return next((number for number, column in enumerate(self.columns) if column.role == role), None)

    def of_all_rows(self) -> Self:
        """The same for rows that have been chosen already, without their header."""
        return replace(self, encoding="utf-8", header=False, filters=(), every=1, first=0, from_line=0, to_line=0)

    def as_json(self) -> dict[str, Any]:
        """What ``with_given`` reads."""
        return asdict(self)


def with_given(guess: Choice, given: Mapping[str, Any]) -> Choice:
    """``guess`` with as much of ``given`` as makes sense; the rest of ``given``, from wherever it came, is ignored."""
    choices: Mapping[str, Sequence[Any]] = {
        "encoding": tuple(ENCODINGS), "form": FORMS, "delimiter": DELIMITERS, "header": (True, False),
        "decimal": (".", ","), "side": ("left", "right"),
    }  # fmt: skip
    new: dict[str, Any] = {name: given[name] for name, known in choices.items() if given.get(name) in known}
    for name in ("every", "first", "from_line", "to_line"):
        number = given.get(name)
        if isinstance(number, int) and 0 <= number <= MOST_LINES:
            new[name] = max(number, 1) if name == "every" else int(number)
    if isinstance(zone := given.get("zone"), str) and len(zone) <= LONGEST and zone_of(zone.strip()) is not None:
        new["zone"] = zone.strip() or "UTC"
    if isinstance(key := given.get("key"), str) and key.strip():
        new["key"] = key.strip()[:LONGEST]
    if isinstance(columns := given.get("columns"), list | tuple):
        new["columns"] = tuple(_column(each) for each in columns if isinstance(each, Mapping))
    if isinstance(filters := given.get("filters"), list | tuple):
        found = (_filter(each) for each in filters[:TABLE_FILTERS] if isinstance(each, Mapping))
        new["filters"] = tuple(each for each in found if each is not None)
    return replace(guess, **new)


def _column(given: Mapping[str, Any]) -> Column:
    role, time, also = given.get("role"), given.get("time"), given.get("also")
    return Column(
        str(given.get("name", ""))[:LONGEST],
        role if role in ROLES else "skip",
        time if time in FORMATS else "",
        given.get("text") is True,
        also if also in ("value", "member") else "",
    )


def _filter(given: Mapping[str, Any]) -> Filter | None:
    values = {each.name: given.get(each.name, "") for each in fields(Filter)}
    if type(values["column"]) is not int or values["column"] < 0 or values["way"] not in WAYS:
        return None
    return Filter(
        values["column"], values["way"], str(values["text"])[:LONGEST].strip(), str(values["to"])[:LONGEST].strip()
    )
