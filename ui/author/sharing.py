"""The address of a draft. It leaves out the beats that the draft's run contradicts; the draft itself keeps them."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.scenario.editing import EditError, ScenarioText
from tidemark.simulator.scenario.editing.beats import remove_beat
from tidemark.simulator.teaching.lint import beats_in_doubt
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.author.draft import draft_of
from tidemark.ui.share import own
from tidemark.ui.share.links import LinkError
from tidemark.ui.walkable import shortened


def address_of(command: Mapping[str, Any], text: str) -> Row:
    """{address, for, lost, carried}: what opens the draft with ``text``, and the text that it opens.

    ``lost`` are the numbers (from 0) of the beats that were left out, because the run never gets to their place or
    their texts name what its step does not have. Raises ``LinkError`` or ``ScenarioError`` for a draft that no address
    opens.
    """
    lost: list[int] = []
    try:
        opened = own.of_file(words("author.called"), text)
    except LinkError as refusal:
        text, lost = _without_doubtful_beats(text, refusal)
        opened = own.of_file(words("author.called"), text)
    return {"address": list(opened.address), "for": command.get("for", "copy"), "lost": lost, "carried": text}


def _without_doubtful_beats(text: str, refusal: LinkError) -> tuple[str, list[int]]:
    """``text`` without the beats that its run contradicts, and their numbers. Raises ``refusal`` if there are none."""
    draft = draft_of(text)
    try:
        doubtful = beats_in_doubt(shortened(draft.scenario)) if draft.scenario is not None and draft.whole else []
        rest = ScenarioText(draft.text)
        for number in reversed(doubtful):
            rest = remove_beat(rest, number)
    except (EditError, ScenarioError):
        raise refusal from None
    if not doubtful:
        raise refusal
    return rest.text, doubtful
