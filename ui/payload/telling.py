"""What the browser needs to put steps into words, and the code walk: templates once, raw fields at each step.

The tables of ``simulator/timeline/explain/fields.py`` go along as far as the run needs them, so that ``telling.ts``
fills sentences by the same rules as ``simulator/timeline/wording.py``.
"""

from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, Final

from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.code.walk import LIVE, SILENT, walk
from tidemark.simulator.timeline.explain.fields import DERIVED, KINDS, NUMBER_KINDS, Kind, constants, java_place
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.stops import levels_of
from tidemark.simulator.timeline.wording import evicts, gap_field
from tidemark.simulator.words import section
from tidemark.ui.payload.columns import EXACT

Row = dict[str, Any]

AS_WRITTEN: Final = "\x00"
"""{AS_WRITTEN: text} stands for a number that a browser would write in another way: 7.0, 1e-05, 2^60."""

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "value": ("nothing", "comma"),
    "kept": ("nothing", "comma"),
    "values": ("nothing", "comma", "list", "list_comma"),
    "value_at": ("nothing", "comma", "value_at"),
    "value_of": ("nothing", "comma"),
    "record": ("nothing", "comma", "key", "value"),
    "window_of_key": ("nothing", "comma", "key", "window", "global_window", "window_of_key", "side_of_key", "sides"),
    "bounds_list": ("list", "list_comma"),
    "windows": ("list", "list_comma", "window", "global_window"),
    "first_window": ("window", "global_window"),
    "channel": ("only_channel", "channel", "channel_of_input", "input", "sides"),
    "side": ("sides",),
    "join_side": ("join_side", "sides"),
    "given": ("given",),
    "memory": ("memories",),
    "records": ("records_one", "records_many"),
    "results": ("results_one", "results_many"),
    "stands": ("no_watermark", "input_ended", "watermark_at"),
}
"""The pieces of sentences that each kind may need."""


def telling(scenario: Scenario, steps: Sequence[Row]) -> dict[str, Any]:
    """All that the steps need to become sentences.

    ``texts``: by level the sentences by their names (``what.dropped``, ``rule.window_late``). ``live``: by what happens
    the text beside the line of code, "" for none. ``kinds``, ``derived``, ``numbers``: how fields are written, as in
    ``fields.py``. ``parts``, ``trail``, ``more``: pieces of sentences, the short words of events, and of other windows.
    ``constants``: what the scenario alone decides. ``places``: by place class and method in Java's words.
    ``gap_field``: the field of a value that is a length of time, or null.
    """
    explain, live = section("explain"), section("code")["live"]
    pairs = sorted({(step["story"], step["reason"]) for step in steps})
    names = sorted({name for pair in pairs for name in pair} - {""})
    texts = {level: {name: _text(explain[level], name) for name in names} for level in LEVELS}
    stories = [name.partition(".")[2] for name in names if name.startswith("what.")]
    beside = {
        story: live[LIVE[story]] if story in LIVE else "" for story in stories if story in LIVE or story == SILENT
    }
    asked = _fields_of([*beside.values(), *(text for level in texts.values() for text in level.values())])
    carried = {name for step in steps for name in step["fields"]}
    kinds: dict[str, Kind] = {name: KINDS.get(name, "value") for name in sorted(carried - {"decided"})}
    derived = {name: [each.kind, *each.sources] for name, each in DERIVED.items() if name in asked}
    used = {*kinds.values(), *(each[0] for each in derived.values()), "value"}
    parts = {part for kind in used for part in PARTS.get(kind, ())}
    if "compute" in used:
        parts |= {f"compute_{step['fields']['compute']}" for step in steps if "compute" in step["fields"]}
    return {
        "texts": texts,
        "live": beside,
        "kinds": kinds,
        "derived": derived,
        "numbers": {name: kind for name, kind in NUMBER_KINDS.items() if name in _numbers(steps)},
        "parts": {name: text for name, text in explain["parts"].items() if name in parts},
        "trail": {event: explain["trail"][event] for event in sorted({step["event"] for step in steps})},
        "more": {name: live[name] for name in ("none", "and_more") if "first_window" in used},
        "constants": {name: text for name, text in constants(scenario).items() if name in asked},
        "places": {place: java_place(place, evicts=evicts(scenario)) for place in sorted(_places(steps, texts))},
        "gap_field": gap_field(scenario),
    }


def _text(level: Mapping[str, Mapping[str, str]], name: str) -> str:
    kind, _, own = name.partition(".")
    return level[kind][own]


def _fields_of(texts: Iterable[str]) -> set[str]:
    return {field for text in texts for _, field, _, _ in Formatter().parse(text) if field}


def _places(steps: Sequence[Row], texts: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Those that a sentence names."""
    naming = {name for level in texts.values() for name, text in level.items() if "{place}" in text}
    return {step["place"] for step in steps if step["story"] in naming or step["reason"] in naming}


def _numbers(steps: Sequence[Row]) -> set[str]:
    return {name for step in steps if step["rule"] is not None for name in step["rule"]["numbers"]}


def for_telling(steps: Sequence[Row]) -> list[Row]:
    """The steps as they go to the browser: each number of a value so that the browser writes it as Python does, and
    with the level at which readers stop there.
    """
    return [
        {**step, "fields": {name: _as_written(value, name) for name, value in (step["fields"] | extra).items()}}
        | ({} if step["predicate"] is None else {"predicate": _predicate(step["predicate"])})
        | columns
        for step, columns in zip(steps, levels_of(steps), strict=True)
        for extra in (_rewritten(step, steps),)
    ]


def _rewritten(step: Row, steps: Sequence[Row]) -> dict[str, Any]:
    """The numbers of the rule that the step speaks of, where a browser would write one of them in another way."""
    rule = steps[step["fields"]["decided"]]["rule"] if "decided" in step["fields"] else step["rule"]
    if rule is None or not any(isinstance(number, float) for number in rule["numbers"].values()):
        return {}
    return {"new" if name == "value" else name: number for name, number in rule["numbers"].items()}


def _predicate(predicate: Row) -> Row:
    if predicate["kind"] != "value":
        return predicate
    return predicate | {"sides": [_exact(side) for side in predicate["sides"]]}


def _as_written(value: Any, name: str) -> Any:
    """Of values and keys, results included; times beyond 2^53 are left to the packing."""
    match KINDS.get(name, "value"):
        case "value" | "kept" | "values":
            return _exact(value)
        case "value_at" | "record" | "window_of_key":
            return {member: _exact(each) if member in ("key", "value") else each for member, each in value.items()}
        case _:
            return value


def _exact(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() if abs(value) > EXACT:
            return {AS_WRITTEN: str(value)}
        case float() if value.is_integer() or not 1e-4 <= abs(value) < 1e16:
            return {AS_WRITTEN: _json(value)}
        case dict():
            return {name: _exact(each) for name, each in value.items()}
        case list() | tuple():
            return [_exact(each) for each in value]
        case _:
            return value


def _json(value: float) -> str:
    """As ``json.dumps`` writes it."""
    if value != value:
        return "NaN"
    return repr(value) if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


def code(scenario: Scenario) -> list[dict[str, Any]]:
    """The chapters of the code walk: {name, methods: [{flink, lines: [[id, text], …]}]}; ids are "" where none is."""
    return [
        {
            "name": part.name,
            "methods": [
                {"flink": method.flink, "lines": [[line.id, line.text] for line in method.lines]}
                for method in part.methods
            ],
        }
        for part in walk(scenario)
    ]
