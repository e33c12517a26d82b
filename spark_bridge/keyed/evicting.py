"""Evictors: which records of a window stay when it fires."""

from simulator.scenario import model
from simulator.values.time import MIN, wrap
from spark_bridge.keyed.records import Arrival


def evicted(evictor: model.Evictor, records: list[Arrival], stamped: frozenset[int]) -> list[Arrival]:
    """The records that stay, in order of arrival.

    ``stamped``: the sides whose generator gives a timestamp to every record, Long.MIN_VALUE to one without.
    """
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            if records[0].ts == MIN and records[0].side not in stamped:
                return records  # a first record without a timestamp: Flink then leaves all of them
            cutoff = wrap(max(record.ts for record in records) - window)  # all have one, or Flink fails
            return [record for record in records if record.ts > cutoff]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
