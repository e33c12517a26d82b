"""The loop over the items of a stream: the clock, the record, the watermark that it causes, what is due by then.

A stream may have hundreds of millions of records, so nothing is called here that could be spared.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tidemark.simulator.engine.operators.base import Operator, Output
from tidemark.simulator.engine.timers import ProcessingTimeService
from tidemark.simulator.engine.trace.events import RecordArrived
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import UPSERT, Item, Record
from tidemark.simulator.engine.values.key import Key, key_of
from tidemark.simulator.engine.values.time import MIN


class Sender(NamedTuple):
    """What the source of a channel does about a record: before it goes downstream, and when it has gone.

    Both take its timestamp (ms): None, for ``before_record``, and ``MIN``, for ``follow``, if it has none.
    """

    before_record: Callable[[int | None], None] | None
    follow: Callable[[int], None]


class ItemLoop:
    """Works on items, one after another. ``control`` takes the index and the item of all that are no records.

    ``senders`` are those of the channels by (input, number), and ``records`` counts the records. ``takes`` says of
    which keys the operator works on the records; None for all.
    """

    def __init__(
        self,
        clock: ProcessingTimeService,
        output: Output,
        operator: Operator,
        control: Callable[[int, Item], None],
        trace: Trace | None,
        *,
        takes: Callable[[Key], bool] | None,
    ) -> None:
        self.senders: dict[tuple[str, int], Sender] = {}
        self.records = 0
        self._clock = clock
        self._output = output
        self._operator = operator
        self._control = control
        self._trace = trace
        self._takes = takes

    def run(self, numbered: Iterable[tuple[int, Item]], after_item: Callable[[int], None] | None = None) -> None:
        """Work on items with their indexes; ``after_item`` is called with each index.

        Raises ``EngineFailure`` when the operator fails: the run is over then.
        """
        # Local names, since a restore replaces none of these objects, nor do they change otherwise.
        clock, output, trace, takes = self._clock, self._output, self._trace, self._takes
        scheduled, senders, operator = clock.calls, self.senders, self._operator
        process_element = operator.process_element
        of_input, of_channel, place = "", -1, f"{type(operator).__name__}.process_element"
        since = 0  # records that ``records`` does not count yet: a local number is counted up faster
        try:
            for index, item in numbered:
                # The index first: what the clock fires on the way to this item carries the item's index already.
                output.item = index
                if trace is not None:
                    trace.item = index
                if type(item) is Record:
                    written_key, ts, value, input, channel, at, op = item
                    if at is not None and at > clock.now:
                        if scheduled or trace is not None:
                            clock.advance_to(at)
                        else:
                            clock.now = at  # nothing is due on the way
                    if channel != of_channel or input != of_input:
                        of_input, of_channel = input, channel
                        before_record, follow = senders[input, channel]
                    key = key_of(written_key) if written_key is True or written_key is False else written_key
                    since += 1
                    # In the table runtime a record makes its idle channel active before it goes downstream.
                    if before_record is not None:
                        before_record(ts)
                    if trace is not None:
                        trace.add(RecordArrived(place, input, channel, key, ts, value))
                    # Operator, then generator. With the other order a record could be late by the watermark that it
                    # causes itself.
                    if takes is None or takes(key):
                        if op == UPSERT:
                            process_element(input, key, ts, value)
                        else:
                            operator.process_delete(input, key, ts, value)
                    follow(MIN if ts is None else ts)
                else:
                    if item.at is not None:
                        clock.advance_to(item.at)
                    self.records += since
                    since = 0
                    self._control(index, item)
                    of_channel = -1  # a restore makes new senders
                if scheduled:
                    clock.run_due()
                if after_item is not None:
                    self.records += since
                    since = 0
                    after_item(index)
        finally:
            self.records += since
