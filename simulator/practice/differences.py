"""Make them differ: place records so that two settings give different results, as few records as possible."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.differ.search import Bounds, Search
from tidemark.simulator.explore.differ.sides import sides_of
from tidemark.simulator.explore.differ.streams import space_of
from tidemark.simulator.inventory.choices import settings_of
from tidemark.simulator.inventory.items import Item, Spot
from tidemark.simulator.practice.exercise import FORM, UNIT, AnswerError, Chance, Draw, Run, Verdict, drawn
from tidemark.simulator.practice.faults import BELIEF_OF, OBVIOUS, first_apart, signature, with_wrong_setting
from tidemark.simulator.practice.wrong_answers import record_text, results, scenario_of, truth_of
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words

NAME: Final = "differ"

MOST: Final = 8
"""The most records that can be placed."""

LATEST: Final = 999
"""The latest event time (s) of a record."""

EASY: Final = OBVIOUS | {"one_channel"}
"""Settings that any record tells apart, or that leave no channel to choose."""

BOUNDS: Final = Bounds(records=1, random=100, seconds=float("inf"))
"""No clock ends the search, so that a seed has the same solution on every machine."""

MEMBERS: Final = 3
"""The numbers of a record in an answer: event time (s), key and channel."""


@dataclass(frozen=True, slots=True)
class Task:
    """``other``: the scenario with the other setting. ``solution``: the fewest records found on which both differ."""

    other: Item
    solution: tuple[Spot, ...]


def make(chance: Chance, level: int, wanted: str) -> Draw | None:
    """See ``Kind``."""
    item = drawn(chance, level, NAME)
    item = replace(item, idle=0, records=tuple(replace(each, at=None) for each in item.records))
    others = with_wrong_setting(item)
    names = [name for name in others if name not in EASY and (not wanted or BELIEF_OF.get(name) == wanted)]
    if not names:
        return None
    name = chance.of(names)
    solution = _fewest(item, others[name])
    if solution is None:
        return None
    beliefs = (BELIEF_OF[name],) if name in BELIEF_OF else ()
    return Draw(item, truth_of(item), beliefs, Task(others[name], solution))


def _fewest(item: Item, other: Item) -> tuple[Spot, ...] | None:
    look = item.forms[FORM]
    both = scenario_of(item), scenario_of(other)
    sides = sides_of(*both)
    space = space_of(*both)
    space = replace(
        space,
        times=tuple(each for each in space.times if each % UNIT == 0),
        payloads=(tuple((key, number) for number in range(1, MOST + 1) for key in look.keys),),
        clock=(),
        controls=False,
    )
    search = Search(sides[0].rows, sides[1].rows, space, BOUNDS)
    found = search.found([tuple(items(each)) for each in both])
    records = [each for each in found or () if isinstance(each, Record)]
    times = [(each.ts or 0) // UNIT for each in records]
    if not records or len(records) > MOST or any(not 0 <= each <= LATEST for each in times):
        return None
    return tuple(
        Spot(time - look.start, None, look.keys.index(str(each.key)), each.channel)
        for time, each in zip(times, records, strict=True)
    )


def question_of(draw: Draw) -> Mapping[str, Any]:
    """See ``Kind``; ``stream``: what records can be placed."""
    sides = [settings_of(each, FORM) for each in (draw.item, draw.task.other)]
    common = [each for each in sides[0] if each in sides[1]]
    told = [
        words("practice.differ.side", side=label, setting=each)
        for label, side in zip("AB", sides, strict=True)
        for each in side
        if each not in common
    ]
    missing = [words("practice.differ.side", side=label, setting=words("practice.fault.no_lateness"))
               for label, each, side in zip("AB", (draw.item, draw.task.other), sides, strict=True)
               if not each.lateness and max(draw.item.lateness, draw.task.other.lateness)]  # fmt: skip
    keys = draw.item.forms[FORM].keys
    return {
        "ask": words("practice.differ.ask"),
        "settings": [*common, words("practice.settings.collect"), *told, *missing],
        "stream": {
            "most": MOST, "latest": LATEST, "keys": list(keys), "channels": draw.item.channels,
            "rule": words("practice.differ.no_records", most=MOST, latest=LATEST),
        },
    }  # fmt: skip


def grade(draw: Draw, answer: Any) -> Verdict:
    """See ``Kind``: an answer is {event time (s), number of the key, channel} of each record, one after the other."""
    spots = _placed(draw.item, answer)
    item, other = (replace(each, records=spots) for each in (draw.item, draw.task.other))
    mine = replace(draw, item=item, truth=truth_of(item))
    one, two = signature(item, results(mine.truth)), signature(other, results(truth_of(other)))
    run = Run(item, other=other)
    fewest = len(draw.task.solution)
    if one == two:
        return Verdict(False, None, (words("practice.differ.same"), _solution(draw)), run)
    said = tuple(
        words("practice.differ.side", side=label, setting=first_apart(mine, own, others))
        for label, own, others in (("A", one, two), ("B", two, one))
    )
    praise = words("practice.differ.fewest") if len(spots) <= fewest else _solution(draw)
    return Verdict(True, None, (*said, praise), run)


def _placed(item: Item, answer: Any) -> tuple[Spot, ...]:
    """The records of an answer. Raises ``AnswerError``."""
    look = item.forms[FORM]
    whole = isinstance(answer, list) and all(type(each) is int for each in answer) and len(answer) % MEMBERS == 0
    records = [answer[place : place + MEMBERS] for place in range(0, len(answer), MEMBERS)] if whole else []
    fits = all(
        0 <= ts <= LATEST and 0 <= key < len(look.keys) and 0 <= channel < item.channels for ts, key, channel in records
    )
    if not fits or not 1 <= len(records) <= MOST:
        raise AnswerError(words("practice.differ.no_records", most=MOST, latest=LATEST))
    return tuple(Spot(ts - look.start, None, key, channel) for ts, key, channel in records)


def _solution(draw: Draw) -> str:
    records = words("app.semicolon").join(record_text(draw.item, spot) for spot in draw.task.solution)
    return words("practice.differ.solution", count=len(draw.task.solution), records=records)
