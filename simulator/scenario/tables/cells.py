"""Cells as keys, values and members of values; and names of columns, in the languages that tables come in."""

import math
import re
from typing import Final

from tidemark.simulator.limits import TYPED_CHARACTERS
from tidemark.simulator.scenario.tables.rows import Quoted

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
