"""Random scenarios on every page, through the pages' own functions: none ends in an error.

`make laws` opens 300 of them. They come as a reader's do, as the text of a file: so this is also what links and files
may bring. ``test_pages.py`` opens the scenarios that the project has.
"""

import gzip
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.spark_bridge.cut.case import CutFails, Dropped, RecordOf
from tidemark.spark_bridge.cut.cut import CutRequest, cut_text
from tidemark.spark_bridge.cut.rules import Listed, Rules, StreamRecord
from tidemark.ui.author.desk import reply
from tidemark.ui.compare import contents, searches
from tidemark.ui.compare.desk import NothingToCompare, compared
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError
from tidemark.ui.spark.views import small

from tests.examples import TIMES
from tests.random_scenarios import flink, spark
from tidemark import spark_bridge

SEARCHED_STEPS = 120
"""As in ``test_pages.py``: searches of longer runs would dominate the time."""

OPENED = int(60 * TIMES)
"""How many are opened: one takes a third of a second."""

SCENARIOS = st.one_of(flink.scenarios(), flink.scenarios(), flink.scenarios(), spark.scenarios())


def unpacked(answer: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(answer)))


def opened(text: str) -> links.Own | None:
    """The scenario of a reader's file; None if the page refuses it in words: nothing happens in it."""
    try:
        return links.of_file("random.yaml", text)
    except LinkError:
        return None


def walkthrough(shown: links.Own) -> None:
    facts, steps = packed(shown.entry, shown.entry.name, shown.entry.stamp, choices_of([shown.entry]))
    assert steps > 0
    assert unpacked(facts)["name"] == shown.entry.name


def compare(shown: links.Own, **query: str) -> None:
    with suppress(NothingToCompare):  # a belief does not apply: the page says so
        compared({shown.address[0]: shown.address[1], **query}, [shown.entry], {}, None, dict)


def author(text: str) -> None:
    for what in ({}, {"hints": True}):
        assert unpacked(reply({"number": 1, "text": text, **what}))["text" if not what else "hints"] is not None


def spark_page(shown: links.Own) -> None:
    assert shown.entry.scenario is not None
    for engine in spark_bridge.ENGINES:
        assert all(gap.reason for gap in spark_bridge.gaps_of(shown.entry.scenario, engine))
    assert small(shown.entry) is not None


def cut_of_your_stream(scenario: Scenario, rules: Rules) -> None:
    """The page *Your stream* with the records of this scenario as a file: what it cuts is opened in the player."""
    records = [each for each in items(scenario) if isinstance(each, Record) and each.ts is not None]
    column = [None if isinstance(each.value, dict) else each.value for each in records]  # a file has no objects
    whole = Listed([
        StreamRecord((number,), each.channel, each.ts, None, str(each.key), column[number])
        for number, each in enumerate(records)
    ], tuple(range(1 + max((each.channel for each in records), default=0))))  # fmt: skip
    for around in (Dropped(), RecordOf(len(records) // 2)):
        with suppress(CutFails):  # no record is dropped, or there is no record at all
            walkthrough(links.of_file("cut.yaml", cut_text(whole, CutRequest(around, rules))))


@pytest.mark.time_limit(90 + 2 * OPENED)
@settings(max_examples=OPENED, suppress_health_check=list(HealthCheck))
@given(SCENARIOS, st.sampled_from(LANGUAGES), st.sampled_from(BELIEFS), st.sampled_from([1, 1000, 3000]))
def test_a_random_scenario_opens_on_every_page(scenario: Scenario, language: str, belief: Any, size: int) -> None:
    text = as_yaml(scenario)
    with speaking(language), pytest.MonkeyPatch.context() as patched:
        patched.setattr(searches, "SEARCHED_STEPS", SEARCHED_STEPS)
        patched.setattr(contents, "MOST_STEPS", SEARCHED_STEPS)
        author(text)
        cut_of_your_stream(scenario, Rules(size=size))
        shown = opened(text)
        if shown is None:
            return
        walkthrough(shown)
        spark_page(shown)
        compare(shown)
        compare(shown, belief=belief.name)
        compare(shown, spark="3")
        for setting in settings_of(scenario)[:1]:
            compare(shown, **{f"a.{setting.name}": str(setting.least)})
