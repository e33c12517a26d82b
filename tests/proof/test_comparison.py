"""Comparing rows with recorded rows: what is counted, which difference comes first, and what Flink leaves undefined."""

import json
import os
import random
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
from tidemark.simulator.proof.recordings import (
    BESIDE,
    GOLDEN,
    ROWS,
    UNITS,
    Comparison,
    Recording,
    UnreadableRecordingError,
    beside,
    compare,
    golden_digests,
    recorded_rows,
)
from tidemark.simulator.scenario import load, model, parse
from tidemark.simulator.scenario.identity import SEEN, digest_of

from tests.examples import examples
from tests.random_scenarios.flink import scenarios
from tidemark import simulator

SCENARIO = load(GOLDEN / "tumbling-allowed-lateness.yaml")
RECORDED = recorded_rows(GOLDEN / "tumbling-allowed-lateness.jsonl")
OURS = simulator.run_rows(SCENARIO)


def outcome(rows: list[dict[str, Any]]) -> Comparison:
    return compare(SCENARIO, OURS, rows)


def spoiled(kind: str, **changes: Any) -> list[dict[str, Any]]:
    """The recorded rows with the first one of ``kind`` changed."""
    rows = [dict(row) for row in RECORDED]
    next(row for row in rows if row["row"] == kind).update(changes)
    return rows


def test_equal_rows_are_counted_by_their_results() -> None:
    found = outcome(RECORDED)
    panes = sum(row["row"] == "pane" for row in RECORDED)
    assert found == Comparison("panes", panes, panes, len(RECORDED), 0, None)
    assert found.same


def test_a_changed_pane_counts_as_different_and_is_shown_beside_ours() -> None:
    found = outcome(spoiled("pane", value=99))
    assert (found.unit, found.equal, found.total, found.differing, found.same) == ("panes", 3, 4, 1, False)
    ours, theirs = found.first or (None, None)
    assert ours is not None
    assert theirs is not None
    assert {name for name in ours if ours[name] != theirs[name]} == {"value"}


def test_a_changed_watermark_is_not_hidden_behind_equal_panes() -> None:
    found = outcome(spoiled("watermark", ts=1))
    assert (found.unit, found.equal, found.total) == (ROWS, len(RECORDED) - 1, len(RECORDED))


@pytest.mark.parametrize("extra", [1, -1])
def test_an_extra_or_missing_row_is_a_difference(extra: int) -> None:
    pane = next(row for row in RECORDED if row["row"] == "pane")
    rows = [*RECORDED, pane] if extra > 0 else [row for row in RECORDED if row is not pane]
    found = outcome(rows)
    assert not found.same
    assert found.equal < found.total
    assert None in (found.first or ())


def test_no_rows_do_not_equal_some_rows() -> None:
    assert outcome([]).equal == 0
    assert not outcome([]).same


def test_order_does_not_matter_within_an_item_but_it_does_between_items() -> None:
    shuffled = list(RECORDED)
    random.Random(1).shuffle(shuffled)
    assert outcome(shuffled).same, "each row names its item"
    assert not outcome(spoiled("pane", item=8)).same


def test_every_kind_of_result_has_its_unit() -> None:
    units = set()
    for stem in golden_digests().values():
        scenario = load(GOLDEN / f"{stem}.yaml")
        units.add(compare(scenario, simulator.run_rows(scenario), recorded_rows(GOLDEN / f"{stem}.jsonl")).unit)
    assert units == {*UNITS.values(), ROWS}


# --- recordings ---------------------------------------------------------------------------------------------------


def test_every_golden_file_is_found_by_its_digest() -> None:
    found = golden_digests()
    assert len(found) >= 129
    assert found[digest_of(SCENARIO)] == "tumbling-allowed-lateness"


def test_a_copy_without_tests_has_no_recordings(tmp_path: Any) -> None:
    assert golden_digests(tmp_path / "tests" / "golden") == {}
    assert beside(tmp_path / "nowhere") == {}


def test_a_broken_golden_file_hides_no_other(tmp_path: Any) -> None:
    (tmp_path / "a.yaml").write_text("scenario: 1\nname: [")
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "without-rows.yaml").write_text((GOLDEN / "checkpoint-two.yaml").read_text())
    name = "tumbling-allowed-lateness"
    for suffix in (".yaml", ".jsonl"):
        (tmp_path / f"{name}{suffix}").write_text((GOLDEN / f"{name}{suffix}").read_text())
    assert golden_digests(tmp_path) == {digest_of(SCENARIO): name}


def test_a_recording_beside_a_file_names_the_run_it_was_recorded_for(tmp_path: Any) -> None:
    path = tmp_path / f"any{BESIDE}"
    head = {"flink": "2.3.0", "scenario": digest_of(SCENARIO)}
    path.write_text("\n".join(json.dumps(line) for line in [head, *RECORDED]))
    assert beside(tmp_path) == {digest_of(SCENARIO): Recording(path, "2.3.0")}
    assert recorded_rows(path) == RECORDED


@pytest.mark.parametrize(
    "head", ["", "{", "[]", '{"flink": "2.3.0"}', '{"flink": 2, "scenario": "x"}', '{"row": "pane"}']
)
def test_a_recording_that_does_not_name_its_run_is_ignored(tmp_path: Any, head: str) -> None:
    (tmp_path / f"any{BESIDE}").write_text(head + "\n")
    assert beside(tmp_path) == {}


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"row": "pane"}', '{"row": 1, "item": 1}', '{"row": "a", "item": "1"}', "\xff"]
)
def test_a_file_that_does_not_hold_rows_is_refused(tmp_path: Any, text: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableRecordingError):
        recorded_rows(path)


# The digest of a run: the texts around it do not affect it, any number does, and values of different types differ.

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
