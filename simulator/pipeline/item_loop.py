"""The loop over the items of a stream: the clock, the record, the watermark that it causes, what is due by then.

Theory of operation
-------------------
A stream may have hundreds of millions of records, so nothing is called here that could be spared, and a long run does
better still: after ``INLINED_AFTER`` items the loop goes on as a function in which the bodies of operator, state,
trigger, timers and source stand in place of the calls (``simulator.inlining``). It is this loop, written out, and works
on the same objects, so the row before the change and the row after it come from one run. A run with a trace, which
people look at, one that restores, since a restore makes new sources, and one that somebody watches item by item are
never written out.
"""

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Final, NamedTuple

from tidemark.simulator.inlining import inlined
from tidemark.simulator.operators.base import Operator
from tidemark.simulator.operators.runtime import Output
from tidemark.simulator.timers.processing_time import ProcessingTimeService
from tidemark.simulator.trace.events import RecordArrived
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.items import UPSERT, Item, Record
from tidemark.simulator.values.key import Key, key_of
from tidemark.simulator.values.time import MIN

INLINED_AFTER: Final = 50_000
"""After how many items. By then calls have cost about as much time as it takes to write the loop out: a stream that
ends soon afterwards has lost little, and a long one has not waited long."""

MOST_CHANNELS: Final = 32
"""With more channels their senders are called: each is written out on its own."""


class Sender(NamedTuple):
    """What the source of a channel does about a record: before it goes downstream, and when it has gone.

    Both take its timestamp (ms): None, for ``before_record``, and ``MIN``, for ``follow``, if it has none.
    """

    before_record: Callable[[int | None], None] | None
    follow: Callable[[int], None]


class ItemLoop:
    """Works on items, one after another. ``control`` takes the index and the item of all that are no records.

    ``senders`` are those of the channels by (input, number), and ``records`` counts the records. ``takes`` says of
    which keys the operator works on the records; None for all. ``may_inline`` is False where senders may be replaced.
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
        may_inline: bool,
    ) -> None:
        self.senders: dict[tuple[str, int], Sender] = {}
        self.records = 0
        self._clock = clock
        self._output = output
        self._operator = operator
        self._control = control
        self._trace = trace
        self._takes = takes
        self._may_inline = may_inline and trace is None

    def run(self, numbered: Iterable[tuple[int, Item]], after_item: Callable[[int], None] | None = None) -> None:
        """Work on items with their indexes; ``after_item`` is called with each index.

        Raises ``EngineFailure`` when the operator fails: the run is over then.
        """
        if after_item is not None or not self._may_inline:
            self.work_on(numbered, after_item)
            return
        items = iter(numbered)
        self.work_on(islice(items, INLINED_AFTER))
        more = list(islice(items, 1))
        if more:
            self._inlined()(chain(more, items))

    def work_on(
        self,
        numbered: Iterable[tuple[int, Item]],
        after_item: Callable[[int], None] | None = None,
        only: Sender | None = None,
    ) -> None:
        """As ``run``, as it stands here. ``only`` is the sender of the only channel, if that is known."""
        # Local names, since a restore replaces none of these objects, nor do they change otherwise.
        clock, output, trace, takes = self._clock, self._output, self._trace, self._takes
        scheduled, senders, operator = clock.calls, self.senders, self._operator
        process_element = operator.process_element
        of_input, of_channel, place = "", -1, f"{type(operator).__name__}.process_element"
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
                if only is None and (channel != of_channel or input != of_input):
                    of_input, of_channel = input, channel
                    found = senders[input, channel]
                sender = found if only is None else only
                key = key_of(written_key) if written_key is True or written_key is False else written_key
                self.records += 1
                # In the table runtime a record makes its idle channel active before it goes downstream.
                if sender.before_record is not None:
                    sender.before_record(ts)
                if trace is not None:
                    trace.add(RecordArrived(place, input, channel, key, ts, value))
                # Operator, then generator. With the other order a record could be late by the watermark that it causes
                # itself.
                if takes is None or takes(key):
                    if op == UPSERT:
                        process_element(input, key, ts, value)
                    else:
                        operator.process_delete(input, key, ts, value)
                sender.follow(MIN if ts is None else ts)
            else:
                if item.at is not None:
                    clock.advance_to(item.at)
                self._control(index, item)
                of_channel = -1  # a restore makes new senders
            if scheduled:
                clock.run_due()
            if after_item is not None:
                after_item(index)

    def _inlined(self) -> Callable[[Iterable[tuple[int, Item]]], None]:
        """``work_on`` with the bodies of what it calls in it."""
        senders = self.senders
        if len(senders) == 1:
            [only] = senders.values()
            return inlined(self.work_on, after_item=None, only=only)
        # Which sender it is, each record says. So the body of each is put together on its own.
        if len(senders) <= MOST_CHANNELS:
            for channel, sender in senders.items():
                senders[channel] = sender._replace(follow=inlined(sender.follow))
        return inlined(self.work_on, after_item=None, only=None)
