"""The JSON Schema of scenario files, derived from the tables that read them, for completion and checks in editors.

``python -m simulator.scenario.schema`` writes ``scenarios/schema.json``.
"""

import json
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.engine.values.duration import DURATION, INSTANT
from tidemark.simulator.scenario.format.document import OPERATOR, SCENARIO
from tidemark.simulator.scenario.format.operators import FLINK_OPERATOR, TRIGGER
from tidemark.simulator.words import words

FILE: Final = Path(__file__).resolve().parents[2] / "scenarios" / "schema.json"


def schema() -> dict[str, Any]:
    """The schema of a whole file, draft 2020-12. ``python -m simulator check`` checks what no schema can say."""
    assert TRIGGER.kind is not None
    duration = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^(?:{DURATION.pattern})$"}]}
    instant = {"type": "string", "pattern": f"^(?:{INSTANT.pattern})$"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": words("format.title"),
        **SCENARIO.schema(),
        "$defs": {
            "duration": duration,
            "timestamp": {"anyOf": [{"$ref": "#/$defs/duration"}, instant]},
            TRIGGER.name: TRIGGER.kind.schema(),
            OPERATOR: FLINK_OPERATOR.schema_within(("from",)),
        },
    }


def text() -> str:
    """The schema, as the file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
