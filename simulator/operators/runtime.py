"""What an operator works with: clock, keyed state, output, trace; and where its rows go."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simulator.operators.pane_numbers import PaneNumbers
from simulator.state.keyed_state import KeyedStateBackend
from simulator.timers.processing_time import ProcessingTimeService
from simulator.trace.trace import Trace
from simulator.values.key import Key, plain_key
from simulator.values.time import MIN
from simulator.values.window import Window

Row = dict[str, Any]
"""An output row as it is printed: its kind under ``row``, then its members."""


class Output:
    """Completes rows and passes them to the sink.

    ``item`` is the index of the stream item that is being worked on. ``panes``, ``late``, ``dropped`` and ``skipped``
    count results and records, as Flink's metrics do.
    """

    __slots__ = ("_clock", "dropped", "item", "late", "panes", "sink", "skipped")

    def __init__(self, sink: Callable[[Row], None], clock: ProcessingTimeService) -> None:
        self.sink = sink
        self.item = 0
        self.panes = self.late = self.dropped = self.skipped = 0
        self._clock = clock

    def emit(self, row: Row, watermark: int) -> None:
        """Complete ``row`` with the operator's ``watermark`` (ms, None before the first), the clock and the item."""
        row["watermark"] = None if watermark == MIN else watermark
        row["at"] = self._clock.now
        row["item"] = self.item
        self.sink(row)

    def emit_pane(
        self, key: Key, window: Window, timing: str, number: int, value: Any, watermark: int, change: str | None = None
    ) -> None:
        """Emit a ``pane`` row; ``change`` (``+I``, ``-U``, ``+U``) marks one of a stream of updates."""
        row = {
            "row": "pane",
            "key": plain_key(key),
            "start": window.start,
            "end": window.end,
            "timing": timing,
            "pane": number,
            "value": value,
            "timestamp": window.max_timestamp,
        }
        if change is not None:
            row["change"] = change
        self.panes += 1
        self.emit(row, watermark)

    def counters(self) -> dict[str, int]:
        """The counts by name."""
        return {"panes": self.panes, "late": self.late, "dropped": self.dropped, "skipped": self.skipped}

    def set_counters(self, counters: dict[str, int]) -> None:
        """Set the counts to what ``counters()`` returned before."""
        for name, count in counters.items():
            setattr(self, name, count)


@dataclass(slots=True)
class OperatorRuntime:
    """The clock, the keyed state, the output, the pane numbers and, if the run is traced, the trace."""

    clock: ProcessingTimeService
    state: KeyedStateBackend
    output: Output
    panes: PaneNumbers
    trace: Trace | None = None
