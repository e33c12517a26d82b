"""A window table function over sessions of the clock: refused where a watermark could reach the clock.

Flink's assigner of such sessions is one of event time inside: a record is dropped, or the job fails, once the watermark
has reached the end of the record's window, though only the clock should count
(``UnsliceAssigners.SessionUnsliceAssigner.withProcessingTime`` in Flink 2.3.0). Below the clock watermarks do nothing.
"""

from collections.abc import Iterator

from tidemark.simulator.scenario import model
from tidemark.simulator.values.items import Advance, End, Item, Record, Restore, Status, Watermark
from tidemark.simulator.values.time import MAX, MIN


def is_session_of_clock(operator: model.Operator) -> bool:
    """Whether the operator is one of those that the watermark must not disturb."""
    return (
        isinstance(operator, model.Window)
        and operator.api == "tvf"
        and operator.time == "processing"
        and isinstance(operator.assigner, model.Session)
    )


def reaches_clock(inputs: tuple[model.InputSpec, ...], stream: model.Stream, origin: int) -> int | None:
    """The index of the first item whose watermark could reach the clock while a record still follows; None if none can.

    Of a generated stream, and of one in a file, 0 stands for the whole. A generator counts as if it were asked at once,
    and where channels can be idle the highest of their watermarks counts.
    """
    (spec,) = inputs
    if isinstance(stream, model.Generated):
        # A record's timestamp is the clock at its arrival, or earlier.
        catches_up = spec.watermark.makes_watermarks and spec.watermark.ahead <= 0
        return 0 if catches_up and stream.events > 1 else None
    if isinstance(stream, model.Data):
        if not spec.watermark.makes_watermarks or stream.found is None or stream.found.ts is None:
            return None
        clock = min(stream.found.at) if stream.found.at else origin
        return 0 if max(stream.found.ts) - spec.watermark.ahead >= clock else None
    last = max((index for index, item in enumerate(stream) if isinstance(item, Record | Restore)), default=-1)
    for index, (clock, watermark) in enumerate(_moments(spec, stream[:last], origin)):
        if watermark >= clock:
            return index
    return None


def _moments(spec: model.InputSpec, stream: tuple[Item, ...], clock: int) -> Iterator[tuple[int, int]]:
    """The clock and the operator's watermark after each item (both ms)."""
    channels = dict.fromkeys(range(spec.channels), MIN)
    rests = spec.watermark.idle_timeout > 0 or any(isinstance(item, Status) for item in stream)
    for item in stream:
        if item.at is not None:
            clock = max(clock, item.at)
        match item:
            case Advance():
                clock += item.by
            case Record(ts=int() as ts) if spec.watermark.makes_watermarks:
                channels[item.channel] = max(channels.get(item.channel, MIN), ts - spec.watermark.ahead)
            case Watermark():
                channels[item.channel] = max(channels.get(item.channel, MIN), item.ts)
            case End():
                channels = dict.fromkeys(channels, MAX)
            case _:
                pass
        yield clock, max(channels.values()) if rests else min(channels.values())
