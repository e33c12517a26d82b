"""docs/SCENARIOS.md names every key of the format. (Its examples: tests/documents.)"""

import re
from pathlib import Path
from typing import Any

from tidemark.simulator.scenario import schema
from tidemark.simulator.words import section

TEXT = (Path(__file__).parents[2] / "docs" / "SCENARIOS.md").read_text(encoding="utf-8")


def keys_and_choices(node: Any) -> set[str]:
    """Every key of the format and every name to choose from, taken from the JSON Schema."""
    found: set[str] = set()
    if isinstance(node, dict):
        found |= set(node.get("properties", {}))
        found |= {each for each in node.get("enum", ()) if isinstance(each, str)}
        for each in node.values():
            found |= keys_and_choices(each)
    elif isinstance(node, list):
        for each in node:
            found |= keys_and_choices(each)
    return found


def test_every_key_and_choice_of_the_format_is_documented() -> None:
    events = {name for name in keys_and_choices(schema.schema()) if name[0].isupper()}  # TRACE.md documents those
    untold = {name for name in keys_and_choices(schema.schema()) - events if not re.search(rf"\b{name}\b", TEXT)}
    assert untold == set()


def test_every_key_is_described_for_editors() -> None:
    def keys(node: Any) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(keys, node))
        if not isinstance(node, dict):
            return set()
        return set(node.get("properties", {})).union(*map(keys, node.values()))

    assert keys(schema.schema()) == set(section("format.keys"))
