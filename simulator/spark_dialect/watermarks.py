"""Watermarks between batches: one for each input, and the one that the policy combines them into."""

from tidemark.simulator.trace.events import InputWatermarkMoved, MaxTimestampRaised, Rule, WatermarkKept, WatermarkMoved
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.items import Record

PLACE = "WatermarkTracker.update_watermark"


class WatermarkTracker:
    """The watermark, which moves only after a batch, never within one.

    ``delays`` by input (ms), without the inputs that have no watermark. ``policy``: ``min`` or ``max``. ``current`` is
    the watermark (ms) of the next batch, ``late`` that of the one before it. Both begin at 0, the epoch.
    Source: ``org.apache.spark.sql.execution.streaming.WatermarkTracker``.
    """

    def __init__(self, delays: dict[str, int], policy: str, trace: Trace | None) -> None:
        self.current = 0
        self.late = 0
        self.policy = policy
        self.delays = delays
        self.max_timestamps: dict[str, int] = {}
        self.own = dict.fromkeys(delays, 0)
        self._trace = trace

    def see(self, record: Record) -> None:
        """A batch reads ``record``, which counts for the watermark even if it is late. Source: ``EventTimeStats``."""
        if record.input not in self.delays or record.ts is None:
            return
        before = self.max_timestamps.get(record.input)
        if before is None or record.ts > before:
            self.max_timestamps[record.input] = record.ts
            if self._trace is not None:
                self._trace.add(MaxTimestampRaised("EventTimeStats.add", record.input, 0, before, record.ts))

    def end_batch(self) -> None:
        """A batch is done: the next one filters by its watermark, and evicts by the one that its records make."""
        self.late = self.current  # before ``current`` moves, and also where it does not
        if not self.delays:
            return
        for name, delay in self.delays.items():
            self._move_input(name, delay)
        pick = min if self.policy == "min" else max
        name = pick(self.own, key=lambda each: self.own[each])
        chosen, last = self.own[name], self.current
        if chosen > last:
            self.current = chosen
        trace = self._trace
        if trace is None:
            return
        numbers = (("input_watermark", chosen), ("last_watermark", last))
        rule = Rule("batch-watermark", "input_watermark > last_watermark", numbers, chosen > last)
        if chosen > last:
            trace.watermark = chosen
            trace.add(WatermarkMoved(PLACE, last, chosen, name, self.policy, rule))
        else:
            trace.add(WatermarkKept(PLACE, last, name, self.policy, rule))

    def _move_input(self, name: str, delay: int) -> None:
        if name not in self.max_timestamps:
            return
        max_timestamp, last = self.max_timestamps[name], self.own[name]
        if max_timestamp - delay <= last:
            return
        self.own[name] = max_timestamp - delay
        if self._trace is not None:
            numbers = (("max_timestamp", max_timestamp), ("delay", delay), ("last", last))
            rule = Rule("input-watermark", "max_timestamp - delay > last", numbers, True)
            self._trace.add(InputWatermarkMoved(PLACE, name, last, max_timestamp - delay, rule))
