"""Time as the operator receives it: the tables ``clock``, ``watermark``, ``channels``, ``valves`` and ``timers``.

``gone_timers`` has the timers that are no longer there. The words for due are also those of the phases in
``conditions``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Final

from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.items import plain_key
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import SideNamespace
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.facts import Facts, Folding, Handlers
from tidemark.simulator.timeline.ids import bounds, channel_id, timer_id, valve_id


class _ChannelRows:
    """What the channels of both engines have in common: their rows, and which of them decides the watermark."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._arrival = folding.arrival
        self._facts.put("clock", "clock", value=folding.scenario.origin)

    def _put_channel(self, input: str, number: int, *, watermark: int | None, aligned: bool, holds: bool) -> None:
        """The channel as it is before its first record."""
        self._facts.put(
            "channels",
            channel_id(input, number),
            input=input,
            channel=number,
            watermark=watermark,
            status="active",
            aligned=aligned,
            max_timestamp=None,
            max_item=None,
            max_step=None,
            max_at=None,
            emitted=None,
            watermark_step=None,
            watermark_at=None,
            holds=holds,
        )

    def _max_timestamp_raised(self, step: Step, event: events.MaxTimestampRaised) -> None:
        where = {"max_item": step.item, "max_step": step.step, "max_at": step.at}
        self._facts.change("channels", channel_id(event.input, event.channel), max_timestamp=event.after, **where)

    def _mark(self, holder: str | None) -> None:
        """Mark the channel that holds the watermark."""
        for id, row in self._facts.save(("channels",)).items():
            if row["holds"] != (id == holder):
                self._facts.change("channels", id, holds=id == holder)


class ChannelFacts(_ChannelRows):
    """Time as the operator receives it: the clock, each channel's watermark, and the operator's own."""

    def __init__(self, folding: Folding) -> None:
        super().__init__(folding)
        inputs = folding.scenario.inputs
        self._makes_watermarks = {each.name: each.watermark.makes_watermarks for each in inputs}
        self._channels = [channel_id(each.name, number) for each in inputs for number in range(each.channels)]
        self._inputs = inputs
        self._begin(None)

    def _begin(self, arrival: int | None) -> None:
        """No watermark yet, all channels active: how a run starts, and how it starts again after a restore."""
        self._facts.put("watermark", "watermark", value=None, arrival=arrival, before=None)
        for each in self._inputs:
            for number in range(each.channels):
                self._put_channel(each.name, number, watermark=None, aligned=True, holds=False)
        self._mark_holder()

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.ClockAdvanced: self._clock_advanced,
            events.WatermarkCombined: self._combined,
            events.MaxTimestampRaised: self._max_timestamp_raised,
            events.WatermarkEmitted: self._emitted,
            events.ChannelAdvanced: self._advanced,
            events.ChannelIdle: self._idle,
            events.ChannelActive: self._active,
            events.Restored: lambda step, event: self._begin(self._arrival(step)),
            events.WatermarkRestored: self._watermark_restored,
        }

    def _clock_advanced(self, step: Step, event: events.ClockAdvanced) -> None:
        self._facts.put("clock", "clock", value=event.after)

    def _combined(self, step: Step, event: events.WatermarkCombined) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=event.before)

    def _watermark_restored(self, step: Step, event: events.WatermarkRestored) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=None)

    def _emitted(self, step: Step, event: events.WatermarkEmitted) -> None:
        if event.source == "stream" or not self._makes_watermarks[event.input]:
            return  # written in the stream: it bypasses the generator
        self._facts.change("channels", channel_id(event.input, event.channel), emitted=event.ts)

    def _advanced(self, step: Step, event: events.ChannelAdvanced) -> None:
        id = channel_id(event.input, event.channel)
        columns = {"watermark_step": step.step, "watermark_at": step.at}
        self._facts.change("channels", id, watermark=event.ts, aligned=event.aligned, **columns)
        self._mark_holder()

    def _idle(self, step: Step, event: events.ChannelIdle) -> None:
        self._facts.change("channels", channel_id(event.input, event.channel), status="idle", aligned=False)
        self._mark_holder()

    def _active(self, step: Step, event: events.ChannelActive) -> None:
        id = channel_id(event.input, event.channel)
        self._facts.change("channels", id, status="active", aligned=event.aligned)
        self._mark_holder()

    def _mark_holder(self) -> None:
        """Mark the channel that holds the watermark: the first at the minimum of those that count."""
        self._mark(holder_of(self._facts, self._channels))


def holder_of(facts: Facts, channels: Sequence[str]) -> str | None:
    """The first of ``channels`` at the minimum of those that count, which are the aligned ones; None if none counts."""
    counting = [id for id in channels if facts.row(id)["aligned"]]
    return min(counting, key=lambda id: watermark_of(facts, id), default=None)


def watermark_of(facts: Facts, channel: str) -> int:
    """The channel's watermark (ms); ``Long.MIN_VALUE`` while it has none, as in ``StatusWatermarkValve``."""
    watermark: int | None = facts.row(channel)["watermark"]
    return MIN if watermark is None else watermark


# The table ``valves``: where the watermarks of several channels become one; in an interval join, one for each
# input.
#
# Each valve forwards the minimum of the channels that count, as ``StatusWatermarkValve`` does; the operator's
# watermark is the minimum over the inputs that are not idle. No event says what the valve of one input forwards, so
# it is computed here from the channels; ``tests/timeline`` compare it with the engine's own.

ALL_INPUTS = ""


@dataclass(slots=True)
class _Valve:
    """``sent``: the last watermark that it forwarded (ms)."""

    input: str
    channels: list[str]
    sent: int = MIN
    idle: bool = False


class ValveFacts:
    """One valve over all channels; in an interval join, one for each input."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        inputs = folding.scenario.inputs
        own = {each.name: [channel_id(each.name, number) for number in range(each.channels)] for each in inputs}
        if folding.scenario.operator.combines_watermarks:
            self._valves = [_Valve(name, channels) for name, channels in own.items()]
        else:
            self._valves = [_Valve(ALL_INPUTS, [id for channels in own.values() for id in channels])]
        self._of = {id: valve for valve in self._valves for id in valve.channels}
        self._show()

    def handlers(self) -> Handlers:
        """The events that this group handles, after the channels have: it reads their rows."""
        return {
            events.ChannelAdvanced: self._advanced,
            events.ChannelIdle: self._channel_idle,
            events.ChannelActive: self._channel_active,
            events.Restored: self._restored,
        }

    def _advanced(self, step: Step, event: events.ChannelAdvanced) -> None:
        valve = self._of[channel_id(event.input, event.channel)]
        self._send_minimum(valve)
        self._show()

    def _channel_idle(self, step: Step, event: events.ChannelIdle) -> None:
        """When the last active channel turns idle, and it held the valve, the furthest watermark is forwarded."""
        id = channel_id(event.input, event.channel)
        valve = self._of[id]
        held_back = watermark_of(self._facts, id) == valve.sent
        active = any(self._facts.row(each)["status"] == "active" for each in valve.channels)
        if active and held_back:
            self._send_minimum(valve)
        elif not active:
            if held_back:
                valve.sent = max(valve.sent, *(watermark_of(self._facts, each) for each in valve.channels))
            valve.idle = True
        self._show()

    def _channel_active(self, step: Step, event: events.ChannelActive) -> None:
        self._of[channel_id(event.input, event.channel)].idle = False
        self._show()

    def _restored(self, step: Step, event: events.Restored) -> None:
        for valve in self._valves:
            valve.sent, valve.idle = MIN, False
        self._show()

    def _send_minimum(self, valve: _Valve) -> None:
        holder = holder_of(self._facts, valve.channels)
        if holder is not None:
            valve.sent = max(valve.sent, watermark_of(self._facts, holder))

    def _show(self) -> None:
        awake = [valve for valve in self._valves if not valve.idle]
        held_by = min(awake, key=lambda valve: valve.sent, default=None)
        for valve in self._valves:
            holder = holder_of(self._facts, valve.channels)
            id = valve_id(valve.input)
            columns = {
                "input": valve.input or None,
                "minimum": None if holder is None else _or_none(watermark_of(self._facts, holder)),
                "holder": holder,
                "watermark": _or_none(valve.sent),
                "idle": valve.idle,
                "holds": valve is held_by,
            }
            before = self._facts.get(id)
            if before is None or any(before[name] != value for name, value in columns.items()):
                self._facts.put("valves", id, **columns)


def _or_none(watermark: int) -> int | None:
    return None if watermark == MIN else watermark


VALVE: Final = valve_id("")


class InputFacts(_ChannelRows):
    """An input has one channel. ``watermark`` is its own; None if the input has none, and then none of it is late."""

    def __init__(self, folding: Folding) -> None:
        super().__init__(folding)
        self._facts.put("watermark", "watermark", value=0, arrival=None, before=None)
        inputs = folding.scenario.inputs
        first = next((each.name for each in inputs if each.delay is not None), None)
        for each in inputs:
            marked = each.delay is not None
            watermark = 0 if marked else None
            self._put_channel(each.name, 0, watermark=watermark, aligned=marked, holds=each.name == first)
        holder = None if first is None else channel_id(first, 0)
        self._facts.put(
            "valves", VALVE, input=None, minimum=None, holder=holder, watermark=None, idle=False, holds=True
        )

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.MaxTimestampRaised: self._max_timestamp_raised,
            events.InputWatermarkMoved: self._input_moved,
            events.WatermarkMoved: self._moved,
            events.WatermarkKept: self._kept,
        }

    def _input_moved(self, step: Step, event: events.InputWatermarkMoved) -> None:
        columns = {"emitted": event.ts, "watermark_step": step.step, "watermark_at": step.at}
        self._facts.change("channels", channel_id(event.input, 0), watermark=event.ts, **columns)

    def _moved(self, step: Step, event: events.WatermarkMoved) -> None:
        self._facts.put("watermark", "watermark", value=event.ts, arrival=self._arrival(step), before=event.before)
        self._hold(event.input, event.ts)

    def _kept(self, step: Step, event: events.WatermarkKept) -> None:
        self._hold(event.input, event.ts)

    def _hold(self, input: str, watermark: int) -> None:
        """Mark ``input`` as the one that decides the watermark under the policy."""
        holder = channel_id(input, 0)
        self._mark(holder)
        own, before = self._facts.row(holder), self._facts.row(VALVE)
        columns = {"minimum": own["watermark"], "holder": holder, "watermark": watermark}
        if any(before[name] != value for name, value in columns.items()):
            self._facts.change("valves", VALVE, **columns)


ON_ELEMENT: Final = "on_element"
ON_MERGE: Final = "on_merge"
CLEANUP: Final = "register_cleanup_timer"
PROCESS: Final = "process_element"
CALLBACK: Final = {"event": "on_event_time", "processing": "on_processing_time"}


class Callers:
    """A trigger sets timers for a record, at a merge, or when another of its timers fires; the operator sets the rest.

    A merge ends where the contents are merged, at the latest where the record is added.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._has_trigger = scenario.operator.asks_trigger
        self._at = ON_ELEMENT

    def handlers(self) -> Handlers:
        """The events to handle, beside calls of ``fired``."""
        return {
            events.RecordArrived: self._element,
            events.WindowsMerged: self._merge,
            events.StateMerged: self._element,
            events.StateAdded: self._element,
        }

    def fired(self, domain: str) -> None:
        """A timer of ``domain`` fires: its callback sets the timers that follow."""
        self._at = CALLBACK[domain]

    def caller(self, purpose: str) -> str:
        """Who sets a timer of this ``purpose`` now."""
        if not self._has_trigger:
            return PROCESS
        return CLEANUP if purpose == "cleanup" else self._at

    def _element(self, step: Step, event: Any) -> None:
        self._at = ON_ELEMENT

    def _merge(self, step: Step, event: events.WindowsMerged) -> None:
        self._at = ON_MERGE


WAITING: Final = "waiting"
"""The watermark or the clock has not come that far."""

DUE: Final = "due"
"""It has: the timer fires in this advance, after those before it."""

PAST: Final = "past"
"""Its time was past when it was set: it fires in the next advance, however far that goes."""


def event_status(timestamp: int, watermark: int | None, *, advancing: bool) -> str:
    """The status of an event-time timer for ``timestamp`` at ``watermark`` (ms).

    ``advancing``: the operator is still firing the timers of this watermark, so that a new one of the past fires too.
    Source: ``InternalTimerServiceImpl.advanceWatermark``, which looks at the head of the queue again each time.
    """
    if watermark is None or timestamp > watermark:
        return WAITING
    return DUE if advancing else PAST


EVENT: Final = "event"
PROCESSING: Final = "processing"


class TimerFacts:
    """The waiting timers. A timer is ``due`` when this very advance of the watermark or the clock fires it.

    A timer that is set for a time already past waits for the next advance: it is ``past``.
    """

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._callers = Callers(folding.scenario)
        self._registered = 0
        self._waiting: dict[str, list[tuple[int, str]]] = {EVENT: [], PROCESSING: []}
        self._past: dict[str, None] = {}
        self._advancing = False

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            **self._callers.handlers(),
            events.TimerRegistered: self._register,
            events.TimerDeleted: self._deleted,
            events.TimerFired: self._fired,
            events.WatermarkCombined: self._watermark_rises,
            events.WatermarkForwarded: self._watermark_has_risen,
            events.ClockAdvanced: self._clock_moves,
            events.Restored: self._restored,
        }

    def _register(self, step: Step, event: events.TimerRegistered) -> None:
        id = timer_id(event.domain, event.timestamp, event.key, event.namespace)
        status = self._status(event.domain, event.timestamp, step)
        self._facts.put(
            "timers",
            id,
            order=self._registered,
            domain=event.domain,
            timestamp=event.timestamp,
            key=plain_key(event.key),
            **bounds(event.namespace),
            side=event.namespace.side if isinstance(event.namespace, SideNamespace) else None,
            purpose=event.purpose,
            status=status,
            by=self._callers.caller(event.purpose),
            registered=step.step,
            item=step.item,
        )
        self._registered += 1
        if status == WAITING:
            heappush(self._waiting[event.domain], (event.timestamp, id))
        elif status == PAST:
            self._past[id] = None

    def _status(self, domain: str, timestamp: int, step: Step) -> str:
        if domain == PROCESSING:
            return PAST if timestamp < step.at else WAITING
        return event_status(timestamp, step.watermark, advancing=self._advancing)

    def _deleted(self, step: Step, event: events.TimerDeleted) -> None:
        self._leave(event, "deleted")

    def _fired(self, step: Step, event: events.TimerFired) -> None:
        self._callers.fired(event.domain)
        self._leave(event, "fired")

    def _leave(self, event: events.TimerDeleted | events.TimerFired, how: str) -> None:
        id = timer_id(event.domain, event.timestamp, event.key, event.namespace)
        row = self._facts.row(id)
        columns = {name: value for name, value in row.items() if name not in ("id", "from_step", "until_step")}
        self._facts.flash("gone_timers", timer=id, how=how, **columns)
        self._past.pop(id, None)
        self._facts.end(id)

    def _watermark_rises(self, step: Step, event: events.WatermarkCombined) -> None:
        self._advancing = True
        self._reached(EVENT, event.ts)

    def _watermark_has_risen(self, step: Step, event: events.WatermarkForwarded) -> None:
        self._advancing = False

    def _clock_moves(self, step: Step, event: events.ClockAdvanced) -> None:
        self._reached(PROCESSING, event.after - 1)

    def _reached(self, domain: str, time: int) -> None:
        """Mark all timers up to ``time`` (ms, inclusive) as due."""
        heap = self._waiting[domain]
        while heap and heap[0][0] <= time:
            self._due(heappop(heap)[1])
        for id in [id for id in self._past if self._facts.row(id)["domain"] == domain]:
            del self._past[id]
            self._due(id)

    def _due(self, id: str) -> None:
        row = self._facts.get(id)
        if row is not None and row["status"] != DUE:
            self._facts.change("timers", id, status=DUE)

    def _restored(self, step: Step, event: events.Restored) -> None:
        """The watermark is gone, so no event-time timer is due; the clock stays where it was."""
        self._waiting = {EVENT: [], PROCESSING: []}
        self._past.clear()
        self._advancing = False
        for id, row in self._facts.save(("timers",)).items():
            over = row["domain"] == PROCESSING and row["timestamp"] < step.at
            status = PAST if over else WAITING
            if row["status"] != status:
                self._facts.change("timers", id, status=status)
            if over:
                self._past[id] = None
            else:
                self._waiting[row["domain"]].append((row["timestamp"], id))
        for heap in self._waiting.values():
            heapify(heap)
