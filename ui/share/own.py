"""Scenarios that are not in the library: from a link that carries the text, or from a reader's file.

A text that fits into a link is kept in the link alone. A longer one stays on a shelf of this server for a while, and
its address names its digest.
"""

import hashlib
from collections import Counter, OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import current_language, words
from tidemark.ui.catalogue import Entry
from tidemark.ui.keeping import keeping
from tidemark.ui.roles import who
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError, Text
from tidemark.ui.walkable import done_for, obstacle, shortened

SHELF_BYTES: Final = 8 * 1024 * 1024
"""The capacity of the shelf. Whoever has put most there makes room, with the text that was opened longest ago."""

RECORDS_KEPT: Final = 40_000
"""Records of the scenarios that are kept once they have been read; each takes half a kilobyte."""


@dataclass(frozen=True)
class Own:
    """An opened scenario with its text. ``address``: the part of a link to it in place of ``scenario=NAME``."""

    entry: Entry
    text: Text
    address: tuple[str, str]


class Shelf:
    """Texts that are too long for a link, by digest, shared by all sessions of this server."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, tuple[Text, str]] = OrderedDict()  # digest -> (text, who put it there first)
        self._lock = Lock()

    def put(self, digest: str, text: Text, whose: str = "") -> None:
        """Keep ``text``; if there is no room, the oldest texts of the visitor who has most go."""
        with self._lock:
            _, first = self._texts.get(digest, (text, whose))
            self._texts[digest] = (text, first)
            self._texts.move_to_end(digest)
            while sum(self._taken().values()) > SHELF_BYTES:
                taken = self._taken()
                most = max(taken, key=lambda each: taken[each])
                del self._texts[next(old for old, (_, whose) in self._texts.items() if whose == most)]

    def find(self, digest: str) -> Text | None:
        """The text with this digest; None if it is no longer here."""
        with self._lock:
            if digest not in self._texts:
                return None
            self._texts.move_to_end(digest)
            return self._texts[digest][0]

    def _taken(self) -> Counter[str]:
        """The characters of each visitor."""
        taken: Counter[str] = Counter()
        for text, whose in self._texts.values():
            taken[whose] += len(text.text)
        return taken


@keeping()
def shelf() -> Shelf:
    """This server's shelf."""
    return Shelf()


def of_link(token: str) -> Own:
    """The scenario that a link carries. Raises ``LinkError`` or ``ScenarioError``."""
    return _opened(links.text_of(token), words("share.link.called"))


def of_shelf(digest: str) -> Own:
    """The scenario of an address that names a digest. Raises ``LinkError`` if it is no longer here."""
    text = shelf().find(digest)
    if text is None:
        raise LinkError(words("share.link.gone"))
    return _opened(text, words("share.link.called"))


def of_file(name: str, text: str) -> Own:
    """The scenario of a reader's file; JSON if its name ends so. Raises ``ScenarioError``."""
    return _opened(Text(text, name.lower().endswith(".json")), name)


def stamp_of(text: Text) -> str:
    """The stamp of the entry that ``text`` becomes."""
    return f"own-{_digest_of(text)}"


def _digest_of(text: Text) -> str:
    return hashlib.sha256(f"{text.json}{text.text}{'q' * text.student}".encode("utf-8", "surrogatepass")).hexdigest()[
        :24
    ]


def _opened(text: Text, called: str) -> Own:
    digest = _digest_of(text)
    entry = _entry(text, called, digest, current_language())
    if entry.scenario is None:
        raise LinkError(entry.problem)
    token = links.token_of(text.text, json=text.json, student=text.student)
    if links.fits(token):
        return Own(entry, text, ("s", token))
    shelf().put(digest, text, who())
    return Own(entry, text, ("own", digest))


def _problem_of(scenario: Scenario) -> str:
    """Why the scenario cannot be walked through; "" if it can."""
    problem = obstacle(scenario)
    if problem:
        return problem
    return "\n".join(map(str, problems_of_run(replace(shortened(scenario), goals=()))))


def _records(entry: Entry) -> int:
    """How many records of its stream an entry holds."""
    stream = None if entry.scenario is None else entry.scenario.stream
    return len(stream) if isinstance(stream, tuple) else 1


@keeping(40, weigh=_records, most_weight=RECORDS_KEPT)
def _entry(_text: Text, called: str, digest: str, language: str) -> Entry:
    """The text, read, checked and run; it never opens a file of this machine."""
    path = Path("link")
    try:
        scenario = scenarios.parse(_text.text, called, json=_text.json)
        problem = done_for(scenario, _problem_of, scenario)
    except ScenarioError as error:
        return Entry(called, path, digest, None, str(error))
    return Entry(scenario.name, path, stamp_of(_text), None if problem else scenario, problem)
