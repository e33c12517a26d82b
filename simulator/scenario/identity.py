"""What makes two scenarios the same run: a digest of everything that the engine sees, and of nothing else.

A version of Flink counts if it is not the newest. Name, title, summary, look_for, takeaway, lesson, goals and
walkthrough are texts around a run and do not count. Nor does the zone: times are ms, and only the screen shows local
ones. A session time zone does. Every number counts. A generated stream counts by its parameters, so the same records
written out are another scenario.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from tidemark.simulator.engine.generators import WatermarkStrategy
from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, Trigger
from tidemark.simulator.engine.values.items import UPSERT, Record
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.scenario.model import Function, Generated, InputSpec, Scenario

FORM: Final = "tidemark run 1"
"""Part of every digest: if the form below changes, all digests have to change."""

SEEN: Final = ("engine", "origin", "inputs", "operator", "stream")
"""The members of a scenario that decide its rows."""


def digest_of(scenario: Scenario) -> str:
    """64 hex digits, equal for equal input to the engine, in every process."""
    seen = [[name, _written(getattr(scenario, name))] for name in SEEN]
    if scenario.flink != NEWEST:
        seen.append(["flink", scenario.flink])  # no scenario had one when the first run was recorded
    return hashlib.sha256(json.dumps([FORM, seen], sort_keys=True).encode()).hexdigest()


def _written(value: Any) -> Any:
    """``value`` as JSON that keeps the kinds of values apart: ``1``, ``1.0``, ``true`` and ``"1"`` all differ."""
    if isinstance(value, Record):
        members = value._asdict()
        if value.op == UPSERT:
            del members["op"]  # there was none when the first run was recorded
        return ["Record", {name: _written(each) for name, each in members.items()}]
    if isinstance(value, WatermarkStrategy):
        # All strategies were one class with these members when the first run was recorded.
        numbers = {name: getattr(value, name) for name in ("bound", "emit", "idle_timeout")}
        when = {"when": getattr(value, "when", None)} if value.is_conditional else {}
        return ["WatermarkSpec", {"generator": value.type} | numbers | when]
    if is_dataclass(value):
        members = {field.name: _written(getattr(value, field.name)) for field in fields(value) if field.compare}
        for name in ("session_zone", "by", "state_ttl"):
            if members.get(name, "") is None:
                del members[name]  # no operator had one when the first run was recorded
        if isinstance(value, Generated) and not value.border_millionths:
            del members["border_millionths"]  # no stream sought borders when the first run was recorded
        if isinstance(value, Function) and value.firings is None:
            del members["firings"]  # no function counted them when the first run was recorded
        for name in ("columns", "where", "select", "key") if isinstance(value, InputSpec | Function) else ():
            if not getattr(value, name, None):
                members.pop(name, None)  # no input had columns when the first run was recorded
        return [_name(value), members]
    if isinstance(value, Mapping):
        return {str(name): _written(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return ["", *(_written(each) for each in value)]
    return value


def _name(value: Any) -> str:
    """The name of a part. A trigger is its ``type`` in camel case, as it was when the first run was recorded."""
    if isinstance(value, Trigger | ConfiguredTrigger):
        return "".join(word.capitalize() for word in value.type.split("-"))
    return type(value).__name__
