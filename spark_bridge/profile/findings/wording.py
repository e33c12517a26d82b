"""A cause as a finding: the sentences and the configuration, with the stream's own names and numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from simulator.timeline.format import duration
from simulator.words import words
from spark_bridge.files.written import WrittenStream
from spark_bridge.profile.advice import rounded_up
from spark_bridge.profile.findings.cures import cures_of
from spark_bridge.profile.findings.finding import Cause, Finding, Where

_DURATIONS: Final = ("by", "silent", "bound", "needed")
_BOUND: Final = 2_000

_COUNTED: Final = {
    "empty-channel": "seen",
    "duplicates": "count",
    "bound-too-small": "count",
    "wrong-unit.some": "count",
    "idle-channel.stops": "records_before",
}
"""The number in each sentence that has a singular."""


_SEVERAL: Final = ("zone-offset", "skewed-source", "idle-channel")
"""Causes whose sentence speaks of one channel or key, and has another form for several."""

_OF_WHOM: Final = (("future-timestamps", "few"), ("wrong-unit", "some"))
"""Causes whose sentence speaks of records, to which those are added that all of them are of."""

_NAMED: Final = 12
"""So many channels or keys are named in a sentence; ``where`` has all of them."""


def worded(
    cause: Cause,
    bound: int | None,
    channels: Sequence[int | str] | None,
    keys: Mapping[int, str],
    columns: WrittenStream | None = None,
    also: Sequence[Where] = (),
) -> Finding:
    """The finding of ``cause``.

    ``bound`` (ms) is what the cures use, 2 s if it is None; ``channels`` and ``keys`` are the stream's own names, and
    ``columns`` says how its columns are written. ``also``: what else the same repair is for.
    """

    def named(where: Where) -> Where:
        channel = None if where.channel is None or channels is None else channels[where.channel]
        own = replace(where, channel=channel, key=None if where.key is None else keys.get(where.key))
        if not where.more:
            return own
        names = keys if where.column == "key" else channels
        return own.called(sorted((each if names is None else names[each] for each in where.names), key=_in_order))

    cause = replace(cause, where=named(cause.where))
    return Finding(
        cause.code,
        cause.records,
        cause.where.as_json(),
        _sentence(cause),
        cures_of(cause, _BOUND if bound is None else bound, columns or WrittenStream(), [named(each) for each in also]),
        cause,
    )


def sentence_of(finding: Finding) -> str:
    """The sentence of ``finding`` in the language of the caller, which need not be that in which it was found."""
    return _sentence(finding.cause)


def _sentence(cause: Cause) -> str:
    """``cause`` has the stream's own names."""
    where = cause.where
    numbers = {name: _shown(name, value) for name, value in cause.numbers.items()}
    numbers |= {"who": _who(where), "records": f"{cause.records:,}", "unit": _unit(cause)}
    name = f"{cause.code}.{cause.sort}" if cause.sort else cause.code
    if cause.code == "future-timestamps" and cause.records == cause.numbers["count"]:
        name += "_alone"
    if where.more and cause.code in _SEVERAL:
        name += "_several"
    elif cause.numbers.get(_COUNTED.get(name, "")) == 1:
        name += "_one"
    text = words(f"own_findings.{name}", **numbers)
    if (cause.code, cause.sort) in _OF_WHOM and where.column is not None:
        text += words("own_findings.all_of", who=_who(where if where.key is None else replace(where, channel=None)))
    return text


def _shown(name: str, value: Any) -> Any:
    if name == "target":
        return f"{value * 100:.3g} %"
    if name in _DURATIONS:
        return duration(rounded_up(int(value)) if name == "needed" else _rounded(int(value)))
    return f"{value:,}" if isinstance(value, int) and name not in ("constant", "ts") else value


def _rounded(ms: int) -> int:
    """Of a long time nobody wants to know the ms, and of days not the seconds."""
    for least, unit in ((86_400_000, 3_600_000), (3_600_000, 60_000), (10_000, 1_000)):
        if abs(ms) >= least:
            return round(ms / unit) * unit
    return ms


def _who(where: Where) -> str:
    """The channel or the key, or all of them in a row; of very many the first ones, and how many more there are."""
    if where.column is None:
        return words("own_findings.who.all")
    if not where.more:
        return words(f"own_findings.who.{where.column}", name=where.names[0])
    *names, last = map(str, where.names[:_NAMED])
    separator = words("own_findings.who.separator")
    if len(where.names) > _NAMED:
        first, number = separator.join([*names, last]), len(where.names) - _NAMED
        several = words("own_findings.who.and_more", names=first, number=number)
    else:
        several = words("own_findings.who.and_last", names=separator.join(names), last=last)
    return words(f"own_findings.who.{where.column}s", names=several)


def _in_order(name: Any) -> list[tuple[int, int, str]]:
    """Names as people sort them: ``web-9`` before ``web-10``."""
    parts = re.split(r"([0-9]{1,18})", str(name))
    return [(0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts)]


def _unit(cause: Cause) -> str:
    power = int(cause.numbers.get("power", 0))
    return words(f"own_findings.units.{'smaller' if power > 0 else 'larger'}", times=f"{10 ** abs(power):,}")
