"""The comparison that an address of the page Compare names, packed; nothing here knows who shows it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import call
from typing import Any, Final

from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.limits import COMPARED_ITEMS, SCENARIO_BYTES
from tidemark.simulator.proof.spark_twin import NoTwin
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import current_language, words
from tidemark.ui.author.names import original_of
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.compare.choice import Choice, ChoiceError, configured, names_side_b, readable, with_known
from tidemark.ui.compare.contents import NotSaid, choices, contents
from tidemark.ui.compare.opened import Given, of_library, side_a, side_b
from tidemark.ui.compare.telling import telling
from tidemark.ui.heavy.order import heavily
from tidemark.ui.keeping import keeping
from tidemark.ui.payload.packing import MOST_BYTES, pack
from tidemark.ui.share.links import LinkError
from tidemark.ui.walkable import done_for, is_long, shortened

OPENS_WITH: Final = Choice(
    "late-but-allowed",
    settings={"a": {"bound": 0, "allowed-lateness": 5000}, "b": {"bound": 5000, "allowed-lateness": 0}},
)
"""What a visitor without a link sees: an early result with a correction, and a late one with the same value."""

MOST_ASKED: Final = 80
"""The most characters of a name that the browser sends."""

SEARCHES: Final = ("sweep", "smallest", "fewest", "fires")
"""What a reader can ask for beside the comparison."""

Chart = Callable[[], Any]
"""Returns the chart of a sweep, which is asked for only where one is shown."""


class NothingToCompare(Exception):
    """The address names no comparison; the message says why."""


def searched(wanted: Any) -> dict[str, str]:
    """The search that a message {what, …} asks for, by its name; {} for any other message."""
    if not isinstance(wanted, Mapping) or wanted.get("what") not in SEARCHES:
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
        refused = [words(f"compare.refused.{error.what}", text=error.text[:MOST_ASKED]) for error in (*wrong, *unknown)]
        return _told(choice, left, right, entries, asked, refused, handed, chart)
    except ChoiceError as error:
        raise NothingToCompare(words(f"compare.refused.{error.what}", text=error.text)) from None
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
    return pack({
        **shown,
        "scenarios": choices(_entries),
        "refused": _refused,
        "other_title": _right.title,
        "handed": {"side": _handed.side, "problem": _handed.problem} if _handed else None,
        "most_bytes": SCENARIO_BYTES,
    })  # fmt: skip


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
