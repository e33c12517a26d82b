"""Evictors: which records of a window stay when it fires."""

from simulator.scenario import model
from simulator.values.time import MIN, wrap
from spark_bridge.keyed.records import Arrival


def evicted(evictor: model.Evictor, records: list[Arrival]) -> list[Arrival]:
    """The records that stay, in order of arrival."""
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            if records[0].ts == MIN:  # a first record without a timestamp: Flink then leaves all of them
                return records
            cutoff = wrap(max(record.ts for record in records) - window)  # all have one, or Flink fails
            return [record for record in records if record.ts > cutoff]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
