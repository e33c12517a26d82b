"""The JSON Schema of scenario files, derived from the tables that read them, for completion and checks in editors.

``python -m simulator.scenario.schema`` writes ``scenarios/schema.json``.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from tidemark.simulator.engine.values.duration import DURATION, INSTANT
from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario.format.document import OPERATOR, SCENARIO
from tidemark.simulator.scenario.format.operators import FLINK_OPERATOR, TRIGGER
from tidemark.simulator.words import words

FILE: Final = ROOT / "scenarios" / "schema.json"

ID: Final = "https://json.schemastore.org/tidemark-scenario.json"

_BY_NAME: Final = ("properties", "patternProperties", "$defs")
_IN_LISTS: Final = ("anyOf", "allOf", "oneOf")
_ALONE: Final = ("items", "additionalProperties", "if", "then", "else", "not", "propertyNames", "contains")
"""The members of a schema that are schemas, or hold some."""

_WORTH: Final = 60
"""Characters that a shared definition saves at least."""


def schema() -> dict[str, Any]:
    """The schema of a whole file, draft 2020-12. ``python -m simulator check`` checks what no schema can say."""
    assert TRIGGER.kind is not None
    duration = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^(?:{DURATION.pattern})$"}]}
    instant = {"type": "string", "pattern": f"^(?:{INSTANT.pattern})$"}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": words("format.title"),
        **SCENARIO.schema(),
        "$defs": {
            "duration": duration,
            "timestamp": {"anyOf": [{"$ref": "#/$defs/duration"}, instant]},
            TRIGGER.name: TRIGGER.kind.schema(),
            OPERATOR: FLINK_OPERATOR.schema_within(("from",)),
        },
    }
    _share(whole)
    return whole


def _share(schema: dict[str, Any]) -> None:
    """Write what occurs several times once, below ``$defs``, until nothing more is worth it: half of the file."""
    definitions = schema["$defs"]
    while True:
        found: dict[str, list[tuple[Any, Any, str]]] = {}
        for holder, key, name in _parts(schema, ""):
            if holder is not definitions:
                found.setdefault(_text(holder[key]), []).append((holder, key, name))
        saved, text = max(((len(text) - 30) * (len(places) - 1) - 30, text) for text, places in found.items())
        if saved < _WORTH:
            return
        name = found[text][0][2]
        while name in definitions:
            name += "-"
        definitions[name] = json.loads(text)
        for holder, key, _ in found[text]:
            holder[key] = {"$ref": f"#/$defs/{name}"}


def _parts(schema: dict[str, Any], name: str) -> Iterator[tuple[Any, Any, str]]:
    """The schemas within ``schema``: what holds each, under which key, and the nearest member's name."""
    for key, value in schema.items():
        held: list[tuple[Any, Any, str]] = []
        if key in _BY_NAME:
            held = [(value, each, name if key == "patternProperties" else each) for each in value]
        elif key in _IN_LISTS:
            held = [(value, number, name) for number in range(len(value))]
        elif key in _ALONE:
            held = [(schema, key, name)]
        for holder, place, called in held:
            if isinstance(holder[place], dict):
                yield holder, place, called
                yield from _parts(holder[place], called)


def _text(part: Any) -> str:
    return json.dumps(part, ensure_ascii=False)


def text() -> str:
    """The schema, as the file has it: a line for each definition."""
    whole = schema()
    definitions = ",\n".join(f"  {_text(name)}: {_text(part)}" for name, part in whole.pop("$defs").items())
    members = ",\n".join(f" {_text(name)}: {_text(part)}" for name, part in whole.items())
    return f'{{\n{members},\n "$defs": {{\n{definitions}\n }}\n}}\n'


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
