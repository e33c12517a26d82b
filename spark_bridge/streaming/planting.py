"""Faults planted on purpose in the results of the query, or in the query itself."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from tidemark.simulator.scenario.model import InputSpec, Scenario
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.plan.operators import one_more
from tidemark.spark_bridge.streaming.rows import Row

_RESULTS: Final = ("pane", "joined")


def planted(batches: Iterable[list[Row]], fault: Fault | None) -> Iterator[list[Row]]:
    """The batches of Spark's side, with ``fault`` in the first row that can carry it."""
    waiting = fault is not None
    for rows in batches:
        made: list[Row] = []
        for row in rows:
            instead = _instead(row, fault) if waiting and fault is not None else None
            waiting = waiting and instead is None
            made += [row] if instead is None else instead
        yield made


def _instead(row: Row, fault: Fault) -> list[Row] | None:
    """What replaces ``row``; None if it cannot carry the fault."""
    if row["row"] == "dropped" and fault is Fault.UNREPORTED:
        return [row | {"counted": row["counted"] - 1}]
    if row["row"] not in _RESULTS:
        return None
    is_pane = row["row"] == "pane"
    match fault:
        case Fault.LOST | Fault.ON_TIME_LOST:
            return []
        case Fault.TWICE:
            return [row, dict(row)]
        case Fault.KEY:
            return [row | {"key": f"not {row['key']}"}]
        case Fault.WATERMARK:
            return [row | {"watermark": row["watermark"] - 1}]
        case Fault.VALUE if is_pane:
            return [row | {"value": row["value"] * 2 + 1}]
        case Fault.VALUE:
            return [row | {"right": row["right"] | {"value": "planted"}}]
        case Fault.LESS if is_pane:
            return [row | {"value": row["value"] - 1}]
        case Fault.START if is_pane:
            return [row | {"start": row["start"] - 1}]
        case Fault.END if is_pane:
            return [row | {"end": row["end"] + 1}]
        case Fault.END:
            return [row | {"right": row["right"] | {"ts": row["right"]["ts"] + 1}}]
        case Fault.NEXT_WINDOW if is_pane:
            size = row["end"] - row["start"]
            return [row | {"start": row["start"] + size, "end": row["end"] + size}]
        case _:
            return None


def broken(scenario: Scenario, fault: Fault | None) -> Scenario:
    """The scenario that Spark gets: with one wrong number, if ``fault`` is one of the plan and applies to it."""
    match fault:
        case Fault.BOUND:
            return replace(scenario, inputs=tuple(map(_later, scenario.inputs)))
        case Fault.SIZE | Fault.OFFSET:
            return replace(scenario, operator=one_more(scenario.operator, fault.value))
        case _:
            return scenario


def _later(source: InputSpec) -> InputSpec:
    return source if source.delay is None else replace(source, delay=source.delay + 1)
