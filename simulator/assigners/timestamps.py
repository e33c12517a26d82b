"""The check that the event-time assigners make of a record's timestamp."""

from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.time import MIN


def require_timestamp(timestamp: int) -> None:
    """Fail as Flink does when a record has no timestamp (``Long.MIN_VALUE``)."""
    if timestamp == MIN:
        raise EngineFailure("RuntimeException", "Record has Long.MIN_VALUE timestamp (= no timestamp marker).")
