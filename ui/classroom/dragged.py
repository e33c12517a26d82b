"""A record that is dragged until it is dropped: where it would be lost is found by running the stream with it there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.limits import DRAGGED_ITEMS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.values.items import Item, Record
from tidemark.simulator.words import words
from tidemark.ui.classroom.votes import Question
from tidemark.ui.classroom.ways import Drag
from tidemark.ui.times import TimeStyle

from tidemark import simulator

MOST_PLACES: Final = 61
"""The most places that a record can be dragged to, its own included: each takes a run."""

NICE: Final = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))
"""Distances (ms) between places that people can read."""


def dragged(question: Question, run: Ran, item: int, style: TimeStyle) -> Question | None:
    """``question`` about the record ``item``, answered by moving it back in time; None if no place would lose it."""
    stream = list(items(run.scenario))[: item + 1]
    what = stream[item]
    if not isinstance(what, Record) or what.ts is None or len(stream) > DRAGGED_ITEMS:
        return None
    times = [each.ts for each in stream if isinstance(each, Record) and each.ts is not None]
    # Twice as far back as the stream reaches: a record behind everything must be among the places.
    reach = max(2 * (max(times) - min(times)), 1000)
    apart = next((each for each in NICE if reach // each < MOST_PLACES), NICE[-1])
    origin = min(MOST_PLACES - 1, -(-reach // apart))
    first = what.ts - origin * apart
    lost = tuple(_is_lost(run.scenario, stream, what, first + place * apart) for place in range(origin + 1))
    if lost[origin] or not any(lost):
        return None
    drag = Drag(first, apart, origin, lost, tuple(style.exact(first + place * apart) for place in range(origin + 1)))
    nearest = drag.places[drag.nearest]
    return Question(
        question.id,
        words("player.poll.drag.ask", key=str(what.key), ts=style.exact(what.ts)),
        (
            words("player.poll.drag.right", place=nearest),
            words("player.poll.drag.too_far"),
            words("player.poll.drag.counts"),
        ),
        0,
        words("player.poll.drag.because", place=nearest, next=drag.places[drag.nearest + 1]),
        ("", words("player.poll.drag.reply_too_far", place=nearest), words("player.poll.drag.reply_counts")),
        (),
        drag,
    )


def _is_lost(scenario: Scenario, stream: Sequence[Item], what: Record, ts: int) -> bool:
    """Whether the run loses the last record of ``stream`` with the timestamp ``ts``."""
    moved = replace(scenario, stream=(*stream[:-1], what._replace(ts=ts)), goals=(), walkthrough=())
    rows: list[Mapping[str, Any]] = list(simulator.run_rows(moved))
    return any(row["row"] in ("dropped", "late") and row["item"] == len(stream) - 1 for row in rows)
