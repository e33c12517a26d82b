"""What an operator of a chain hands on: its rows, and its watermarks behind the rows that they fired.

Nothing ever flows back in a chain, so its operators can run one after another, and each does what it does in one job.
Items are numbered by the chain's own stream: what an item brings about at any operator has that item's number.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.events import ChannelActive, ChannelIdle
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.items import Record, Status
from tidemark.simulator.engine.values.rows import Row
from tidemark.simulator.scenario import builder, model
from tidemark.simulator.scenario.stream import items

LOST: Final = ("late", "dropped")


class Emission(NamedTuple):
    """A row, a watermark or a status (``idle``, ``active``) that leaves an operator at the item ``seq`` of the chain.

    ``ts``: of a row the time of the record that it becomes, of a watermark itself (ms); ``at``: the clock (ms).
    """

    seq: int
    at: int
    ts: int | None = None
    row: Mapping[str, Any] | None = None
    status: str = ""


def emissions(scenario: model.Scenario, seqs: Sequence[int]) -> Iterator[Emission]:
    """What ``scenario``'s operator emits, in order, lost records and an ``error`` row among it.

    ``seqs``: the number that each item of its stream has in the chain. An operator says that it is idle once all of
    its channels are, as Flink's valve does.
    """
    found: list[Row | Step] = []
    Pipeline(builder.plan(scenario), found.append, _statuses(scenario, found)).run(items(scenario))
    idle: set[tuple[str, int]] = set()
    channels = sum(each.channels for each in scenario.inputs)
    for each in found:
        if isinstance(each, Step):
            event, was = each.event, len(idle)
            channel = (event.input, event.channel)  # type: ignore[attr-defined]
            idle = idle | {channel} if isinstance(event, ChannelIdle) else idle - {channel}
            if channels in (was, len(idle)) and was != len(idle):
                yield Emission(seqs[each.item], each.at, status="idle" if len(idle) == channels else "active")
            continue
        row: Mapping[str, Any] = each
        at = row.get("at", 0)
        if row["row"] == "watermark":
            yield Emission(seqs[row["item"]], at, row["ts"])
        else:
            yield Emission(seqs[row["item"]], at, _time_of(row), row)


def _time_of(row: Mapping[str, Any]) -> int | None:
    """The time of the record that a row becomes: the last instant of a window, else the row's own."""
    if row["row"] == "ranked":
        return int(row["end"]) - 1
    found = row.get("timestamp", row.get("ts"))
    return None if found is None else int(found)


def _statuses(scenario: model.Scenario, found: list[Any]) -> Trace | None:
    """What notes in ``found`` that channels turn idle or active; None where no channel ever does."""
    stream = scenario.stream if isinstance(scenario.stream, tuple) else ()
    if not any(isinstance(item, Status) for item in stream) and not any(
        getattr(each.watermark, "idle_timeout", 0) for each in scenario.inputs
    ):
        return None
    kinds = (ChannelIdle, ChannelActive)
    return Trace(on_step=lambda step: found.append(step) if isinstance(step.event, kinds) else None)


class Structs:
    """The rows of an operator as mappings of columns: those of the key, of the value, and the ends of the window.

    A value that is no mapping has the name ``emitted``, a key that is not computed ``key``; of a pair, a column of the
    right record that the left one has too ends in ``0``.
    """

    def __init__(self, scenario: model.Scenario) -> None:
        self._inputs = {each.name: each for each in scenario.inputs}
        self._first = scenario.inputs[0].name
        self._keys: dict[tuple[str, Any], dict[str, Any]] = {}
        for item in scenario.stream if isinstance(scenario.stream, tuple) else ():
            if isinstance(item, Record) and isinstance(item.value, dict):
                names = self._inputs[item.input].key
                self._keys[item.input, item.key] = {name: item.value[name] for name in names if name in item.value}

    def of(self, row: Mapping[str, Any], ts: int | None) -> dict[str, Any]:
        """The columns of ``row``, which becomes a record of the time ``ts``."""
        from tidemark.simulator.sql.times import time_text

        found: dict[str, Any] = {"key": row["key"]}
        if row["row"] in ("joined", "group"):
            for side in ("left", "right"):
                for name, value in self._side(side, row).items():
                    found[f"{name}0" if name in found else name] = value
        else:
            found |= self._keys.get((self._first, row["key"]), {}) | _members(row.get("own")) | _members(row["value"])
        if "rank" in row:
            found["rank"] = row["rank"]
        if row.get("start") is not None:
            found |= {"window_start": time_text(row["start"]), "window_end": time_text(row["end"])}
        if ts is not None:
            found["window_time" if row.get("start") is not None else "row_time"] = time_text(ts)
        return found

    def plain(self, row: Mapping[str, Any]) -> Any:
        """The value of the record that ``row`` becomes where its reader has no columns."""
        if row["row"] == "group":
            return {side: len(row[side]) for side in ("left", "right")}
        if row["row"] == "joined":
            sides = {side: None if row[side] is None else row[side]["value"] for side in ("left", "right")}
            if not any(isinstance(each, Mapping) for each in sides.values()):
                return sides
            left, right = (_members(sides[side], side) for side in sides)
            return left | {f"{name}0" if name in left else name: value for name, value in right.items()}
        return row["value"]

    def _side(self, side: str, row: Mapping[str, Any]) -> dict[str, Any]:
        record = row[side]
        if isinstance(record, list):
            return {side: len(record)}
        value = {} if record is None else _members(record["value"], side)
        return self._keys.get((side, row["key"]), {}) | value


def _members(value: Any, name: str = "emitted") -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {} if value is None else {name: value}
