"""The smallest stream on which two scenarios differ, as the pages Compare and Author show it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.differ.beliefs import goes_wrong
from tidemark.simulator.explore.differ.report import texts_of
from tidemark.simulator.explore.differ.search import Answer, Bounds, differ
from tidemark.simulator.limits import STREAM_SEARCH_S
from tidemark.simulator.scenario.model import Scenario, Text
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import current_language, words
from tidemark.ui.share.links import fits, token_of

Row = dict[str, Any]

BOUNDS: Final = Bounds(seconds=STREAM_SEARCH_S)


def mistake(scenario: Scenario, belief: str) -> Row:
    """The smallest stream on which the belief of that name goes wrong, as ``difference`` has one of two scenarios."""
    wrong = next(each for each in BELIEFS if each.name == belief)
    return _shown(lambda: goes_wrong(replace(scenario, chain=None), wrong, BOUNDS), (scenario,), {"belief": belief})


def difference(left: Scenario, right: Scenario, other: Mapping[str, str] | None = None) -> Row:
    """``texts_of`` the answer, and the ``address`` of Compare that shows both over the stream, None if it is too long.

    Without another setting nothing is searched. Of a chain the operator that is shown is compared. ``other``: what an
    address says of side B, if it is not a scenario. Without streams that fit both there is only the ``problem``.
    """
    if _settings(left) == _settings(right):
        return {"tried": [words("differ.same")]}
    if other is None and _settings(replace(right, flink=left.flink)) == _settings(left):
        other = {"flink": right.flink}
    one, two = (replace(each, chain=None) for each in (left, right))
    return _shown(lambda: differ(one, two, BOUNDS), (left, right), other)


def _settings(scenario: Scenario) -> str:
    """Everything but the stream and the texts; it tells 1 from 1.0."""
    return repr((scenario.engine, scenario.flink, scenario.inputs, scenario.operator, scenario.origin))


def _shown(search: Callable[[], Answer], sides: Sequence[Scenario], other: Mapping[str, str] | None) -> Row:
    try:
        answer = search()
    except ScenarioError as refusal:
        return {"problem": " ".join(each.text for each in refusal.problems)}
    said: Row = texts_of(answer)
    if answer.stream is None:
        return said
    titles = [each.title or {current_language(): each.name} for each in sides]
    if len(titles) == 2 and titles[0] == titles[1] and other is None:
        titles = [_titled(each, name) for each, name in zip(titles, ("before", "after"), strict=True)]
    found = zip((answer.left, answer.right), titles, strict=False)
    tokens = [
        token_of(as_yaml(replace(each, title=_titled(title, "found"), language=next(iter(title)))), json=False)
        for each, title in found
    ]
    address = {"s": tokens[0], **({"with.s": tokens[1]} if other is None else other)}
    return {**said, "address": address if all(map(fits, tokens)) else None}


def _titled(title: Text, name: str) -> Text:
    return {language: words(f"differ.title.{name}", language=language, title=text) for language, text in title.items()}
