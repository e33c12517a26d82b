"""Evictors: which records of a window are kept when it fires."""

from tidemark.simulator.engine.values.time import MIN, wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival


def evicted(evictor: model.Evictor, records: list[Arrival], stamped: frozenset[int]) -> list[Arrival]:
    """The records that are kept, in order of arrival.

    ``stamped``: the sides whose generator sets the timestamp of every record, Long.MIN_VALUE if it has none.
    """
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            if records[0].ts == MIN and records[0].side not in stamped:
                return records  # the first record has no timestamp: Flink keeps all of them then
            cutoff = wrap(max(record.ts for record in records) - window)  # all have one, or Flink fails
            return [record for record in records if record.ts > cutoff]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
