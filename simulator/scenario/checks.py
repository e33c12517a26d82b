"""What the parts of a scenario demand of one another: checks across operator, inputs and stream.

A check sees only parts that could be read. What a part refuses by itself is in the tables of ``format``.
"""

from collections.abc import Iterator
from math import gcd
from typing import Any, Final

from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, Trigger
from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.versions import (
    LATE_OUTPUT_OF_JOIN_SINCE,
    NEWEST,
    SESSION_FUNCTION_SINCE,
    is_before,
)
from tidemark.simulator.limits import CLOCK_TICKS, PANES_OF_A_WINDOW
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import CalcProblem, aggregates_of, places_of
from tidemark.simulator.scenario.format.kinds import Reader, shortened
from tidemark.simulator.scenario.format.structs import Values, place_within
from tidemark.simulator.scenario.reading.nodes import MappingNode
from tidemark.simulator.scenario.stream import arrivals_of, borders_of, span_of, tick_interval

# A window table function over sessions of the clock: refused where a watermark could reach the clock.
#
# Flink's assigner of such sessions is one of event time inside: a record is dropped, or the job fails, once the
# watermark has reached the end of the record's window, though only the clock should count
# (``UnsliceAssigners.SessionUnsliceAssigner.withProcessingTime`` in Flink 2.3.0). Below the clock watermarks do
# nothing.


def is_session_of_clock(operator: model.Operator) -> bool:
    """Whether the operator is one of those that the watermark must not disturb."""
    return operator.is_table_function and operator.time == "processing" and operator.merges


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


NUMERIC: Final = ("sum", "min", "max", "avg")
"""What can be computed from numbers only."""


def check_together(reader: Reader, root: MappingNode, values: Values) -> None:
    """Report everything in ``values`` (by the keys of the file) that does not fit together."""
    operator, stream = values.get("operator"), values.get("stream")
    inputs = values.get("inputs_in_order")
    if operator is not None:
        _check_triggers(reader, root, operator, stream)
        _check_table_rules(reader, root, operator)
        _check_version(reader, root, operator, values.get("flink", NEWEST))
    if operator is not None and inputs is not None:
        _check_append(reader, root, operator, inputs)
        _check_aggregates(reader, root, operator, inputs)
    if stream is None:
        return
    if operator is not None:
        _check_values(reader, root, operator, stream, inputs)
        if inputs is not None and isinstance(stream, model.Generated) and stream.border_millionths:
            _check_borders(reader, root, operator, inputs, stream)
    if inputs is not None:
        if isinstance(stream, model.Generated):
            _check_without_columns(reader, root, inputs)
        _check_channels(reader, root, inputs, stream)
        _check_clock(reader, root, inputs, stream, reader.origin)
    if operator is not None and inputs is not None and is_session_of_clock(operator):
        _check_clock_sessions(reader, root, inputs, stream)
    if isinstance(stream, tuple):
        _check_restores(reader, root, stream)


at = place_within


# --- the operator by itself ----------------------------------------------------------------------------------------


def triggers(operator: model.Operator) -> Iterator[tuple[Trigger | ConfiguredTrigger, tuple[str, ...]]]:
    """The operator's trigger and those inside it, from the outermost, each with its path below ``operator``."""
    trigger = operator.trigger
    path: tuple[str, ...] = ("trigger",)
    while trigger is not None:
        yield trigger, path
        trigger, path = getattr(trigger, "inner", None), (*path, "inner")


def _check_triggers(reader: Reader, root: MappingNode, operator: model.Operator, stream: model.Stream | None) -> None:
    assigner = operator.assigner
    on_global = assigner is not None and not assigner.ends
    for trigger, path in triggers(operator):
        place = at(root, "operator", *path)
        name = trigger.type
        if not isinstance(trigger, Trigger):
            continue
        if on_global and trigger.needs_window_end:
            reader.wrong(place, "trigger_needs_end", trigger=name)
        if not on_global and trigger.only_on_global_window:
            reader.wrong(place, "never_off_global")
        elif assigner is not None and assigner.merges and not trigger.can_merge:
            reader.wrong(place, "trigger_cannot_merge", trigger=name)
        if on_global and trigger.fires_up_to_window_end and stream is not None and _ends(stream):
            reader.wrong(place, "fires_for_ever")


def _ends(stream: model.Stream) -> bool:
    """Whether an end-of-input watermark is written in the stream."""
    if isinstance(stream, model.Generated):
        return stream.end
    if isinstance(stream, model.Data):
        return stream.end
    return any(isinstance(item, End) or (isinstance(item, Watermark) and item.ts == MAX) for item in stream)


def _check_table_rules(reader: Reader, root: MappingNode, operator: model.Operator) -> None:
    if not operator.keeps_windows or operator.api != "sql":
        return
    trigger = operator.trigger
    periodic = isinstance(trigger, model.AfterEndOfWindow)
    late = periodic and getattr(trigger, "late", None) is not None
    early = periodic and getattr(trigger, "early", None) is not None
    if late and operator.time == "processing":
        reader.wrong(at(root, "operator", "trigger", "late"), "late_in_processing_time")
    if isinstance(operator.assigner, model.Sliding):
        panes = operator.assigner.size // gcd(operator.assigner.size, operator.assigner.slide)
        if panes > PANES_OF_A_WINDOW:
            reader.wrong(
                at(root, "operator", "assigner", "slide"), "too_many_panes", panes=panes, limit=PANES_OF_A_WINDOW
            )
    if isinstance(operator.assigner, model.Session):
        if operator.allowed_lateness:
            reader.source.report(at(root, "operator", "allowed_lateness"), "sql_session_lateness", warning=True)
        if early or late:
            place = at(root, "operator", "trigger", "early" if early else "late")
            reader.source.report(place, "sql_session_firing", warning=True)


def _check_version(reader: Reader, root: MappingNode, operator: model.Operator, flink: str) -> None:
    if (
        operator.type == "interval-join"
        and operator.late_output == "side"
        and is_before(flink, LATE_OUTPUT_OF_JOIN_SINCE)
    ):
        reader.wrong(at(root, "flink"), "version_without_late_output", since=LATE_OUTPUT_OF_JOIN_SINCE)
    if operator.is_table_function and operator.merges and is_before(flink, SESSION_FUNCTION_SINCE):
        reader.wrong(at(root, "flink"), "version_without_sessions", since=SESSION_FUNCTION_SINCE)


def _check_append(
    reader: Reader, root: MappingNode, operator: model.Operator, inputs: tuple[model.InputSpec, ...]
) -> None:
    if operator.output_mode == "append" and inputs[0].delay is None:
        reader.wrong(at(root, "operator", "output_mode"), "append_without_watermark", input=shortened(inputs[0].name))


def _check_aggregates(
    reader: Reader, root: MappingNode, operator: model.Operator, inputs: tuple[model.InputSpec, ...]
) -> None:
    """Check the aggregates of columns, and that whatever takes numbers is given some."""
    function, spec = operator.function, inputs[0]
    if function is not None and function.columns:
        try:
            aggregates_of(function.columns, spec.columns, spec.select, reader.zone)
        except CalcProblem as problem:
            reader.wrong_text(at(root, "operator", "function", *problem.path), problem.text)
    elif operator.by is not None:
        try:
            places_of(operator.by, "desc", spec.columns, spec.select)
        except CalcProblem as problem:
            reader.wrong_text(at(root, "operator", *problem.path), problem.text)
    elif any(each.columns for each in inputs) and (because := numbers_needed_by(operator)) is not None:
        name = next(each.name for each in inputs if each.columns)
        word = "columns_are_no_number" if function is None else "columns_need_aggregates"
        reader.wrong(at(root, "inputs", name, "columns"), word, because=because)


def _check_without_columns(reader: Reader, root: MappingNode, inputs: tuple[model.InputSpec, ...]) -> None:
    for each in inputs:
        if each.columns:
            reader.wrong(at(root, "inputs", each.name, "columns"), "generated_without_columns")


# --- the stream ----------------------------------------------------------------------------------------------------


def numbers_needed_by(operator: model.Operator) -> str | None:
    """The setting, as written, that makes the operator take numbers only; ``None`` if it takes any value."""
    function = operator.function
    if function is not None and function.compute in NUMERIC:
        return f"compute: {function.compute}"
    if operator.needs_numbers:
        return f"type: {operator.type}"
    for trigger, _ in triggers(operator):
        if isinstance(trigger, Trigger) and trigger.needs_numbers:
            return f"trigger: {{type: {trigger.type}}}"
    evictor = operator.evictor
    return f"evictor: {{type: {evictor.type}}}" if evictor is not None and evictor.needs_numbers else None


def _check_values(
    reader: Reader,
    root: MappingNode,
    operator: model.Operator,
    stream: model.Stream,
    inputs: tuple[model.InputSpec, ...] | None,
) -> None:
    because = None if any(each.columns for each in inputs or ()) else numbers_needed_by(operator)
    assigner = operator.assigner
    gap_field = assigner.gap_field if isinstance(assigner, model.DynamicSession) else None
    if isinstance(stream, model.Generated):
        if gap_field is not None:
            reader.wrong(at(root, "stream", "generate"), "no_gap_field", field=shortened(gap_field))
        return
    if isinstance(stream, model.Data):
        _check_values_of_file(reader, root, stream, because, gap_field)
        return
    for index, item in enumerate(stream):
        if not isinstance(item, Record):
            continue
        if because is not None and type(item.value) not in (int, float):
            reader.wrong(at(root, "stream", index, "value"), "value_is_no_number", because=because)
        if gap_field is not None:
            gap = item.value.get(gap_field) if isinstance(item.value, dict) else None
            if type(gap) is not int:
                place = at(root, "stream", index, "value", gap_field)
                reader.wrong(place, "no_gap_field", field=shortened(gap_field))


def _check_borders(
    reader: Reader,
    root: MappingNode,
    operator: model.Operator,
    inputs: tuple[model.InputSpec, ...],
    stream: model.Generated,
) -> None:
    place = at(root, "stream", "generate", "borders")
    borders = borders_of(operator, inputs, stream)
    if borders is None and arrivals_of(operator, inputs, stream, reader.origin).are_steady:
        by_clock = operator.time == "processing"
        in_zone = operator.session_zone is not None
        reader.wrong(place, "borders_in_zone" if in_zone else "borders_of_clock" if by_clock else "borders_of_nothing")
        return
    earliest, latest = span_of(stream, borders)
    if reader.origin + latest >= 2**63 or reader.origin + earliest < -(2**63):
        reader.wrong(place, "generated_beyond_64_bits")


def _check_values_of_file(
    reader: Reader, root: MappingNode, stream: model.Data, because: str | None, gap_field: str | None
) -> None:
    if gap_field is not None:
        reader.wrong(at(root, "stream", "data"), "no_gap_field", field=shortened(gap_field))
    elif because is not None and stream.columns.value is None:
        reader.wrong(at(root, "stream", "data"), "data_needs_value", because=because)
    elif because is not None and stream.found is not None and stream.found.no_number is not None:
        line, cell = stream.found.no_number
        place = at(root, "stream", "data", "value")
        reader.wrong(place, "data_no_number", file=stream.path, line=line, found=cell, because=because)


def _check_channels(
    reader: Reader, root: MappingNode, inputs: tuple[model.InputSpec, ...], stream: model.Stream
) -> None:
    if isinstance(stream, model.Generated):
        return
    channels = {each.name: each.channels for each in inputs}
    if isinstance(stream, model.Data):
        found = () if stream.found is None else stream.found.channels
        for each in found:
            if (number := stream.known.number_of(each)) >= inputs[0].channels:
                place = at(root, "stream", "data", "channel")
                reader.wrong(place, "no_such_channel", channel=number, channels=inputs[0].channels)
                return
        return
    for index, item in enumerate(stream):
        if isinstance(item, Record | Watermark | Status) and item.channel >= channels.get(item.input, MAX):
            place = at(root, "stream", index, "channel")
            reader.wrong(place, "no_such_channel", channel=item.channel, channels=channels[item.input])


def _check_clock(
    reader: Reader, root: MappingNode, inputs: tuple[model.InputSpec, ...], stream: model.Stream, origin: int
) -> None:
    """Check the number of ticks, which is known before the run: nothing but the stream moves the clock."""
    intervals = [(each.channels, tick_interval(each.watermark)) for each in inputs]
    clock = origin
    if isinstance(stream, model.Generated):
        # A record that seeks a border on the clock comes later, but before the next one's time begins.
        later = max(stream.every - 1, 0) if stream.border_millionths else 0
        moves: list[tuple[int, int]] = [(0, origin + max(stream.events - 1, 0) * stream.every + later)]
    elif isinstance(stream, model.Data):
        moves = [(0, stream.found.at[1])] if stream.found is not None and stream.found.at else []
    else:
        moves = list(_moves(stream, origin))
    for index, clock in moves:
        place = at(root, "stream", "generate", "every") if isinstance(stream, model.Generated) else 0
        place = place or at(root, "stream", *(("data", "at") if isinstance(stream, model.Data) else (index,)))
        if clock > MAX:
            reader.wrong(place, "clock_beyond_64_bits")
            return
        ticks = sum(channels * ((clock - origin) // interval) for channels, interval in intervals if interval)
        if ticks > CLOCK_TICKS:
            reader.wrong(place, "too_many_ticks", ticks=ticks, limit=CLOCK_TICKS)
            return


def _check_clock_sessions(
    reader: Reader, root: MappingNode, inputs: tuple[model.InputSpec, ...], stream: model.Stream
) -> None:
    """Check that no watermark reaches the clock, which Flink itself does not survive there."""
    found = reaches_clock(inputs, stream, reader.origin)
    if found is not None:
        where = ("stream", found) if isinstance(stream, tuple) else ("stream",)
        reader.wrong(at(root, *where), "clock_session_watermark")


def _moves(stream: tuple[Item, ...], clock: int) -> Iterator[tuple[int, int]]:
    """The index of each item that moves the clock, with the clock's time (ms) afterwards."""
    for index, item in enumerate(stream):
        time = getattr(item, "at", None)
        moved = clock if time is None else max(clock, time)
        if isinstance(item, Advance):
            moved += item.by
        if moved != clock:
            clock = moved
            yield index, clock


def _check_restores(reader: Reader, root: MappingNode, stream: tuple[Any, ...]) -> None:
    """Check that each restore names a checkpoint taken before it, which no other restore has made void."""
    taken: dict[str, int] = {}
    void: set[str] = set()
    for index, item in enumerate(stream):
        if isinstance(item, Checkpoint):
            taken[item.name] = index
            void.discard(item.name)
        elif isinstance(item, Restore):
            place = at(root, "stream", index, "restore")
            if item.name in void:
                reader.wrong(place, "void_checkpoint", called=shortened(item.name))
            elif item.name not in taken:
                reader.wrong(place, "no_such_checkpoint", called=shortened(item.name))
            else:
                later = {name for name, number in taken.items() if number > taken[item.name]}
                void |= later
                taken = {name: number for name, number in taken.items() if name not in later}
