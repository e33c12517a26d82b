"""Facts of micro-batches: the same tables as Flink's, from the events of Spark's rules."""

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.timeline.entries import Entries
from tidemark.simulator.timeline.folding import Folding, Handlers
from tidemark.simulator.timeline.spark.batches import BatchFacts
from tidemark.simulator.timeline.spark.buffers import JoinFacts
from tidemark.simulator.timeline.spark.inputs import InputFacts
from tidemark.simulator.timeline.spark.outputs import BatchOutputFacts
from tidemark.simulator.timeline.spark.records import BatchRecordFacts
from tidemark.simulator.timeline.spark.windows import BatchWindowFacts


def handlers_of(folding: Folding, trace: Trace) -> list[Handlers]:
    """The handlers of each group of tables. The records come first, since a window looks at its record."""
    records = BatchRecordFacts(folding, trace)
    entries = Entries(folding)
    groups = (
        records,
        BatchFacts(folding),
        InputFacts(folding),
        BatchWindowFacts(folding, records, entries),
        JoinFacts(folding, records, entries),
        BatchOutputFacts(folding),
    )
    return [group.handlers() for group in groups]
