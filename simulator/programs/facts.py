"""What every program needs to know of a scenario, and what none of them can express.

A program prints the rows that the scenario's run gives. What depends on a machine's clock, on a restart or on a moment
that no program can choose has no such program, and ``Facts`` refuses it with the reason.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.limits import PROGRAM_RECORDS
from tidemark.simulator.scenario.model import EACH_RECORD, InputSpec, NoWatermarks, Scenario
from tidemark.simulator.scenario.stream import items as items_of
from tidemark.simulator.scenario.versions import differing_rules
from tidemark.simulator.words import words

ROWS: Final = frozenset({"pane", "joined", "group", "emitted", "ranked", "late"})
"""The rows that a program prints: results and late records. Watermarks and lost records leave no trace in a job."""


class NotExpressible(Exception):
    """The engine has nothing that does what the scenario does; the message says what, and why."""

    def __init__(self, word: str, /, **fields: Any) -> None:
        super().__init__(words(f"programs.refused.{word}", **fields))


@dataclass(frozen=True)
class Facts:
    """``items``: the stream without its last ``end``; ``ends``: whether there is one. ``rows``: those of the run that a
    program prints. ``lost``: how many records the run drops. ``key``: the kind of all keys (``text``, ``integer``,
    ``boolean``); ``value`` that of all values (``integer``, ``double``, ``text``, ``boolean``, ``none``, ``mixed``)."""

    scenario: Scenario
    items: tuple[Item, ...]
    ends: bool
    rows: tuple[Mapping[str, Any], ...]
    lost: int
    key: str
    value: str

    def records(self, input: str | None = None) -> Iterator[Record]:
        """The records, of one input or of all."""
        return (each for each in self.items if isinstance(each, Record) and input in (None, each.input))


def check_kind(scenario: Scenario, *, whole: bool = True, columns: bool = False) -> None:
    """Raises ``NotExpressible`` for a kind of scenario of which there is no such program; as in ``facts_of``."""
    if scenario.engine != "flink":
        raise NotExpressible("spark_rules")
    if scenario.chain is not None and whole:
        raise NotExpressible("chain")
    if differing := differing_rules(scenario):
        rules = words("app.semicolon").join(differing)
        raise NotExpressible("version", newest=NEWEST, version=scenario.flink, rules=rules)
    if not columns and any(each.columns for each in scenario.inputs):
        raise NotExpressible("columns")


def facts_of(scenario: Scenario, *, whole: bool = True, columns: bool = False) -> Facts:
    """The facts of ``scenario``. Raises ``NotExpressible`` for what no program of any engine can do.

    ``whole``: for a program that runs; a few lines of one leave out what a program cannot repeat. ``columns``: whether
    the program can be about rows with columns.
    """
    check_kind(scenario, whole=whole, columns=columns)
    items = list(_items(scenario))
    if scenario.operator.time == "processing" or any(isinstance(each, Advance) for each in items):
        raise NotExpressible("processing_time")
    if whole and any(isinstance(each, Checkpoint | Restore) for each in items):
        raise NotExpressible("restore")
    if whole and scenario.operator.state_ttl is not None:
        raise NotExpressible("state_ttl")
    ends = bool(items) and isinstance(items[-1], End)
    if ends:
        items.pop()
    if whole:
        if any(isinstance(each, End) for each in items):
            raise NotExpressible("end_in_between")
        for each in scenario.inputs:
            _check_watermarks(each)
    rows: list[Mapping[str, Any]] = []
    lost = 0

    def sink(row: Mapping[str, Any]) -> None:
        nonlocal lost
        lost += row["row"] == "dropped"
        if row["row"] == "error":
            raise NotExpressible("error", message=row["message"])
        if row["row"] in ROWS:
            rows.append(row)

    run(scenario, sink)
    records = [each for each in items if isinstance(each, Record)]
    keys = {_kind(each.key) for each in records}
    if len(keys) > 1:
        raise NotExpressible("keys")
    return Facts(scenario, tuple(items), ends, tuple(rows), lost, next(iter(keys), "text"), _kind_of_all(records))


def check_failures(scenario: Scenario) -> None:
    """Raises ``NotExpressible`` if the run ends in an error, as the program's would."""

    def sink(row: Mapping[str, Any]) -> None:
        if row["row"] == "error":
            raise NotExpressible("error", message=row.get("message", row["type"]))

    run(scenario, sink)


def check_end(facts: Facts) -> None:
    """A file ends, and its end sends the last watermark: it must not bring a row that the scenario does not have."""
    rows: list[dict[str, Any]] = []
    ended = replace(facts.scenario, stream=(*facts.items, End()))
    run(ended, lambda row: rows.append(printed(row)) if row["row"] in _RESULTS else None)
    if len(rows) != sum(row["row"] in _RESULTS for row in facts.rows):
        raise NotExpressible("no_end")


_RESULTS: Final = ROWS - {"late"}


_MOST_CUTS: Final = 8
"""At how many places of an input another one is tried in between."""


def order_matters(facts: Facts, items: tuple[Item, ...]) -> bool:
    """Whether the rows depend on which of two inputs comes first: an engine reads both at once.

    ``items``: the stream as the program has it. Compares the run with others, in which one input comes whole before,
    after, or between two items of the other.
    """
    names = [each.name for each in facts.scenario.inputs]
    if len(names) < 2:
        return False
    wanted = _counted(facts.scenario)
    end = (End(),) if facts.ends else ()
    for name in names:
        mine = [each for each in items if getattr(each, "input", None) == name]
        others = [each for each in items if getattr(each, "input", None) != name]
        for cut in {round(len(mine) * number / _MOST_CUTS) for number in range(_MOST_CUTS + 1)}:
            stream = (*mine[:cut], *others, *mine[cut:], *end)
            if _counted(replace(facts.scenario, stream=stream)) != wanted:
                return True
    return False


def _counted(scenario: Scenario) -> Counter[str]:
    found: Counter[str] = Counter()
    run(scenario, lambda row: found.update([json_text(printed(row))]) if row["row"] in ROWS else None)
    return found


def _items(scenario: Scenario) -> Iterator[Item]:
    for number, each in enumerate(items_of(scenario)):
        if number > PROGRAM_RECORDS:
            raise NotExpressible("long", limit=PROGRAM_RECORDS)
        yield each


def _check_watermarks(given: InputSpec) -> None:
    """A periodic watermark depends on how fast the records come; here it follows each record."""
    strategy = given.watermark
    if not isinstance(strategy, NoWatermarks) and getattr(strategy, "emit", EACH_RECORD) != EACH_RECORD:
        raise NotExpressible("emit", input=given.name)
    if getattr(strategy, "idle_timeout", 0):
        raise NotExpressible("idle_timeout", input=given.name)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", float: "double", str: "text", type(None): "none"}.get(type(value), "mixed")


def _kind_of_all(records: list[Record]) -> str:
    kinds = {_kind(each.value) for each in records}
    if kinds == {"integer", "double"}:
        return "double"
    return next(iter(kinds)) if len(kinds) == 1 else "none" if not kinds else "mixed"


def explicit(items: tuple[Item, ...]) -> bool:
    """Whether some watermark or status comes from the stream itself, past every generator."""
    return any(isinstance(each, Watermark | Status) for each in items)


_OF_THE_RUN: Final = frozenset({"timing", "pane", "watermark", "at", "item", "batch"})
"""Members of a row that say when it came out; a program's results have no such order."""


def printed(row: Mapping[str, Any]) -> dict[str, Any]:
    """``row`` as a program prints it."""
    return {name: value for name, value in row.items() if name not in _OF_THE_RUN}


def title_of(scenario: Scenario) -> str:
    """The title, such that it can end neither a docstring nor a comment."""
    titles = scenario.title or {}
    title = titles.get("en") or next(iter(titles.values()), scenario.name)
    kept = "".join(each if each.isprintable() else " " for each in title)
    return kept.replace("\\", "/").replace('"', "'").replace("*/", "* /")
