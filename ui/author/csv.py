"""Records of a CSV file put into a draft: behind its last record, or in the place of all its records."""

from typing import Any

from simulator.scenario.editing import insert
from simulator.scenario.editing.places import Path, Places
from simulator.scenario.editing.written import written
from simulator.scenario.reading.nodes import SequenceNode
from simulator.values.items import End
from ui.author.draft import Draft
from ui.author.lists import with_lines

STREAM: Path = ("stream",)


def with_records(draft: Draft, records: list[dict[str, Any]], *, replace: bool) -> str:
    """The text with ``records`` in its stream. Raises ``EditError`` where the file is within braces."""
    assert draft.scenario is not None
    if not records:
        return draft.text
    node = Places(draft.text).find(STREAM)
    if replace or not isinstance(node, SequenceNode) or not node.items:
        return with_lines(draft.text, "stream", [written(each) for each in records])
    assert isinstance(draft.scenario.stream, tuple)
    items = draft.scenario.stream
    at = next((number for number, item in enumerate(items) if isinstance(item, End)), len(items))
    text = draft.text
    for number, record in enumerate(records):
        text = insert(text, STREAM, at + number, record)
    return text
