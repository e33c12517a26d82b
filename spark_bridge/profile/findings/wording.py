"""A cause as a finding: the sentences and the configuration, with the stream's own names and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from simulator.timeline.format import duration
from simulator.words import words
from spark_bridge.profile.findings.cures import cures_of, of_columns
from spark_bridge.profile.findings.finding import Cause, Finding

_DURATIONS: Final = ("by", "silent", "bound", "needed")
_LONGEST_IDLE: Final = 60_000
_BOUND: Final = 2_000

_COUNTED: Final = {
    "empty-channel": "seen",
    "duplicates": "count",
    "bound-too-small": "count",
    "wrong-unit.some": "count",
    "idle-channel.stops": "records_before",
}
"""The number in each sentence that has a singular."""

_REPAIRED: Final = {
    -9: "event.time * 1_000_000_000",
    -6: "event.time * 1_000_000",
    -3: "event.time * 1_000",
    3: "event.time / 1_000",
    6: "event.time / 1_000_000",
}
"""The repaired timestamp in Java by the power of ten that it is wrong by."""


def worded(
    cause: Cause,
    bound: int | None,
    channels: Sequence[int | str] | None,
    keys: Mapping[int, str],
    columns: Mapping[str, str] | None = None,
) -> Finding:
    """The finding of ``cause``.

    ``bound`` (ms) is what the cures use, 2 s if it is None; ``channels`` and ``keys`` are the stream's own names, and
    ``columns`` those of its columns, by role.
    """
    where = cause.where
    channel = None if where.channel is None or channels is None else channels[where.channel]
    key = None if where.key is None else keys.get(where.key)
    cause = replace(cause, where=replace(where, channel=channel, key=key))
    numbers = {name: _shown(name, value) for name, value in cause.numbers.items()}
    numbers |= {"who": _who(channel, key), "records": f"{cause.records:,}", "unit": _unit(cause)}
    name = f"{cause.code}.{cause.sort}" if cause.sort else cause.code
    if cause.code == "future-timestamps" and cause.records == cause.numbers["count"]:
        name += "_alone"
    if cause.numbers.get(_COUNTED.get(name, "")) == 1:
        name += "_one"
    text = words(f"own_findings.{name}", **numbers)
    if cause.code == "future-timestamps" and (channel, key) != (None, None) and cause.sort == "few":
        text += words("own_findings.all_of", who=_who(None if key is not None else channel, key))
    return Finding(
        cause.code,
        cause.records,
        cause.where.as_json(),
        text,
        _cures(cause, _BOUND if bound is None else bound, columns or {}),
        cause,
    )


def _interval(ms: int) -> str:
    """Seconds in Flink SQL, which takes two digits before the point unless it is told that there are more."""
    seconds = f"{ms / 1000:.3f}".rstrip("0").rstrip(".")
    digits = len(seconds.split(".")[0])
    return f"'{seconds}' SECOND" + (f"({digits})" if digits > 2 else "")


def _shown(name: str, value: Any) -> Any:
    if name == "target":
        return f"{value * 100:.3g} %"
    if name in _DURATIONS:
        return duration(_rounded(int(value)))
    return f"{value:,}" if isinstance(value, int) and name not in ("constant", "ts") else value


def _rounded(ms: int) -> int:
    """Of a long time nobody wants to know the ms, and of days not the seconds."""
    for least, unit in ((86_400_000, 3_600_000), (3_600_000, 60_000), (10_000, 1_000)):
        if abs(ms) >= least:
            return round(ms / unit) * unit
    return ms


def _who(channel: Any, key: Any) -> str:
    if channel is not None:
        return words("own_findings.who.channel", name=channel)
    return words("own_findings.who.all") if key is None else words("own_findings.who.key", name=key)


def _unit(cause: Cause) -> str:
    power = int(cause.numbers.get("power", 0))
    return words(f"own_findings.units.{'smaller' if power > 0 else 'larger'}", times=f"{10 ** abs(power):,}")


def _cures(cause: Cause, bound: int, columns: Mapping[str, str]) -> dict[str, str]:
    numbers = cause.numbers
    power = int(numbers.get("power", -3))
    java = _REPAIRED[power]
    sql = java.replace("_", "").replace("event.time", "event_time")
    if cause.sort == "some":
        java = f"event.time {'<' if power < 0 else '>'} {_LIMIT[power]:_}L ? {java} : event.time"
        sql = f"CASE WHEN event_time {'<' if power < 0 else '>'} {_LIMIT[power]} THEN {sql} ELSE event_time END"
    condition = _condition(cause)
    constant = numbers.get("constant", 0) if cause.sort == "constant" else 0
    if cause.code == "bound-too-small":
        bound = int(numbers["needed"])
    fields = {
        "bound": bound,
        "bound_s": _interval(bound),
        "usable_java": "event.time > 0" if not constant else f"event.time != {constant}L",
        "usable_sql": "event_time > 0" if not constant else f"event_time <> {constant}",
        "repaired_java": java,
        "repaired_sql": sql,
        "repaired_spark": sql.replace(" / ", " DIV "),
        "by": int(numbers.get("by", 0)),
        "back": "-" if cause.sort == "ahead" else "+",
        "idle": max(min(int(numbers.get("silent", 0)) // 4, _LONGEST_IDLE), 1_000),
        "mine_java": f"{condition[0]} ? " if condition else "",
        "else_java": " : event.time" if condition else "",
        "mine_sql": f"CASE WHEN {condition[1]} THEN " if condition else "",
        "else_sql": " ELSE event_time END" if condition else "",
    }
    return {engine: of_columns(text, engine, columns) for engine, text in cures_of(cause.code, fields).items()}


_LIMIT: Final = {-9: 10**11, -6: 10**11, -3: 10**11, 3: 10**14, 6: 10**14}
"""Between the timestamps of today in ms and those in the other unit."""


def _condition(cause: Cause) -> tuple[str, str] | None:
    """Which records are meant, in Java and in SQL."""
    for name, value in (("channel", cause.where.channel), ("key", cause.where.key)):
        if isinstance(value, int):
            return f"event.{name} == {value}", f"{name} = {value}"
        if value is not None:
            java = str(value).replace("\\", "\\\\").replace('"', '\\"')
            sql = str(value).replace("'", "''")
            return f'event.{name}.equals("{java}")', f"{name} = '{sql}'"
    return None
