"""Rows, facts and payloads of real runs conform to their schemas."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import pytest
from tidemark.simulator import limits, run_traced
from tidemark.simulator.engine.values.rows import Row
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.schema import RecordFact, Tables
from tidemark.simulator.words import LANGUAGES
from tidemark.ui.catalogue import library
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.schema import Badge, Payload

from tests.reference.conformity import mismatches
from tests.reference.files import stale
from tests.reference.limits import SOURCE, limits_of, shown
from tests.reference.typescript import declarations, unknown_kinds

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/golden", "tests/golden_spark", "scenarios")


def files(folder: str) -> Iterator[Path]:
    return (ROOT / folder).glob("*.yaml")


@cache
def looked_at(folder: str) -> tuple[list[str], frozenset[str]]:
    """What does not conform in the rows and facts of a folder's runs, and which tables have rows."""
    wrong: list[str] = []
    seen: set[str] = set()
    for file in files(folder):
        scenario = load(file)
        rows, trace = run_traced(scenario)
        tables = build(scenario, trace).tables
        wrong += mismatches(rows, list[Row], f"{file.name} rows")
        wrong += mismatches(tables, Tables, f"{file.name} tables")
        seen |= {name for name, own in tables.items() if own}
    return wrong, frozenset(seen)


@pytest.mark.parametrize("folder", FOLDERS)
def test_rows_and_facts(folder: str) -> None:
    wrong, _ = looked_at(folder)
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_payloads(folder: str) -> None:
    for file in sorted(files(folder))[::3]:
        assert list(mismatches(payload(load(file)), Payload, "payload")) == [], file.name


def test_together_the_runs_have_rows_in_every_table() -> None:
    assert {name for folder in FOLDERS for name in looked_at(folder)[1]} == set(Tables.__annotations__)


class Thing(TypedDict):
    """A small schema to test the checker with."""

    size: Annotated[int, "of the thing"]
    kind: Literal["big", "small"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"size": 1, "kind": "big"}, []),
        ({"size": 1, "kind": "huge"}, ["thing.kind: 'huge' is not one of big, small"]),
        ({"size": True, "kind": "big"}, ["thing.size: True is not of type int"]),
        ({"size": 1}, ["thing.kind: missing from a Thing"]),
        ({"size": 1, "kind": "big", "weight": 2}, ["thing.weight: not declared in Thing"]),
    ],
)
def test_the_checker_finds_what_is_wrong(value: object, found: list[str]) -> None:
    assert list(mismatches(value, Thing, "thing")) == found


def test_an_undeclared_column_of_a_fact_is_found() -> None:
    scenario = load(ROOT / "tests/golden/tumbling-allowed-lateness.yaml")
    record = build(scenario, run_traced(scenario)[1]).tables["records"][0]
    assert list(mismatches({**record, "size": 1}, RecordFact, "record")) == ["record.size: not declared in RecordFact"]


def test_badges() -> None:
    badges = [badge for entry in library() if entry.scenario for badge in json.loads(badges_of(entry))]
    assert {badge["engine"] for badge in badges} >= {"flink"}
    assert list(mismatches(badges, list[Badge], "badges")) == []


# The files generated from the schemas are up to date.


def test_no_generated_file_is_stale() -> None:
    assert not stale(), "regenerate them: make reference"


def test_the_declarations_know_every_kind() -> None:
    assert list(unknown_kinds()) == []


def test_a_status_is_a_union_of_its_words() -> None:
    assert 'export type WindowStatus = "open" | "fired" | "cleared" | "merged";' in declarations()


# Each limit has one number: nothing else repeats it, not in Python, in JavaScript or in a message.

LIMITS = {limit.name: limit for limit in limits_of(SOURCE)}
CODE = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in ("simulator", "spark_bridge", "ui")
    for path in (ROOT / folder).rglob("*.py")
}


def test_every_limit_is_read_by_a_part() -> None:
    assert len(LIMITS) > 60
    others = " ".join(text for path, text in CODE.items() if path != "simulator/limits.py")
    read = set(re.findall("[A-Z_]{5,}", others))
    assert set(LIMITS) - read == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_takes_its_limit_from_the_program(language: str) -> None:
    """A number of 1,000 and more in a message would go on saying what the limit once was."""
    numbers = {limit.number for limit in LIMITS.values() if limit.number >= 1_000}
    written = {f"{number:,.0f}" for number in numbers} | {f"{number:.0f}" for number in numbers}
    written |= {shown(name, limit.number) for name, limit in LIMITS.items() if name.endswith("BYTES")}
    said = re.compile(rf"(?<![\d.,])(?:{'|'.join(sorted(map(re.escape, written)))})(?![\d.,]\d|\d)")
    found = {
        f"{path.name}: {line}"
        for path in (ROOT / "simulator" / "words" / language).glob("*.toml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if said.search(line)
    }
    assert found == set()


@pytest.mark.parametrize(
    ("file", "name", "number"),
    [
        ("ui/learning/inventory/class.ts", "READ_BYTES", limits.ANSWERS_BYTES + 1024),
        ("ui/learning/inventory/class.ts", "READ_FILES", limits.ANSWERS_FILES + 1),
    ],
)
def test_the_browser_has_the_same_limit(file: str, name: str, number: int) -> None:
    """Beyond it the browser need not send what the server would refuse."""
    found = re.search(rf"const {name} = ([\d_ *]+);", (ROOT / file).read_text(encoding="utf-8"))
    assert found
    left, _, right = found[1].partition("*")
    assert int(left) * int(right or 1) == number
