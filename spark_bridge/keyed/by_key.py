"""One key after another: its records in order, each with the watermark that was there when it came."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.keyed.records import Arrival, Fired
from tidemark.spark_bridge.keyed.timers import Alarms, DueTimers, Timers


class Machine(Protocol):
    """An operator for the records of one key; its timers are kept where its maker says."""

    def process(self, record: Arrival) -> None:
        """Work on the key's next record."""

    def wake(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""

    def rows(self) -> list[Fired]:
        """The rows emitted since the last call, in order."""

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""


Maker = Callable[[Alarms, Alarms], Machine]
"""(event-time timers, processing-time timers) → the machine of a key."""


def by_key(make: Maker, last_watermark: int, records: Iterable[Arrival]) -> Iterator[Fired]:
    """The rows of a key's ``records``, in order of arrival; ``last_watermark`` is the highest of the stream.

    Only for operators without processing-time timers.
    """
    timers = DueTimers()
    machine = make(timers, Timers())
    for record in records:
        before = record.before
        if timers.is_due(before):
            yield from _woken(machine, timers, before)
        timers.floor = before + 1 if before < MAX else MAX
        machine.process(record)
        yield from machine.rows()
    yield from _woken(machine, timers, last_watermark)


def _woken(machine: Machine, timers: DueTimers, watermark: int) -> Iterator[Fired]:
    for timestamp, namespace in timers.fire(watermark):
        machine.wake(timestamp, namespace, by_clock=False)
        yield from (row._replace(due=timers.floor) for row in machine.rows())
