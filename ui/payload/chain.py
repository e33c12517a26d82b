"""The operators of a chain beside the one that is shown: what each has done by an item, and what became of a result."""

from collections.abc import Iterator, Mapping
from typing import Any

from tidemark.simulator import timeline
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario.model import ChainPart, Scenario
from tidemark.simulator.words import words
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.charts.plane import behind

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]

RESULTS = frozenset({"pane", "joined", "group", "emitted", "ranked"})


def chain_of(scenario: Scenario, tables: Tables) -> Row | None:
    """What the strip shows and where results lead; None for a scenario of one operator. ``tables``: those of
    ``scenario``."""
    chain = scenario.chain
    if chain is None:
        return None
    runs = {part.name: tables if part.name == chain.shown else _tables(part.scenario) for part in chain.parts}
    own = chain.of_shown
    steps = {name: _steps_of_results(each) for name, each in runs.items()}
    made = [
        {"item": item, "operator": origin.operator, "step": steps[origin.operator][origin.result]}
        for item, origin in enumerate(own.origins)
        if origin is not None and origin.result < len(steps[origin.operator])
    ]
    becomes = [each for part in chain.parts for each in _becomes(part, chain.shown, runs[part.name])]
    return {
        "shown": chain.shown,
        "seqs": list(own.seqs),
        "operators": [_operator(part, runs[part.name], chain.shown) for part in chain.parts],
        "made": made,
        "becomes": sorted(becomes, key=lambda each: each["result"]),
    }


def _tables(scenario: Scenario) -> Tables:
    scenario, trace = walked(scenario)
    return timeline.build(scenario, trace, stories=False).by_name()


def _operator(part: ChainPart, tables: Tables, shown: str) -> Row:
    stream = part.scenario.stream
    assert isinstance(stream, tuple)
    return {
        "name": part.name,
        "kind": words(f"form.choices.operator.{part.scenario.operator.type}"),
        "sources": list(part.sources),
        "address": ["scenario", part.scenario.name],
        "shown": part.name == shown,
        "records": [seq for seq, item in zip(part.seqs, stream, strict=True) if isinstance(item, Record)],
        "waiting": _waiting(part, tables),
        "results": list(part.results),
        "steps": _last_steps(part, tables),
        "watermarks": [[seq, ts if ts < MAX else None] for seq, ts in part.watermarks],
    }


def _last_steps(part: ChainPart, tables: Tables) -> list[list[int]]:
    """[number of an item, the last step that it brings about]."""
    found = {part.seqs[row["item"]]: row["step"] for row in tables["steps"]}
    return [list(pair) for pair in found.items()]


def _waiting(part: ChainPart, tables: Tables) -> list[list[int]]:
    """[number of an item, records that wait behind it], where it changes: those in open windows, or in a queue."""
    items = [row["item"] for row in tables["steps"]]
    changes: dict[int, int] = {}
    for row in tables["windows"]:
        if row["status"] == "open" and not row["firings"]:
            _count(changes, row, row["records"])
    for row in tables["queue"]:
        _count(changes, row, 1)
    found: list[list[int]] = []
    waiting = 0
    for step in sorted(changes):
        waiting += changes[step]
        seq = part.seqs[items[step]]
        if found and found[-1][0] == seq:
            found[-1][1] = waiting
        else:
            found.append([seq, waiting])
    return found


def _count(changes: dict[int, int], row: Row, records: int) -> None:
    changes[row["from_step"]] = changes.get(row["from_step"], 0) + records
    if row["until_step"] is not None:
        changes[row["until_step"]] = changes.get(row["until_step"], 0) - records


def _steps_of_results(tables: Tables) -> list[int]:
    """The step of each result, in the order in which they were emitted."""
    rows = [fact for fact in tables["outputs"] if fact["row"]["row"] in RESULTS]
    return [fact["from_step"] for fact in sorted(rows, key=lambda fact: fact["number"])]


def _becomes(part: ChainPart, source: str, tables: Tables) -> Iterator[Row]:
    """Of each result of ``source`` the record that it is at ``part``: where it arrives, and what becomes of it."""
    arrivals = {item: origin.result for item, origin in enumerate(part.origins) if origin and origin.operator == source}
    if not arrivals:
        return
    overtaken = behind(tables)
    fates: dict[int, Row] = {}
    for row in tables["records"]:
        result = arrivals.get(row["item"])
        if result is None or row["fate"] == "ahead":
            continue
        if result not in fates:
            fates[result] = {"result": result, "operator": part.name, "step": row["from_step"],
                             "behind": row["id"] in overtaken}  # fmt: skip
        fates[result]["fate"] = row["fate"]
    yield from fates.values()
