"""What the search of the library understands besides the words on its cards: ``search.toml``, and complaints."""

import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from tidemark.simulator.teaching.topics import TOPICS
from tidemark.ui.library.symptoms.symptoms import symptoms

FILE: Final = Path(__file__).parent / "search.toml"


class Phrases(NamedTuple):
    """``says``: what people type, in any language. ``scenarios``: first these, in this order, then those that teach one
    of ``tags``. ``symptom``: the id of the complaint that these phrases express, "" for none."""

    says: tuple[str, ...]
    scenarios: tuple[str, ...]
    tags: tuple[str, ...] = ()
    symptom: str = ""


@cache
def known() -> tuple[Phrases, ...]:
    """The phrases of the file, then those of the complaints."""
    tags_of = {topic.name: sorted(topic.tags) for topic in TOPICS}
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["phrases"]
    of_file = [
        Phrases(
            tuple(each["says"]),
            tuple(each.get("scenarios", ())),
            tuple(each.get("tags", ())) + tuple(tag for topic in each.get("topics", ()) for tag in tags_of[topic]),
        )
        for each in tables
    ]
    complaints = [
        Phrases((*each.complaint.values(), *each.says), (each.scenario, *each.more), symptom=each.id)
        for each in symptoms()
    ]
    return (*of_file, *complaints)


def terms() -> tuple[tuple[str, ...], ...]:
    """Words that mean the same, as the file has them."""
    return tuple(each.says for each in known() if not each.symptom)


def phrases(cards: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """{says, names, symptom} of everything that people may type; ``names``: which of ``cards`` answer it, in order."""
    return [{"says": list(each.says), "names": list(_names(each, cards)), "symptom": each.symptom} for each in known()]


def _names(asked: Phrases, cards: Sequence[dict[str, Any]]) -> Iterable[str]:
    there = {card["name"] for card in cards}
    taught = (card["name"] for tag in asked.tags for card in cards if tag in card["teaches"])
    return dict.fromkeys(name for name in (*asked.scenarios, *taught) if name in there)
