"""The table of triggers in docs/users/SCENARIOS.md: the fields each one takes, and where it can be used."""

from collections.abc import Iterator
from dataclasses import MISSING, fields

from tidemark.simulator.engine.triggers.base import Trigger
from tidemark.simulator.scenario.format.operators import TRIGGER
from tidemark.simulator.scenario.format.structs import Struct, Variant


def triggers_table() -> str:
    """One line for each trigger of the DataStream API."""
    assert isinstance(TRIGGER.kind, Variant)
    lines = ["| `trigger.type`, datastream | fields | |", "| --- | --- | --- |"]
    for name, case in TRIGGER.kind.cases.items():
        assert isinstance(case, Struct)
        trigger = case.build
        assert isinstance(trigger, type)
        assert issubclass(trigger, Trigger)
        members = ", ".join(_members(trigger))
        lines.append(" ".join(f"| `{name}` | {members} | {'; '.join(_limits(trigger))} |".split()))
    return "\n".join(lines)


def _members(trigger: type[Trigger]) -> Iterator[str]:
    for field in fields(trigger):  # type: ignore[arg-type]  # each class is a dataclass, the base is not
        kind = ": a trigger" if field.type is Trigger else ""
        default = "" if field.default is MISSING else f" ({str(field.default).lower()})"
        yield f"`{field.name}`{kind}{default}"


def _limits(trigger: type[Trigger]) -> Iterator[str]:
    if trigger.only_on_global_window:
        yield "only on `global`, where it is the default"
    elif not trigger.can_merge:
        yield "not on sessions"
    if trigger.needs_window_end:
        yield "not on `global`"
    if trigger.fires_up_to_window_end:
        yield "not on `global` if the stream has an end"
    if trigger.needs_numbers:
        yield "every record needs a number as its value"
