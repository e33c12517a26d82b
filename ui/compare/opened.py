"""What an address opens on either side, and what a reader hands in: a file, or a link."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.compare.choice import OWN, SIDES, Choice, ChoiceError
from tidemark.ui.share import own
from tidemark.ui.share.links import LinkError

MOST_CALLED: Final = 120
"""The most characters of a file's name."""


def side_a(choice: Choice) -> Entry:
    """The scenario of side A, of the library or the reader's own.

    Raises ``ChoiceError``, ``LinkError`` or ``ScenarioError``.
    """
    return _of_own(choice.own) if choice.own else of_library(choice.scenario)


def side_b(choice: Choice, left: Entry) -> Entry:
    """The scenario of side B: ``left``, that of side A, where ``choice`` names no other. Raises as ``side_a`` does."""
    if choice.other_own:
        return _of_own(choice.other_own)
    return of_library(choice.other) if choice.other else left


def of_library(name: str) -> Entry:
    """The scenario called ``name``. Raises ``ChoiceError`` if there is none, or if it cannot be compared."""
    entry = find(name)
    if entry is None:
        raise ChoiceError("scenario", name)
    return _comparable(entry)


@dataclass(frozen=True)
class Given:
    """What a reader hands in for ``side``: the ``address`` that then compares it, or the ``problem`` with it."""

    side: str
    address: dict[str, str]
    problem: str = ""


def given(message: Any) -> Given | None:
    """What {side, rest, name, text} (a file) or {side, rest, link: [kind, value]} opens; None for any other message.

    ``rest`` is the address of the comparison without that side.
    """
    if not isinstance(message, Mapping) or message.get("side") not in SIDES or not _is_texts(message.get("rest")):
        return None
    side, rest = message["side"], dict(message["rest"])
    try:
        kind, value = _opened(message)
    except ChoiceError as error:
        return Given(side, rest, words(f"compare.refused.{error.what}", text=error.text))
    except (LinkError, ScenarioError) as error:
        return Given(side, rest, str(error))
    if side == "a":
        return Given(side, {kind: value, **rest})
    return Given(side, {**rest, "with" if kind == "scenario" else f"with.{kind}": value})


def _opened(message: Mapping[str, Any]) -> tuple[str, str]:
    """The part of an address that opens as side A what is handed in."""
    if isinstance(message.get("name"), str) and isinstance(message.get("text"), str):
        opened = own.of_file(message["name"][:MOST_CALLED], message["text"])
        _comparable(opened.entry)
        return opened.address
    match message.get("link"):
        case ["scenario", str(name)]:
            of_library(name)
            return "scenario", name
        case [str(kind), str(value)] if kind in OWN:
            _of_own((kind, value))
            return kind, value
        case _:
            raise LinkError(words("share.link.garbled"))


def _of_own(named: tuple[str, str]) -> Entry:
    kind, value = named
    return _comparable((own.of_link(value) if kind == "s" else own.of_shelf(value)).entry)


def _comparable(entry: Entry) -> Entry:
    if entry.scenario is not None and entry.scenario.engine != "flink":
        raise ChoiceError("dialect", entry.title)
    return entry


def _is_texts(address: Any) -> bool:
    return isinstance(address, Mapping) and all(isinstance(each, str) for each in (*address, *address.values()))
