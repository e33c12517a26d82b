"""A cause as a finding: the sentences and the configuration, with the stream's own names and numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tidemark.simulator.engine.values.duration import format_instant
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import words
from tidemark.spark_bridge.files.sample import WrittenStream
from tidemark.spark_bridge.profile.findings.cures import cures_of, needed, rounded_up
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, Proof, Where

_DURATIONS: Final = ("by", "silent", "bound", "needed")
_BOUND: Final = 2_000

RULED: Final = ("wrong-unit", "zone-offset", "skewed-source", "future-timestamps", "backfill")
"""Causes that only rules for their records cure."""

_ZONES: Final = (
    "Europe/Berlin", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles",
    "Australia/Sydney", "America/Sao_Paulo", "Asia/Tehran",
)  # fmt: skip
_SOON: Final = 20 * 60
"""So many seconds after a change of clocks a record says what has changed."""

EPOCH: Final = 10**10
"""From here on a time is shown as a date: smaller ones count from a beginning of the stream's own."""

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
    before: Sequence[Cause] = (),
) -> Finding:
    """The finding of ``cause``.

    ``bound`` (ms) is what the cures use, 2 s if it is None; ``channels`` and ``keys`` are the stream's own names, and
    ``columns`` says how its columns are written. ``before``: the causes that are taken out before: the cure reads the
    timestamps as their rules leave them.
    """
    columns = columns or WrittenStream()
    cause = named(cause, channels, keys, columns)
    rules = [named(replace(each, code="", numbers={}), channels, keys, columns) for each in before]
    cures = {}
    if cause.rules or cause.code not in RULED:
        cures = cures_of([*rules, cause], cure_bound(bound), columns)
    price = price_of(cause, rules, bound) if cures else ""
    return Finding(cause.code, cause.records, cause.where.as_json(), _sentence(cause), cures, cause, rules, price)


def cure_bound(bound: int | None) -> int:
    """The bound (ms) that cures use if ``bound`` was asked for."""
    return _BOUND if bound is None else bound


def named(cause: Cause, channels: Sequence[int | str] | None, keys: Mapping[int, str], columns: WrittenStream) -> Cause:
    """``cause`` with the stream's own names in place of numbers, and with what its texts say of zones."""

    def called(where: Where) -> Where:
        channel = None if where.channel is None or channels is None else channels[where.channel]
        own = replace(where, channel=channel, key=None if where.key is None else keys.get(where.key))
        if not where.more:
            return own
        names = keys if where.column == "key" else channels
        return own.called(sorted((each if names is None else names[each] for each in where.names), key=_in_order))

    places = {"channel": channels, "key": keys}
    rules = tuple(rule if (names := places.get(rule.column)) is None else rule.called(names) for rule in cause.rules)
    ts = columns.columns.get("ts")
    has_zone = ts is not None and ts.pattern is not None and bool(ts.pattern.zone)
    numbers = cause.numbers | ({"has_zone": True} if has_zone else {})
    return replace(cause, where=called(cause.where), rules=rules, numbers=numbers)


def price_of(cause: Cause, before: Sequence[Cause], bound: int | None) -> str:
    """What the cure of ``cause`` costs: state, delay, records left out. It begins with the rules of those ``before``;
    ``bound`` (ms) is the one that was asked for."""
    need = needed([cause], cure_bound(bound))
    prices = []
    if need.again is not None:
        prices.append(words("own_findings.price.again", hours=need.again // 3_600_000 + 1))
    if need.bound > cure_bound(bound):
        prices.append(words("own_findings.price.bound", more=duration(need.bound - cure_bound(bound))))
    if need.idle is not None:
        prices.append(words("own_findings.price.idle", idle=duration(need.idle)))
    if need.late is not None:
        prices.append(words("own_findings.price.late", late=duration(need.late)))
    if need.history:
        prices.append(words("own_findings.price.history"))
    elif any(rule.drops for rule in need.rules):
        prices.append(words("own_findings.price.drops"))
    if not prices:
        prices.append(words("own_findings.price.nothing"))
    if any(rule.drops for each in before for rule in each.rules):
        prices.append(words("own_findings.price.before"))
    return words("own_findings.space").join(prices)


def proof_of(proof: Proof) -> str:
    """What the cure leaves of a finding."""
    return words("own_findings.proof", before=f"{proof.before:,}", after=f"{proof.after:,}")


def sentence_of(finding: Finding) -> str:
    """The sentence of ``finding`` in the language of the caller, which need not be that in which it was found."""
    return _sentence(finding.cause)


def _sentence(cause: Cause) -> str:
    """``cause`` has the stream's own names."""
    where = cause.where
    numbers = {name: _shown(name, value) for name, value in cause.numbers.items()}
    numbers |= {"who": _who(where), "records": f"{cause.records:,}", "unit": _unit(cause)}
    numbers |= {
        "when": _when(cause),
        "why": words(f"own_findings.zones.{'offset' if 'has_zone' in numbers else 'local'}"),
    }
    numbers.setdefault("own", numbers.get("total"))
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


def _when(cause: Cause) -> str:
    """Since and until when the clock is wrong; and whose change of clocks that is."""
    numbers = cause.numbers
    limits = {name: instant(numbers[name]) for name in ("since", "until") if name in numbers}
    if not limits:
        return ""
    text = words("own_findings.when." + "_".join(limits), **limits)
    zone = changed_clocks(numbers.get("since", numbers.get("until", 0)), int(numbers["by"]))
    return text + ("" if zone is None else words("own_findings.when.change", zone=zone))


def changed_clocks(ms: int, by: int) -> str | None:
    """A well-known zone whose clocks were changed by so many ms just before that time."""
    for name in _ZONES:
        try:
            zone = ZoneInfo(name)
            before, after = (datetime.fromtimestamp(ms / 1000 + s, zone).utcoffset() for s in (-_SOON, 60))
        except (ZoneInfoNotFoundError, ValueError, OverflowError, OSError):
            return None
        if before is not None and after is not None and abs((after - before).total_seconds() * 1000) == by:
            return name
    return None


def instant(ms: int) -> str:
    """A time as a date; small ones count from a beginning of the stream's own."""
    return format_instant(ms) if abs(ms) >= EPOCH else f"{ms:,}"


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
