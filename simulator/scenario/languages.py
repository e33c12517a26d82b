"""The texts of a scenario, and the languages that they are in."""

from collections.abc import Iterator
from typing import Final

from tidemark.simulator.scenario.model import Scenario, Text

Path = tuple[str | int, ...]

TEXTS: Final = ("title", "summary", "look_for", "takeaway")
"""The texts at the top of a file."""


def texts_of(scenario: Scenario) -> Iterator[tuple[Path, Text]]:
    """Every text of the scenario with its path, in the order of a file; a choice with a reply has two."""
    for name in TEXTS:
        if (text := getattr(scenario, name)) is not None:
            yield (name,), text
    for number, beat in enumerate(scenario.walkthrough):
        path: Path = ("walkthrough", number)
        for name in ("say", "ask"):
            if (text := getattr(beat, name)) is not None:
                yield (*path, name), text
        for place, choice in enumerate(beat.choices):
            at = (*path, "choices", place)
            yield (at if choice.reply is None else (*at, "text")), choice.text
            if choice.reply is not None:
                yield (*at, "reply"), choice.reply
        for name in ("because", "note"):
            if (text := getattr(beat, name)) is not None:
                yield (*path, name), text


def languages_of(scenario: Scenario) -> list[str]:
    """The file's own language, then the others that any of its texts is in."""
    found = dict.fromkeys([scenario.language])
    for _, text in texts_of(scenario):
        found |= dict.fromkeys(text)
    return list(found)
