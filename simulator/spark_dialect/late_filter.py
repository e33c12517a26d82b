"""The late filter: what the watermark of the batch before has passed is dropped and counted."""

from tidemark.simulator.spark_dialect.base import Batch, BatchOutput
from tidemark.simulator.trace.events import RecordFiltered, Rule
from tidemark.simulator.values.items import Record
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.rows import batch_dropped_row
from tidemark.simulator.values.window import TimeWindow

PLACE = "StateStoreWriter.apply_removing_rows_older_than_watermark"


def filter_out(record: Record, key: Key, window: TimeWindow | None, batch: Batch, output: BatchOutput) -> None:
    """Trace that ``record`` is too late for ``window``, or in a join (None) for the batch, and emit its row."""
    assert record.ts is not None
    if output.trace is not None:
        late = ("late_watermark", batch.late_watermark)
        if window is None:
            rule = Rule("batch-record-late", "ts <= late_watermark", (("ts", record.ts), late), True)
        else:
            rule = Rule("batch-window-late", "end <= late_watermark", (("end", window.end), late), True)
        output.trace.add(RecordFiltered(PLACE, record.input, key, record.ts, record.value, window, rule))
    row = batch_dropped_row(record.input, key, record.ts, record.value, window, batch.number, batch.watermark)
    output.emit(row)
