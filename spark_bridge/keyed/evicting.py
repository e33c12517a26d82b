"""Evictors: which records of a window stay when it fires."""

from simulator.scenario import model
from spark_bridge.keyed.records import Arrival


def evicted(evictor: model.Evictor, records: list[Arrival]) -> list[Arrival]:
    """The records that stay, in order of arrival."""
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            newest = max(record.ts for record in records)
            return [record for record in records if record.ts > newest - window]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
