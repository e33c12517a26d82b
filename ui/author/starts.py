"""What the Author page begins with: the scenario that its address names, as text."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.author import store
from tidemark.ui.author.desk import as_lines, forked
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.share import links
from tidemark.ui.share import links as own
from tidemark.ui.share.links import LinkError, Text, editable


def start_of(query: Mapping[str, str]) -> dict[str, Any] | None:
    """{origin, text} of what the address names, with the ``problem`` if it cannot be opened; None if it names nothing.

    ``file`` is {name, digest} of a file that can be saved over; ``fresh``: the address asks for a new scenario.
    """
    try:
        if "file" in query:
            text, digest = store.open_file(query["file"])
            file = {"name": query["file"], "digest": digest}
            return {"origin": f"file:{query['file']}", "text": text, "file": file}
        if "scenario" in query:
            return {"origin": f"scenario:{query['scenario']}", "text": forked(query["scenario"])}
        if "s" in query:
            return {"origin": f"s:{query['s']}", "text": _text(links.text_of(query["s"]))}
        if "own" in query:
            return {"origin": f"own:{query['own']}", "text": _text(own.shelf().find(query["own"]))}
    except (EditRefused, LinkError, ScenarioError, store.StoreError) as error:
        return {"origin": "", "text": None, "problem": str(error)}
    return {"origin": "", "text": None, "fresh": True} if "new" in query else None


def _text(text: Text | None) -> str:
    if text is None:
        raise LinkError(words("share.link.gone"))
    text = editable(text)
    return as_lines(text.text, "draft.json" if text.json else "draft.yaml")
