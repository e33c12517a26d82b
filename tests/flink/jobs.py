"""Scenarios as jobs of the Java driver beside this file, and its rows as those of the contract."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario.model import Scenario


def job(scenario: Scenario) -> dict[str, Any]:
    """The job of ``scenario``."""
    assert isinstance(scenario.stream, tuple)
    inputs = [
        {"name": each.name, "channels": each.channels, "watermark": _plain(each.watermark)} for each in scenario.inputs
    ]
    zone = scenario.operator.session_zone or "UTC"
    whens = {each.name: each.calc(zone).when for each in scenario.inputs if each.columns}
    items = [_item(each, whens) for each in scenario.stream]
    return {
        "name": scenario.name,
        "start": scenario.origin,
        "inputs": inputs,
        "operator": _plain(scenario.operator),
        "items": items,
    }


def is_driven(scenario: Scenario) -> bool:
    """Whether the driver runs it: it has the operator, and the stream is a list."""
    return isinstance(scenario.stream, tuple) and scenario.operator.type != "window-top-n"


def _plain(part: Any) -> Any:
    if not is_dataclass(part):
        return part
    return {"type": getattr(part, "type", None), **{f.name: _plain(getattr(part, f.name)) for f in fields(part)}}


def _item(item: Any, whens: Mapping[str, Callable[[Any], Any] | None]) -> dict[str, Any]:
    match item:
        case Record():
            when = whens.get(item.input)
            return {"kind": "record", **item._asdict(), "marks": when is None or when(item.value) is True}
        case Watermark():
            return {"kind": "watermark", **_plain(item)}
        case Status():
            return {"kind": "status", **_plain(item)}
        case Advance():
            return {"kind": "advance", **_plain(item)}
        case Checkpoint():
            return {"kind": "checkpoint", **_plain(item)}
        case Restore():
            return {"kind": "restore", **_plain(item)}
        case End():
            return {"kind": "end", **_plain(item)}
        case _:
            raise TypeError(item)


def rows(scenario: Scenario, file: Path) -> list[dict[str, Any]]:
    """The driver's rows of ``scenario``, with the number and the timing of each pane, which Flink does not know."""
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return list(_numbered(found, by_clock=scenario.operator.time == "processing"))


def _numbered(found: Iterable[dict[str, Any]], *, by_clock: bool) -> Iterable[dict[str, Any]]:
    panes: Counter[Any] = Counter()
    timings: dict[Any, str] = {}
    for row in found:
        if row["row"] != "pane":
            yield row
            continue
        place = (json.dumps(row["key"]), row["start"], row["end"])
        end = MAX if row["end"] is None else row["end"] - 1
        reached = row["at"] if by_clock and row["end"] is not None else row["watermark"]
        if row.get("change") == "+U":  # of the firing that took the old result back
            panes[place] -= 1
        elif reached is None or reached < end:
            timings[place] = "early"
        else:
            timings[place] = "on-time" if timings.get(place, "early") == "early" else "late"
        yield {**row, "timing": timings[place], "pane": panes[place]}
        panes[place] += 1
