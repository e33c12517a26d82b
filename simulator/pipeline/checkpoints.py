"""Checkpoints of a pipeline, and the rows that wait until no restore can withdraw them any more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidemark.simulator.state.keyed_state import Entry
from tidemark.simulator.timers.timer_queue import Timer
from tidemark.simulator.values.rows import FlinkRow


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a checkpoint holds: keyed state and timers, and how far the run had come when it was taken.

    ``item`` is the index of the checkpoint's own stream item, ``rows`` the number of rows emitted by then, ``step`` the
    trace step of ``CheckpointTaken``, None without a trace. ``watermark`` (ms) counts for operators that keep it.
    """

    item: int
    state: dict[str, dict[Entry, Any]]
    timers: tuple[list[Timer], list[Timer]]
    panes: Any
    watermark: int
    counters: dict[str, int]
    records: int
    rows: int
    step: int | None


class RowBuffer:
    """A sink that keeps rows back, so that a restore can withdraw those emitted since its checkpoint.

    Without ``holds_back``, for a stream that restores nothing, rows pass through at once. ``step`` returns the number
    of the trace step that emits the current row; None without a trace.
    """

    def __init__(self, sink: Callable[[FlinkRow], None], *, holds_back: bool) -> None:
        self._sink = sink
        self._rows: list[tuple[FlinkRow, int | None]] = []
        self.emit: Callable[[FlinkRow], None] = self._keep if holds_back else sink
        self.step: Callable[[], int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def withdraw(self, keep: int) -> tuple[int, ...]:
        """Discard all rows but the first ``keep``; returns the trace steps that had emitted them, each once."""
        withdrawn = self._rows[keep:]
        del self._rows[keep:]
        return tuple(dict.fromkeys(step for _, step in withdrawn if step is not None))

    def flush(self) -> None:
        """Pass on what was kept back, since the stream is over."""
        for row, _ in self._rows:
            self._sink(row)
        self._rows.clear()

    def _keep(self, row: FlinkRow) -> None:
        self._rows.append((row, None if self.step is None else self.step()))
