"""A scenario's text inside a link: compressed, in characters that an address may hold, and opened with care.

A token is one letter for the notation (``y`` YAML, ``j`` JSON, ``q`` YAML of a student edition), then raw DEFLATE of
the UTF-8 text in base64url without padding. Incoming tokens are not trusted: one that is too long, malformed, or larger
than a scenario file when decompressed is refused before it takes memory.
"""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import LINK_CHARACTERS, SCENARIO_BYTES
from tidemark.simulator.scenario.model import Beat, Choice, Scenario
from tidemark.simulator.scenario.model import Text as Words
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.words import current_language, words
from tidemark.ui.catalogue import Entry
from tidemark.ui.catalogue.walkable import done_for, obstacle, shortened
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.roles import who
from tidemark.ui.share import links

_SPELLED = re.compile(r"[yjq][A-Za-z0-9_-]+")
_SHOWN: Final = re.compile(
    r"^(?:shown|goals|walkthrough|look_for|takeaway):[^\n]*\n(?:[ \t#-][^\n]*\n|\n)*", re.MULTILINE
)
"""Of a file with several operators what is about the one that is shown."""
_WINDOW: Final = -15  # raw DEFLATE, without a header


class Text(NamedTuple):
    """The text of a scenario, whether it is JSON, and whether it is a student edition (``student.py``)."""

    text: str
    json: bool
    student: bool = False


class LinkError(Exception):
    """A link cannot be opened; the message says why."""


def token_of(text: str, *, json: bool, student: bool = False) -> str:
    """The token of a scenario's text, of any length; ``fits`` says whether a link may carry it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _WINDOW)
    packed = packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()
    return ("q" if student else "j" if json else "y") + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def fits(token: str) -> bool:
    """Whether a link may carry the token."""
    return len(token) <= LINK_CHARACTERS


def text_of(token: str) -> Text:
    """The text that a token carries. Raises ``LinkError`` for a token that is too long or malformed."""
    if not fits(token):
        raise LinkError(words("share.link.too_long", characters=f"{len(token):,}", most=f"{LINK_CHARACTERS:,}"))
    if not _SPELLED.fullmatch(token):
        raise LinkError(words("share.link.garbled"))
    try:
        packed = base64.urlsafe_b64decode(token[1:] + "=" * (-(len(token) - 1) % 4))
        opener = zlib.decompressobj(_WINDOW)
        opened = opener.decompress(packed, SCENARIO_BYTES + 1)
        if len(opened) > SCENARIO_BYTES:
            raise LinkError(words("share.link.too_large", most=f"{SCENARIO_BYTES // 1024}"))
        if not opener.eof or opener.unused_data:
            raise LinkError(words("share.link.garbled"))
        return Text(opened.decode("utf-8", "surrogatepass"), token[0] == "j", token[0] == "q")
    except (zlib.error, binascii.Error, UnicodeDecodeError):
        raise LinkError(words("share.link.garbled")) from None


# Scenarios that are not in the library: from a link that carries the text, or from a reader's file.
#
# A text that fits into a link is kept in the link alone. A longer one stays on a shelf of this server for a while,
# and its address names its digest.

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
    return Entry(scenario.name, path, stamp_of(_text), None if problem else scenario, problem,
                 addresses=tuple(_addresses(_text, scenario)))  # fmt: skip


def whole_of(entry: Entry) -> str:
    """The text of a file of the library; one with several operators says that the one of ``entry`` is shown."""
    text = entry.path.read_text(encoding="utf-8")
    chain = entry.scenario.chain if entry.scenario else None
    if chain is None or scenarios.parse(text, json=entry.path.suffix == ".json").name == entry.name:
        return text
    return _showing(Text(text, entry.path.suffix == ".json"), chain.shown)


def _addresses(text: Text, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Where each of several operators opens: at the same text, which says that this one is shown."""
    chain = scenario.chain
    for part in chain.parts if chain else ():
        here = chain is not None and part.name == chain.shown
        shown = text if here else text._replace(text=_showing(text, part.name))
        token = links.token_of(shown.text, json=text.json, student=text.student)
        if not links.fits(token):
            shelf().put(_digest_of(shown), shown, who())
        yield ("s", token) if links.fits(token) else ("own", _digest_of(shown))


def _showing(text: Text, operator: str) -> str:
    """The text without what is about the operator that it shows, and with another one shown."""
    if text.json or text.text.lstrip().startswith("{"):
        kept = {key: value for key, value in json.loads(text.text).items() if not _SHOWN.match(f"{key}:\n")}
        return json.dumps({**kept, "shown": operator}, ensure_ascii=False)
    return f"{_SHOWN.sub('', text.text + chr(10)).rstrip()}\nshown: {operator}\n"


# The student edition of a scenario: a text that holds neither notes nor answers, so that no copy can show them.
#
# In that text every question names its first choice as the answer, which is no answer: whoever opens it takes it
# out again (``ui/payload/packing.py``). On the Author page, where each question needs one, questions become
# statements.

_FIRST: Final = 0


def student_text(scenario: Scenario) -> Text:
    """The text of the student edition, without the comments of the file."""
    return Text(as_yaml(replace(scenario, walkthrough=tuple(map(_bare, scenario.walkthrough)))), False, student=True)


def editable(text: Text) -> Text:
    """What an author gets of ``text``; of a student edition one in which nothing is asked. Raises ``ScenarioError``."""
    if not text.student:
        return text
    scenario = scenarios.parse(text.text, "link.yaml")
    return Text(as_yaml(replace(scenario, walkthrough=tuple(map(_stated, scenario.walkthrough)))), False)


def _bare(beat: Beat) -> Beat:
    beat = replace(beat, note=None, because=None)
    if beat.ask is None:
        return beat
    return replace(beat, choices=tuple(Choice(each.text) for each in beat.choices), answer=_FIRST)


def _stated(beat: Beat) -> Beat:
    if beat.ask is None:
        return beat
    parts = [beat.ask, *(each.text for each in beat.choices)]
    return Beat(beat.at, say={language: _listed(parts, language) for language in beat.ask})


def _listed(parts: Sequence[Words], language: str) -> str:
    ask, *choices = (part.get(language, part["en"]) for part in parts)
    return " ".join([ask, *(f"({number}) {text}" for number, text in enumerate(choices, 1))])
