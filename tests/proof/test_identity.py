"""The digest of a run: the texts around it do not affect it, any number does, and values of different types differ."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import load, model, parse
from tidemark.simulator.scenario.identity import SEEN, digest_of

from tests.examples import examples
from tests.random_scenarios.flink import scenarios

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "scenarios").glob("*.yaml"))

PLAIN = """
scenario: 1
name: {name}
title: {title}
{more}
inputs:
  events: {{watermark: {{generator: bounded-out-of-orderness, bound: 2s}}}}
operator:
  type: window
  assigner: {{type: tumbling, size: 5s}}
  {trigger}
  function: {{call: aggregate, compute: sum}}
stream:
  - {{ts: 1s, key: a, value: {value}, at: {at}}}
  - {{end: true}}
"""


def plain(**fields: str) -> str:
    given = {"name": "plain", "title": "Plain", "more": "", "trigger": "", "value": "4", "at": "2s"} | fields
    return digest_of(parse(PLAIN.format(**given)))


def numbered(value: Any) -> Iterator[Any]:
    """Copies of ``value``, each with a different one of its numbers increased by one."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, Record):
        for name, each in value._asdict().items():
            yield from (value._replace(**{name: changed}) for changed in numbered(each))
    elif is_dataclass(value):
        for field in fields(value):
            mine = getattr(value, field.name)
            yield from (replace(value, **{field.name: changed}) for changed in numbered(mine))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from ({**value, name: changed} for changed in numbered(each))
    elif isinstance(value, tuple):
        for place, each in enumerate(value):
            yield from ((*value[:place], changed, *value[place + 1 :]) for changed in numbered(each))


@settings(max_examples=examples(60))
@given(scenarios(), st.data())
def test_any_change_of_a_number_is_another_run(scenario: model.Scenario, data: st.DataObject) -> None:
    before = digest_of(scenario)
    member = data.draw(st.sampled_from(SEEN))
    for changed in numbered(getattr(scenario, member)):
        assert digest_of(replace(scenario, **{member: changed})) != before


@settings(max_examples=examples(60))
@given(scenarios(), st.text(), st.sampled_from(["UTC", "Europe/Zurich", "Asia/Kolkata"]))
def test_texts_around_a_run_do_not_change_it(scenario: model.Scenario, text: str, zone: str) -> None:
    retold = replace(
        scenario,
        name="another",
        title={"en": text},
        summary={"en": text},
        teaches=(text,),
        lesson=text,
        level="expert",
        minutes=7,
        zone=zone,
        goals=(model.Goal(rows="pane", count=1),),
        walkthrough=(model.Beat(model.Place(step=0), say={"en": text}),),
        file=text,
    )
    assert digest_of(retold) == digest_of(scenario)


def test_omitted_defaults_do_not_change_the_digest() -> None:
    assert plain() == plain(trigger="trigger: {type: event-time}") == plain(at="2000ms", name="renamed", title="x")


@pytest.mark.parametrize(
    "changed",
    [
        {"value": "5"},
        {"value": "4.0"},
        {"at": "2s1ms"},
        {"more": "origin: 1s", "at": "1s"},
        {"trigger": "allowed_lateness: 1ms"},
        {"trigger": "trigger: {type: purging, inner: {type: event-time}}"},
    ],
)
def test_whatever_the_engine_would_see_makes_another_run(changed: dict[str, str]) -> None:
    assert plain(**changed) != plain()


def test_keys_of_different_types_make_different_runs() -> None:
    def with_key(key: Any) -> str:
        return digest_of(model.Scenario("a", model.Process(model.Function("event-sort")), (Record(key, 1, 2),)))

    assert len({with_key(key) for key in ("1", 1, True, "true", "a")}) == 5


def test_no_two_library_scenarios_are_the_same_run() -> None:
    digests = [digest_of(load(file)) for file in LIBRARY]
    assert len(set(digests)) == len(digests)


def test_another_process_computes_the_same_digest() -> None:
    code = "import sys; from tidemark.simulator.scenario import identity, load; "
    code += "print(identity.digest_of(load(sys.argv[1])))"
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(LIBRARY[0])], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == digest_of(load(LIBRARY[0])), done.stderr
