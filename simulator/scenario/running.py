"""The trigger that runs in a window operator, and the classes that there are for the table runtime."""

from collections.abc import Iterator

from tidemark.simulator.scenario.model import Windowed
from tidemark.simulator.table_triggers.base import ConfiguredTrigger
from tidemark.simulator.table_triggers.base import TableTrigger as RunningTableTrigger
from tidemark.simulator.triggers.base import Trigger


def running_trigger(operator: Windowed) -> Trigger | RunningTableTrigger:
    """The operator's trigger; of the table runtime the one for windows of its time."""
    trigger = operator.trigger
    if isinstance(trigger, ConfiguredTrigger):
        return trigger.in_time(is_event_time=operator.time == "event")
    return trigger


def table_triggers(of: type[RunningTableTrigger] = RunningTableTrigger) -> Iterator[type[RunningTableTrigger]]:
    """Every class of trigger that runs in the table runtime: the import of the model has defined them all."""
    for each in of.__subclasses__():
        if hasattr(each, "flink"):
            yield each
        yield from table_triggers(each)
