"""A cause as a finding: the sentences and the configuration, with the stream's own names and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from simulator.timeline.format import duration
from simulator.words import words
from spark_bridge.files.written import WrittenStream
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
        return replace(where, channel=channel, key=None if where.key is None else keys.get(where.key))

    cause = replace(cause, where=named(cause.where))
    channel, key = cause.where.channel, cause.where.key
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
        cures_of(cause, _BOUND if bound is None else bound, columns or WrittenStream(), [named(each) for each in also]),
        cause,
    )


def sentence_of(finding: Finding) -> str:
    """The sentence of ``finding`` in the language of the caller, which need not be that in which it was found."""
    cause, where = finding.cause, finding.cause.where
    cause = replace(
        cause, where=replace(where, channel=None if where.channel is None else 0, key=None if where.key is None else 0)
    )
    channels = None if where.channel is None else (where.channel,)
    return worded(cause, None, channels, {} if where.key is None else {0: where.key}).text


def _shown(name: str, value: Any) -> Any:
    if name == "target":
        return f"{value * 100:.3g} %"
    if name in _DURATIONS:
        return duration(_rounded(int(value), up=name == "needed"))
    return f"{value:,}" if isinstance(value, int) and name not in ("constant", "ts") else value


def _rounded(ms: int, *, up: bool) -> int:
    """Of a long time nobody wants to know the ms, and of days not the seconds. ``up``: what is needed is no less."""
    for least, unit in ((86_400_000, 3_600_000), (3_600_000, 60_000), (10_000, 1_000)):
        if abs(ms) >= least:
            return (-(-ms // unit) if up else round(ms / unit)) * unit
    return ms


def _who(channel: Any, key: Any) -> str:
    if channel is not None:
        return words("own_findings.who.channel", name=channel)
    return words("own_findings.who.all") if key is None else words("own_findings.who.key", name=key)


def _unit(cause: Cause) -> str:
    power = int(cause.numbers.get("power", 0))
    return words(f"own_findings.units.{'smaller' if power > 0 else 'larger'}", times=f"{10 ** abs(power):,}")
