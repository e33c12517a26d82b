"""The choices of an item: the true answer, and the answers of the three beliefs that lead elsewhere, all computed.

A belief answers an item by its own run (``simulator.explore.beliefs``); where that gives the true answer, or where the
belief cannot be run, whoever holds it answers right. An item is only good if exactly three beliefs lead to another
answer and no two of them to the same one: then each wrong choice is one belief, and nobody who holds a single belief is
without a choice. ``tests/inventory`` checks that of every item.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from tidemark.simulator.explore.answers import written
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.inventory.asked import KINDS, STATE, WATERMARK
from tidemark.simulator.inventory.items import FORMS, Item, inventory, scenario_of

KEEPS_EVERYTHING: Final = "keeps-everything"
BOUND_FORGOTTEN: Final = "bound-forgotten"

HELD: Final = (*(each.name for each in BELIEFS), BOUND_FORGOTTEN, KEEPS_EVERYTHING)
"""Every belief that the inventory asks about: the thirteen that can be run, and two that are about a number alone."""

ORDER: Final = 114
"""Shuffles the choices: with this number the right answers are spread over all places, in both forms."""

OF_WATERMARKS: Final = frozenset(("after-each-record", "fastest-channel"))
"""The beliefs whose run has the watermark that they expect. The others move the watermark only in order to get the
firings that they expect; they say nothing about its value."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to an item; ``belief``: who expects it, None for the right one."""

    value: Any
    belief: str | None


@cache
def truth_of(item: Item, form: str) -> Ran:
    """The run of an item."""
    return run_of(scenario_of(item, form))


@cache
def expected(item: Item, form: str) -> Mapping[str, Any]:
    """The answer of each belief of ``HELD`` that applies to the item, whether true or not."""
    truth = truth_of(item, form)
    if item.asks == WATERMARK:
        return _watermarks(item, form, truth)
    found = {
        belief.name: KINDS[item.asks](item, form, toured.runs)
        for belief in BELIEFS
        if (toured := tour(truth, belief)) is not None
    }
    return found | ({KEEPS_EVERYTHING: item.record} if item.asks == STATE else {})


def _watermarks(item: Item, form: str, truth: Ran) -> dict[str, Any]:
    right = KINDS[WATERMARK](item, form, (truth,))
    found = {
        belief.name: KINDS[WATERMARK](item, form, toured.runs)
        for belief in BELIEFS
        if belief.name in OF_WATERMARKS and (toured := tour(truth, belief)) is not None
    }
    # Both are about what is taken off, whenever the generator is asked and whichever channel counts.
    ahead = truth.scenario.inputs[0].watermark.ahead
    return found if right is None else found | {"no-minus-one": right + 1, BOUND_FORGOTTEN: right + ahead}


@cache
def right_answer(item: Item, form: str) -> Any:
    """What is true."""
    return KINDS[item.asks](item, form, (truth_of(item, form),))


@cache
def choices(item: Item, form: str) -> tuple[Choice, ...]:
    """The right answer and the wrong ones, in an order that reveals nothing and is always the same."""
    right = right_answer(item, form)
    wrong = [
        Choice(value, belief) for belief, value in expected(item, form).items() if written(value) != written(right)
    ]
    return tuple(sorted((Choice(right, None), *wrong), key=lambda each: _place(item, form, each)))


def _place(item: Item, form: str, choice: Choice) -> bytes:
    return sha256(f"{ORDER} {item.name} {form} {written(choice.value)}".encode()).digest()


@cache
def key_of(form: str) -> tuple[tuple[str | None, ...], ...]:
    """The belief behind each choice of each item, None for the right one."""
    return tuple(tuple(choice.belief for choice in choices(item, form)) for item in inventory())


@cache
def asked_about() -> Mapping[str, int]:
    """In how many items of a form each belief has a choice."""
    behind = [belief for row in key_of(FORMS[0]) for belief in row]
    return {belief: behind.count(belief) for belief in HELD}


def digest() -> str:
    """Changes with any choice of any item; ``edition`` of ``items.toml`` is the one of these items."""
    every = [
        [item.name, form, [[each.value, each.belief] for each in choices(item, form)]]
        for item in inventory()
        for form in FORMS
    ]
    return sha256(written(every).encode()).hexdigest()[:8]
