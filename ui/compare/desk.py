"""The comparison that an address of the page Compare names, packed; nothing here knows who shows it."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import call
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import CHANGES, NEWEST, VERSIONS
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.runs import RESULTS, content, run_of
from tidemark.simulator.explore.settings import LATENESS, settings_of, values_of
from tidemark.simulator.explore.upgrades import upgrades
from tidemark.simulator.limits import COMPARED_ITEMS, SCENARIO_BYTES
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH, NoTwin, twin_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.versions import differing_names
from tidemark.simulator.words import current_language, words
from tidemark.ui.author.store import original_of
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.catalogue.walkable import done_for, is_long, shortened
from tidemark.ui.compare.choice import OWN, SIDES, Choice, ChoiceError, configured, names_side_b, readable, with_known
from tidemark.ui.compare.contents import NotSaid, choices, contents
from tidemark.ui.payload.packing import MOST_BYTES, pack
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.orders import heavily
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError

from tidemark import simulator

# What an address opens on either side, and what a reader hands in: a file, or a link.

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


def given(question: Any) -> Given | None:
    """What {side, rest, name, text} (a file) or {side, rest, link: [kind, value]} opens; None for any other question.

    ``rest`` is the address of the comparison without that side.
    """
    if not isinstance(question, Mapping) or question.get("side") not in SIDES or not _is_texts(question.get("rest")):
        return None
    side, rest = question["side"], dict(question["rest"])
    try:
        kind, value = _opened(question)
    except ChoiceError as error:
        return Given(side, rest, error.message)
    except (LinkError, ScenarioError) as error:
        return Given(side, rest, str(error))
    if side == "a":
        return Given(side, {kind: value, **rest})
    return Given(side, {**rest, "with" if kind == "scenario" else f"with.{kind}": value})


def _opened(question: Mapping[str, Any]) -> tuple[str, str]:
    """The part of an address that opens as side A what is handed in."""
    if isinstance(question.get("name"), str) and isinstance(question.get("text"), str):
        opened = links.of_file(question["name"][:MOST_CALLED], question["text"])
        _comparable(opened.entry)
        return opened.address
    match question.get("link"):
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
    return _comparable((links.of_link(value) if kind == "s" else links.of_shelf(value)).entry)


def _comparable(entry: Entry) -> Entry:
    if entry.scenario is not None and entry.scenario.engine != "flink":
        raise ChoiceError("dialect", entry.title)
    return entry


def _is_texts(address: Any) -> bool:
    return isinstance(address, Mapping) and all(isinstance(each, str) for each in (*address, *address.values()))


# What side B is if an address names side A alone: the first change that makes a difference to the results.

MOST_ITEMS: Final = 2_000
"""A longer run is not tried with other numbers; its first number is set to its first value."""

Results = list[tuple[str, int]]


KINDS: Final = ("original", "settings", "spark", "belief", "version", "scenario")
"""What side B can be, in the order in which it is tried; ``against=KIND`` in an address has one tried first.

A scenario by the rules of an older version is first of all compared with the newest one.
"""


def telling(
    choice: Choice,
    scenario: Scenario,
    original: Scenario | None = None,
    neighbour: str | None = None,
    against: str = "",
) -> Choice:
    """``choice`` with a side B that differs from ``scenario``, side A with its settings.

    ``original``: what side A is a copy of; ``neighbour``: the name of another scenario; ``against``: one of ``KINDS``
    to try first.
    """
    is_long = sum(1 for _ in items(scenario)) > MOST_ITEMS
    own = [] if is_long else _results(scenario)

    def differs(other: Scenario) -> bool:
        return is_long or _results(other) != own

    first = against or ("version" if scenario.flink != NEWEST else "")
    for kind in sorted(KINDS, key=lambda kind: kind != first):
        with suppress(ScenarioError):
            match kind:
                case "original" if original is not None and differs(original):
                    return replace(choice, other=original.name)
                case "settings":
                    for values in _changes(scenario):
                        if differs(configured(scenario, values)):
                            return replace(choice, settings={**choice.settings, "b": _all(choice, values)})
                case "spark" if _has_twin(scenario):
                    return replace(choice, spark=RECORDS_A_BATCH)
                case "belief" if belief := _believed(scenario):
                    return replace(choice, belief=belief)
                case "version" if version := _version(scenario, asked=against == kind):
                    return replace(choice, flink=version)
                case "scenario" if neighbour is not None:
                    return replace(choice, other=neighbour)
    return choice


def _all(choice: Choice, values: dict[str, int]) -> dict[str, int]:
    """Side B has the numbers of side A, apart from ``values``."""
    return {**choice.settings.get("a", {}), **values}


def _changes(scenario: Scenario) -> Iterator[dict[str, int]]:
    """Single numbers, set to the least and to the largest value worth trying; a lateness that is not 0 comes first."""
    found = settings_of(scenario)
    if LATENESS in found and LATENESS.read(scenario):
        found = [LATENESS, *(each for each in found if each is not LATENESS)]
    for setting in found:
        values = values_of(scenario, setting)
        for value in (values[0], values[-1]):
            if value != setting.read(scenario):
                yield {setting.name: value}


def _results(scenario: Scenario) -> Results:
    """Every result with the time of the clock (ms) at which it came."""
    found: Results = []

    def keep(row: Any) -> None:
        if row["row"] in RESULTS:
            found.append((content(row), row["at"]))

    simulator.run(scenario, keep)
    return found


def _has_twin(scenario: Scenario) -> bool:
    try:
        twin_of(scenario, size=RECORDS_A_BATCH)
    except NoTwin:
        return False
    return True


def _version(scenario: Scenario, *, asked: bool) -> str | None:
    """The newest other version in which results are others. Without one: the one furthest away, if a reader ``asked``
    for a version."""
    others = [each for each in reversed(VERSIONS) if each != scenario.flink]
    for version in others:
        if any(each.rows for each in upgrades(scenario, version)):
            return version
    return (others[0] if scenario.flink != NEWEST else others[-1]) if asked else None


def _believed(scenario: Scenario) -> str | None:
    """The first belief that these records refute."""
    truth = run_of(scenario)
    for belief in BELIEFS:
        found = tour(truth, belief)
        if found is not None and found.compared.parting is not None:
            return belief.name
    return None


OPENS_WITH: Final = Choice(
    "late-but-allowed",
    settings={"a": {"bound": 0, "allowed-lateness": 5000}, "b": {"bound": 5000, "allowed-lateness": 0}},
)
"""What a visitor without a link sees: an early result with a correction, and a late one with the same value."""

MOST_ASKED: Final = 80
"""The most characters of a name that the browser sends."""

SEARCHES: Final = ("sweep", "smallest", "fewest", "fires", "stream")
"""What a reader can ask for beside the comparison."""

LONG_SEARCHES: Final = ("smallest", "stream")
"""Those that may take long: of another comparison they are searched only if the reader asks again."""

Chart = Callable[[], Any]
"""Returns the chart of a sweep, which is asked for only where one is shown."""


class NothingToCompare(Exception):
    """The address names no comparison; the message says why."""


def chosen(question: Mapping[str, Any]) -> dict[str, str] | None:
    """The address that a question {what: address, address} asks for; None for any other question."""
    address = question.get("address")
    if question.get("what") != "address" or not isinstance(address, Mapping) or not _is_texts(address):
        return None
    return dict(address)


def searched(wanted: Mapping[str, Any]) -> dict[str, str]:
    """The search that a question {what, …} asks for, by its name; {} for any other question."""
    if wanted.get("what") not in SEARCHES:
        return {}
    text = str(wanted.get("setting") or wanted.get("shows") or wanted.get("window") or "")[:MOST_ASKED]
    return {str(wanted["what"]): text}


def compared(
    query: Mapping[str, str], entries: Sequence[Entry], asked: Mapping[str, str], handed: Given | None, chart: Chart
) -> bytes:
    """The packed comparison of the address ``query``.

    ``asked``: the searches that the reader wants; ``handed``: what the reader has handed in in vain. What makes no
    sense in the address is left out, and the page says so. Raises ``NothingToCompare``.
    """
    names = [each["name"] for each in choices(entries)]
    try:
        choice, wrong = _choice(query, names)
        left = side_a(choice)
        right = side_b(choice, left)
        assert left.scenario is not None
        assert right.scenario is not None
        choice, unknown = with_known(choice, {"a": left.scenario, "b": right.scenario})
        if choice != OPENS_WITH and not names_side_b(query):
            choice = _with_side_b(choice, left, names, query.get("against", "")[:MOST_ASKED])
            right = side_b(choice, left)
        refused = [error.message for error in (*wrong, *unknown)]
        return _told(choice, left, right, entries, asked, refused, handed, chart)
    except ChoiceError as error:
        raise NothingToCompare(error.message) from None
    except (LinkError, ScenarioError) as error:
        raise NothingToCompare(str(error)) from None


@keeping(40, weigh=len, most_weight=MOST_BYTES)
def _compared(
    _choice: Choice, _left: Entry, _right: Entry, _asked: Mapping[str, str], _entries: Sequence[Entry],
    _refused: list[str], _handed: Given | None, _chart: Chart, key: str,
) -> bytes:  # fmt: skip
    """The packed comparison. ``key`` identifies what is compared, the state of the files and the language;
    ``_refused``: what the address asks for in vain."""
    assert _left.scenario is not None
    assert _right.scenario is not None
    both = (_left.scenario, _right.scenario)
    # A search makes many runs, however short each is.
    do = heavily if _asked or any(map(is_long, both)) else call
    shown = do(contents, _choice, *both, dict(_asked))
    if shown["sweep"]:
        shown["sweep"]["spec"] = _chart()
    if shown["versions"]:
        for rule in shown["versions"]["rules"]:
            rule["shown_by"] = _shown_by(rule["rule"], _entries, other_than=_left.name)
    return pack({
        **shown,
        "scenarios": choices(_entries),
        "refused": _refused,
        "other_title": _right.title,
        "handed": {"side": _handed.side, "problem": _handed.problem} if _handed else None,
        "most_bytes": SCENARIO_BYTES,
    })  # fmt: skip


def _shown_by(rule: str, entries: Sequence[Entry], other_than: str) -> dict[str, str] | None:
    """{name, title} of the scenario of the last version before this rule that shows it."""
    before = VERSIONS[VERSIONS.index(CHANGES[rule].since) - 1]
    for each in entries:
        scenario = each.scenario
        if scenario and scenario.flink == before and each.name != other_than and rule in differing_names(scenario):
            return {"name": each.name, "title": each.title}
    return None


@keeping(200)
def _telling(
    _choice: Choice, _scenario: Scenario, _original: Scenario | None, _neighbour: str | None, against: str, key: str
) -> Choice:
    """``key`` identifies the choice and the state of the files."""
    return done_for(_scenario, _told_best, _choice, _scenario, _original, _neighbour, against)


def _told_best(
    choice: Choice, scenario: Scenario, original: Scenario | None, neighbour: str | None, against: str
) -> Choice:
    return telling(choice, shortened(scenario), original, neighbour, against)


def _with_side_b(choice: Choice, left: Entry, names: list[str], against: str) -> Choice:
    """The choice with a side B that differs, where the address says no more than what kind it is."""
    assert left.scenario is not None
    name = original_of(left.scenario.name, names) if choice.own else None
    original = find(name) if name else None
    neighbour = next((each for each in (*names[_place(left.name, names) + 1 :], *names) if each != left.name), None)
    key = json.dumps([choice.address(), left.stamp, original and original.stamp, neighbour])
    scenario = configured(left.scenario, choice.settings.get("a", {}))
    return _telling(choice, scenario, original.scenario if original else None, neighbour, against, key)


def _place(name: str, names: list[str]) -> int:
    return names.index(name) if name in names else -1


def _choice(query: Mapping[str, str], names: list[str]) -> tuple[Choice, list[ChoiceError]]:
    """What the address says, and what makes no sense in it; ``OPENS_WITH`` if it says nothing and the library has that
    scenario with its settings."""
    choice, wrong = readable(query, OPENS_WITH.scenario if OPENS_WITH.scenario in names else next(iter(names), ""))
    if "scenario" in query or choice != Choice(OPENS_WITH.scenario):
        return choice, wrong
    scenario = of_library(OPENS_WITH.scenario).scenario
    assert scenario is not None
    has = {each.name for each in settings_of(scenario)}
    return OPENS_WITH if all(has.issuperset(values) for values in OPENS_WITH.settings.values()) else choice, wrong


def _told(
    choice: Choice, left: Entry, right: Entry, entries: Sequence[Entry], asked: Mapping[str, str],
    refused: list[str], handed: Given | None, chart: Chart,
) -> bytes:  # fmt: skip
    """The packed comparison. If the belief or Spark does not apply, it is left out, and the page says so."""
    names = [each["name"] for each in choices(entries)]
    key = json.dumps(
        [choice.address(), left.stamp, right.stamp, dict(asked), names, refused, str(handed), current_language()]
    )
    try:
        return _compared(choice, left, right, asked, entries, refused, handed, chart, key)
    except NotSaid as error:
        claim = words(f"beliefs.{error}.claim")
        refused = [*refused, words("compare.refused.not_said", claim=claim)]
        return _told(replace(choice, belief=None), left, right, entries, asked, refused, handed, chart)
    except NoTwin as error:
        reasons = words("app.semicolon").join(
            words(f"side_by_side.no_twin.{name}", limit=f"{COMPARED_ITEMS:,}") for name in error.names
        )
        refused = [*refused, words("compare.refused.no_twin", text=reasons)]
        return _told(replace(choice, spark=None), left, right, entries, asked, refused, handed, chart)
