"""Cells as keys, values and members of values; and names of columns, in the languages that tables come in."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Self

from tidemark.simulator.limits import TABLE_FILTERS, TYPED_CHARACTERS
from tidemark.simulator.scenario.tables.rows import DELIMITERS, ENCODINGS, Quoted
from tidemark.simulator.scenario.tables.times import FORMATS, zone_of

Scalar = str | int | float | bool

_PLAIN: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?", re.ASCII)
_GROUPED: Final = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_WHOLE: Final = re.compile(r"[-+]?\d{1,19}", re.ASCII)
_CANONICAL: Final = re.compile(r"0|-?[1-9]\d{0,18}", re.ASCII)
_SWAPPED: Final = str.maketrans(".,", ",.")

LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1


def number_text(cell: str, decimal: str) -> str | None:
    """A number as Python writes it; None if ``cell`` is none. ``1.234,50`` is one where ``decimal`` is a comma."""
    text = cell.translate(_SWAPPED) if decimal == "," else cell
    if _PLAIN.fullmatch(text):
        return text
    return text.replace(",", "") if _GROUPED.fullmatch(text) else None


def value_of(cell: str, decimal: str) -> Scalar:
    """A number if ``cell`` says one that the format has, else the text."""
    text = number_text(cell, decimal)
    if text is None or len(text) > 40:
        return str(cell)
    if _WHOLE.fullmatch(text) and LOWEST <= int(text) <= HIGHEST:
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else str(cell)


def member_of(cell: str, decimal: str) -> Scalar:
    """A member of a value: as a value, and it may be true or false."""
    if cell in ("true", "false") and not isinstance(cell, Quoted):
        return cell == "true"
    return value_of(cell, decimal)


def key_of(cell: str) -> Scalar:
    """An integer or a boolean in its usual form, unless it is quoted; else the text: ``007`` and ``1.5`` are texts."""
    if isinstance(cell, Quoted):
        return str(cell)
    if cell in ("true", "false"):
        return cell == "true"
    if _CANONICAL.fullmatch(cell) and LOWEST <= int(cell) <= HIGHEST:
        return int(cell)
    return str(cell)


# Names of columns, in the languages that tables come in, and what such a column usually is.

EXACT: Final = {
    "ts": ("ts", "timestamp", "time", "event_time", "eventtime", "event_timestamp", "rowtime", "occurred_at",
           "datetime",
           "date_time", "created_at", "事件时间", "时间", "时间戳", "zeit", "zeitstempel", "zeitpunkt", "datum", "date",
           "fecha", "hora", "horodatage", "日時", "発生時刻", "시간", "время", "data_hora"),
    "at": ("at", "arrival", "arrival_time", "arrives", "arrived", "arrived_at", "processing_time", "proctime",
           "received", "received_at", "ingestion_time", "ingest_time", "ingested_at", "到达", "到达时间", "接收时间",
           "处理时间", "ankunft", "eingang", "empfangen", "llegada", "arrivée", "到着", "到着時刻"),
    "key": ("key", "id", "user", "device", "user_id", "device_id", "sensor", "sensor_id", "键", "用户", "设备",
            "传感器", "编号", "schlüssel", "kunde", "gerät", "kennung", "clave", "usuario", "clé", "utilisateur",
            "キー", "端末",
            "センサー", "ключ"),
    "value": ("value", "val", "amount", "reading", "fare_amount", "total_amount", "temperature", "price", "sum",
              "值", "数值", "金额", "温度", "读数", "合计", "总额", "wert", "betrag", "messwert", "temperatur", "preis",
              "summe", "umsatz", "valor", "importe", "valeur", "montant", "値", "金額", "значение"),
    "in": ("in", "input", "side", "stream"),
    "channel": ("channel", "partition", "split", "shard", "kafka_partition", "分区", "通道", "kanal", "partición"),
    "source": ("gateway", "server", "host", "hostname", "broker", "node", "网关", "服务器", "主机"),
}  # fmt: skip
"""Blanks, hyphens and dots count as ``_``; case does not matter. Of several columns the first name listed wins.

A ``source`` is a channel if nothing is called like one; where a table has no other key, it is the key.
"""

PARTS: Final = {
    "ts": re.compile(r"event.?time|time.?stamp|date.?time|zeitst|时间|日期|日時|時刻|_at$|_ts$|time|^sec|millis|秒"),
    "at": re.compile(r"arriv|ingest|receiv|process(?:ing|ed)|insert|load(?:ed|_t)|logged|log_?t|append|kafka|broker|"
                     r"server_?t|index_?t|collect|stored|written|publish|enqueue|"
                     r"到达|接收|收到|入库|采集|服务器时间|ankunft|eingang|empfang|到着|受信"),
    "key": re.compile(r"id$|user|device|sensor|customer|vendor|symbol|station|key|number|nummer|用户|设备|kunde|gerät"),
    "value": re.compile(r"amount|value|price|temp|total|count|quantity|speed|reading|金额|数值|温度|价|合计|总额|"
                        r"wert|betrag|umsatz|(?:^|_)sum(?:me)?(?:_|$)"),
}  # fmt: skip
"""What a name has in it that probably is such a column."""

OF_EVENTS: Final = re.compile(r"event|occur|happen|origin|row.?time|事件|发生|発生")
"""What a name has in it that is the event time, whatever the rows look like."""

BEGINNING: Final = re.compile(r"start|begin|birth|valid|pickup|开始|出生|beginn|geburt|von$")
"""The name of a time at which something long began, which is before any other time of its row."""

OF_ONE_ROW: Final = re.compile(
    r"^id$|[ug]uid|(?:^|_)(?:event|message|msg|record|row|request|trace|span|trip|ride|order|transaction|tx|log|"
    r"receipt|invoice|ticket)_?(?:id|key|no|nr|num|number)$|流水号|单号|订单号"
)
"""The name of what tells one row from all others, if it does."""

NO_AMOUNT: Final = re.compile(
    r"(?:^|_)zip|post(?:al|code)|plz|(?:^|_)(?:year|month|day|hour|minute|lat|lon|lng|long)$|latitude|longitude|code$|"
    r"(?:^|_)ids?$|(?:user|vendor|device|customer|station|location|order|trip|product|session|event)id$|"
    r"(?:^|_)(?:no|nr|offset|seq|row|index|version|port|status|pid|line)$|number$|nummer$|sequence|"
    r"邮编|年份|月份|经度|纬度|编号|序号|号码|行号"
)
"""The name of a number that nobody adds up: it tells one thing from another, or where and when it is."""

SECONDS: Final = re.compile(r"[(（](?:s|秒)[)）]$")
"""The unit that the table of the Author page writes behind its names."""

MEMBER: Final = "value."
"""``value.gap`` is the member ``gap`` of a value."""


def folded(name: str) -> str:
    """``name`` as it is compared: ``Event Time``, ``event-time`` and ``event time (s)`` are ``event_time``.

    Of a text that is longer than a name the end counts.
    """
    return re.sub(r"[\s.-]+", "_", SECONDS.sub("", name[-TYPED_CHARACTERS:].strip().casefold()).rstrip())


def rank(name: str, role: str) -> int | None:
    """The place of ``name`` among the exact names of ``role``; for a dotted path also that of its last part."""
    names = EXACT[role]
    for each in (folded(name), folded(name.rpartition(".")[2])):
        if each in names:
            return names.index(each)
    return None


def known(name: str) -> bool:
    """Whether a column is called like this somewhere: what a header has, and no record."""
    return name.casefold().startswith(MEMBER) or any(rank(name, role) is not None for role in EXACT)


def suggests(name: str, role: str) -> bool:
    """Whether ``name`` has a part that columns of this ``role`` have."""
    return role in PARTS and PARTS[role].search(folded(name)) is not None


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
