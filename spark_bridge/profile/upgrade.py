"""What an upgrade of Flink changes for a stream: the job in Flink SQL that the profile advises, by two versions' rules.

The records are the first ones of the stream, moved and left out as the rules of its cure have it. The simulator counts
what two versions make of them, rule by rule, and looks for the smallest stream on which the same job shows the rule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.explore.differ.report import texts_of
from tidemark.simulator.explore.differ.search import Bounds, differ
from tidemark.simulator.explore.upgrades import upgrades
from tidemark.simulator.limits import CLOCK_TICKS, STREAM_SEARCH_S, UPGRADE_RECORDS
from tidemark.simulator.scenario.model import (
    EACH_RECORD,
    AfterEndOfWindow,
    Deduplicate,
    Function,
    InputSpec,
    Scenario,
    SqlWatermark,
    Tumbling,
    Window,
)
from tidemark.simulator.scenario.versions import differing_names
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.profile.findings.cures import Needed, needed
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.findings.wording import cure_bound
from tidemark.spark_bridge.profile.profile import ProfileRequest, UpgradeProfile, UpgradeRule
from tidemark.spark_bridge.profile.repairs import STAYS, applied_to

WINDOW: Final = 60_000
"""The size of the windows (ms) where none is asked for."""

EMIT: Final = 200
"""How often SQL emits watermarks (ms), unless it is configured."""


def upgraded(
    stream: FileStream, request: ProfileRequest, causes: Sequence[Cause], recommended: int, earliest: int
) -> UpgradeProfile:
    """What changes from the version that ``request`` names to the newest. A pass over the stream, if a rule can show.

    ``causes``: those of the findings; ``recommended``: the bound (ms) where there are none; no timestamp is before
    ``earliest`` (ms).
    """
    assert request.flink is not None
    need = needed(causes, cure_bound(request.bound)) if causes else Needed(bound=recommended)
    looked_at, rules = 0, list[UpgradeRule]()
    for name, scenario in _jobs(need, request, len(stream.channels), by_arrival=stream.by_arrival):
        if not differing_names(replace(scenario, origin=min(earliest, 0))):  # a rule may be about times before 1970
            continue
        records = _first_records(stream, [each for each in causes if needed([each], 0).again is None])
        looked_at = len(records)
        if name == "keep-first":
            records = [each._replace(key=f"{each.ts} {each.key} {each.value}") for each in records]
        rules += _rules(name, replace(scenario, stream=(*records, End()), origin=_origin(records)))
    window = request.window or WINDOW
    return UpgradeProfile(request.flink, NEWEST, looked_at, tuple(rules), window, need.bound, need.idle or 0)


def _jobs(need: Needed, request: ProfileRequest, channels: int, *, by_arrival: bool) -> Iterator[tuple[str, Scenario]]:
    """The operators of the advised job that may show a rule, over no records yet."""
    assert request.flink is not None
    watermark = SqlWatermark(need.bound, EMIT if by_arrival else EACH_RECORD, need.idle or 0)
    events = InputSpec("events", channels, watermark)
    size = request.window or WINDOW
    window = Window(Tumbling(size), AfterEndOfWindow(), Function("aggregate", "count"), api="tvf")
    yield "window", Scenario("upgrade", window, (), (events,), flink=request.flink)
    if need.again is not None:  # the windows above have shown already what becomes of the watermark
        events = replace(events, watermark=replace(watermark, idle_timeout=0))
        yield "keep-first", Scenario("upgrade", Deduplicate("first"), (), (events,), flink=request.flink)


def _first_records(stream: FileStream, causes: Sequence[Cause]) -> list[Record]:
    """As many records as the clock allows, in the order in which they came."""
    table = applied_to(stream, causes).table.where(STAYS).orderBy(*stream.order).limit(UPGRADE_RECORDS)
    rows: Sequence[Any] = table.select("ts", "at", "key", "value", "channel").collect()
    last = rows[0].at + EMIT * CLOCK_TICKS // 4 // len(stream.channels) if rows and stream.by_arrival else None
    return [
        Record(each.key or "all", each.ts, each.value, "events", each.channel, each.at)
        for each in rows
        if last is None or each.at <= last
    ]


def _origin(records: Sequence[Record]) -> int:
    """Where the clock begins."""
    return next((each.at for each in records if each.at is not None), 0)


def _rules(job: str, scenario: Scenario) -> Iterator[UpgradeRule]:
    for each in upgrades(scenario, NEWEST):
        yield UpgradeRule(each.rule, job, each.rows, each.others, *(_smallest(scenario) if each.rows else ((), "")))


def _smallest(scenario: Scenario) -> tuple[tuple[str, ...], str]:
    """The smallest stream on which the job of ``scenario`` differs from the newest version, as lines and as a file."""
    job = replace(scenario, stream=(), origin=0)
    found = differ(job, replace(job, flink=NEWEST), Bounds(seconds=STREAM_SEARCH_S))
    return ((), "") if found.stream is None else (tuple(texts_of(found)["stream"]), as_yaml(found.left))
