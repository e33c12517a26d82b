"""What a part that was just chosen begins with: a value for each member that it cannot do without."""

from collections.abc import Mapping
from typing import Final

from tidemark.simulator.scenario.editing.written import Plain, Value, written
from tidemark.simulator.scenario.format.kinds import Choice, Kind, Reader
from tidemark.simulator.scenario.format.structs import Struct
from tidemark.simulator.scenario.reading.nodes import SequenceNode
from tidemark.simulator.scenario.reading.source import Refused, Source
from tidemark.simulator.scenario.reading.yaml import read_yaml
from tidemark.simulator.values.duration import format_duration, parse_duration

STARTS: Final[Mapping[str, Value]] = {
    "size": Plain("10s"),
    "slide": Plain("5s"),
    "max_size": Plain("10s"),
    "step": Plain("5s"),
    "gap": Plain("5s"),
    "gap_field": Plain("gap"),
    "max": 3,
    "n": 3,
    "interval": Plain("1s"),
    "threshold": 5,
    "inner": {"type": Plain("count"), "max": 3},
    "timeout": Plain("5s"),
    "window": Plain("5s"),
    "bound": Plain("2s"),
    "delay": Plain("2s"),
    "lower": Plain("-5s"),
    "upper": Plain("5s"),
    "frame": {"rows": 2},
    "assigner": {"type": Plain("tumbling"), "size": Plain("10s")},
    "function": {"call": Plain("aggregate"), "compute": Plain("sum")},
}
"""By key. A choice among names begins with ``sum`` or with its first name."""

OTHERS: Final[Mapping[str, Value]] = {"function": {"call": Plain("event-sort")}}
"""What to begin with where the value in ``STARTS`` does not fit."""

LENGTHS: Final = ("size", "gap", "max_size")
STEPS: Final = ("slide", "step")
"""Windows of another kind have about the length of those before; half of it is their step."""


def fits(kind: Kind, value: Value) -> bool:
    """Whether ``kind`` reads ``value`` without a problem."""
    source = Source("", f"- {written(value)}\n")
    try:
        items = read_yaml(source)
    except Refused:
        return False
    assert isinstance(items, SequenceNode)
    kind.read(Reader(source), items.items[0], ())
    return not source.failed


def starts(case: Struct, before: Mapping[str, Value], missing: tuple[str, ...]) -> dict[str, Value]:
    """A value for each of the ``missing`` members of ``case``; ``before`` is the mapping that it takes the place of."""
    length = next((ms for name in LENGTHS if (ms := _ms(before.get(name))) is not None), None)
    found: dict[str, Value] = {}
    for name in missing:
        kind = case.kinds[name]
        if length is not None and name in (*LENGTHS, *STEPS):
            half = max(length // 2, 1)
            of_steps = name == "max_size"
            found[name] = Plain(format_duration(half if name in STEPS else half * 2 if of_steps else length))
        elif isinstance(kind, Choice):
            found[name] = Plain("sum" if "sum" in kind.names else kind.names[0])
        else:
            start = STARTS[name]
            found[name] = start if fits(kind, start) else OTHERS[name]
    return found


def _ms(value: Value) -> int | None:
    if isinstance(value, Plain):
        return int(value) if value.isdecimal() else parse_duration(value)
    return value if type(value) is int else None
