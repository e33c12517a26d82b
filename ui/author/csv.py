"""Puts the records of a CSV file into a draft: after its last record, or in place of all its records."""

from typing import Any

from simulator.scenario.editing import Path, ScenarioText, insert, set_list
from simulator.values.items import End
from ui.author.draft import Draft

STREAM: Path = ("stream",)


def with_records(draft: Draft, records: list[dict[str, Any]], *, replace: bool) -> ScenarioText:
    """The text with ``records`` in its stream. Raises ``EditError`` if the whole file is written in braces."""
    assert draft.scenario is not None
    assert draft.read is not None
    if not records:
        return draft.read
    if replace or not draft.read.length(STREAM):
        return set_list(draft.read, "stream", records)
    assert isinstance(draft.scenario.stream, tuple)
    items = draft.scenario.stream
    at = next((number for number, item in enumerate(items) if isinstance(item, End)), len(items))
    return insert(draft.read, STREAM, at, *records)
