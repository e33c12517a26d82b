"""The records that would meet what a trigger waits for, as the table ``conditions`` has it."""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.triggers.base import Way
from tidemark.simulator.scenario.builder import running_trigger
from tidemark.simulator.scenario.model import Windowed


def values_that_fire(operator: Windowed, kind: str, needs: Any, has: Any) -> Iterator[float | None]:
    """The values of the records, in their order, that meet the trigger's own way of this ``kind``.

    None where any value will do; none at all where no record does. ``needs`` and ``has`` are columns of ``conditions``.
    """
    return running_trigger(operator).values_that_fire(Way(kind, "", needs, has))
