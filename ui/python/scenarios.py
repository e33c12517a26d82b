"""Scenarios: from a file, a text, a dictionary, the library or a DataFrame, or as one number of another is swept."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from os import PathLike, fspath
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.simulator.scenario import model
from tidemark.ui.python.frames import Frame, InputError, length_of, named
from tidemark.ui.python.runs import Scenario

_LENGTHS: Final = {
    "tumbling": ("size",), "sliding": ("size", "slide"), "session": ("gap",), "cumulative": ("max_size", "step"),
}  # fmt: skip
"""The lengths of time of a window, in the order in which they are written."""

_ARGUMENTS: Final = {
    "name": "name", "bound": "watermark", "allowed_lateness": "lateness", "compute": "compute", "channels": "partition",
    "ts": "time", "key": "key", "value": "value", "at": "arrival", "channel": "partition",
    **dict.fromkeys(("type", *(each for names in _LENGTHS.values() for each in names)), "window"),
}  # fmt: skip
"""The argument that each member of a document comes from."""

_PATH: Final = 4096
"""No path is longer (characters)."""

Length = str | int | timedelta


def load(source: "str | PathLike[str] | Mapping[str, Any]") -> Scenario:
    """The scenario of a file, a text, a dictionary, or of the library by its name.

    ``source``: the path of a file in YAML or JSON; a text in one of them, with more than one line; what such a text
    holds, as a dictionary; or a name such as ``"late-and-dropped"``. Raises ``ScenarioError`` with everything that is
    wrong, each problem with its line.

    >>> import tidemark
    >>> tidemark.load("late-and-dropped")
    Scenario('late-and-dropped')
    >>> scenario = tidemark.load({
    ...     "scenario": 1,
    ...     "name": "short",
    ...     "inputs": {"events": {"watermark": {"generator": "bounded-out-of-orderness", "bound": "2s"}}},
    ...     "operator": {"type": "window", "assigner": {"type": "tumbling", "size": "10s"},
    ...                  "function": {"call": "aggregate", "compute": "sum"}},
    ...     "stream": [{"ts": "3s", "key": "a", "value": 4}, {"end": True}],
    ... })
    >>> [row["value"] for row in scenario.run().rows if row["row"] == "pane"]
    [4]
    """
    found = _read(source)
    if isinstance(found.stream, model.Data):
        found.stream.require_readable()
    return Scenario(found)


def _read(source: Any) -> model.Scenario:
    if isinstance(source, Mapping):
        try:
            text = json.dumps(source, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InputError("no_json", reason=error) from None
        return scenarios.parse(text, "scenario.json", json=True)
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        is_json = source.lstrip().startswith("{")
        return scenarios.parse(source, "scenario.json" if is_json else "scenario.yaml", json=is_json)
    path = fspath(source) if isinstance(source, str | PathLike) else b""
    if not isinstance(path, str) or not path.strip() or len(path) > _PATH:
        raise InputError("no_source", found=named(source))
    return scenarios.load(path)


def scenario(
    records: Any,
    time: str,
    key: str | None = None,
    value: str | None = None,
    *,
    watermark: Length = "0s",
    window: Length = "tumbling 10s",
    compute: str | None = None,
    lateness: Length = "0s",
    arrival: str | None = None,
    partition: str | None = None,
    name: str = "records",
) -> Scenario:
    """A scenario of windows over the rows of a DataFrame, in the order of its rows, or of ``arrival``.

    ``time``, ``key``, ``value``, ``arrival``, ``partition``: names of columns; times are datetimes or whole numbers of
    ms. ``watermark``: the bound, how far a record may be behind the newest one. ``window``: ``"tumbling 10s"``,
    ``"sliding 10s 5s"``, ``"session 5s"``, ``"cumulative 1h 10m"``, or the size of tumbling windows. ``compute``: what
    a window computes, by default the sum of ``value``, else the count. ``lateness``: the allowed lateness. A length of
    time is a text such as ``"5s"``, a ``timedelta``, or ms.

    Raises ``InputError`` for a DataFrame that does not fit or has more than ``SCENARIO_ITEMS`` rows, ``ScenarioError``
    for the rest; each names the argument.

    >>> import pandas as pd, tidemark
    >>> clicks = pd.DataFrame({"ts": [1000, 4000, 12000, 3000], "user": ["a", "b", "a", "b"], "n": [1, 2, 3, 4]})
    >>> run = tidemark.scenario(clicks, "ts", "user", "n", watermark="1s", window="tumbling 10s").run()
    >>> run.to_pandas(times="ms", rows="pane")[["key", "start", "value"]]
      key  start  value
    0   a      0      1
    1   b      0      2
    2   a  10000      3
    >>> len(run.to_pandas(rows="dropped"))
    1
    """
    frame = Frame(records, SCENARIO_ITEMS - 1)
    if not len(frame):
        raise InputError("few_rows")
    channels = 1
    places = [0] * len(frame)
    if partition is not None:
        names = frame.keys(partition)
        numbers = {
            each: number for number, each in enumerate(sorted(set(names), key=lambda each: (str(type(each)), each)))
        }
        places, channels = [numbers[each] for each in names], len(numbers)
    times = frame.times(time)
    clock = [None] * len(frame) if arrival is None else frame.times(arrival)
    keys = ["all"] * len(frame) if key is None else frame.keys(key)
    compute = compute or ("count" if value is None else "sum")
    assigner = _assigner(window)
    values = [None] * len(frame) if value is None else frame.values(value, missing=compute == "count")
    found = [Record(*each[:3], "events", *each[3:]) for each in zip(keys, times, values, places, clock, strict=True)]
    if arrival is not None:
        found.sort(key=lambda record: record.at or 0)
    document = {
        "scenario": 1,
        "name": name,
        "inputs": {
            "events": {
                **({"channels": channels} if channels > 1 else {}),
                "watermark": {"generator": "bounded-out-of-orderness", "bound": length_of(watermark, "watermark")},
            }
        },
        "operator": {
            "type": "window",
            "assigner": assigner,
            **({"api": "sql"} if assigner["type"] == "cumulative" else {}),
            **({} if lateness == "0s" else {"allowed_lateness": length_of(lateness, "lateness")}),
            "function": {"call": "aggregate", "compute": compute},
        },
        "stream": [_item(found[0], several=channels > 1), {"end": True}],
    }
    return Scenario(replace(_checked(document), stream=(*found, End())))


def _checked(document: Mapping[str, Any]) -> model.Scenario:
    """The scenario of a document that was made of arguments: they are what a problem names, not a place in a text."""
    lines = json.dumps(document, indent=1, default=named).splitlines()
    try:
        return scenarios.parse("\n".join(lines), json=True)
    except ScenarioError as refusal:

        def argument(line: int | None) -> str:
            member = re.match(r' *"(\w+)"', lines[(line or 1) - 1])
            return _ARGUMENTS.get(member[1] if member else "", "value")

        problems = (
            each._replace(file=argument(each.line), line=None, column=None, fix=None) for each in refusal.problems
        )
        raise ScenarioError([*problems]) from None


def _item(record: Record, *, several: bool) -> dict[str, Any]:
    """The first record as a file has it: the one that the reader sees."""
    items = {"ts": record.ts, "key": record.key, "value": record.value, "at": record.at}
    return {name: each for name, each in items.items() if each is not None} | (
        {"channel": record.channel} if several else {}
    )


def _assigner(window: Length) -> dict[str, Any]:
    is_written = isinstance(window, str) and parse_duration(window.strip()) is None
    kind, *lengths = (str(window).split() or [""]) if is_written else ("tumbling", window)
    names = _LENGTHS.get(kind, ())
    if len(lengths) != len(names) or not names:
        raise InputError("no_window", window=named(window))
    return {"type": kind, **{name: length_of(each, "window") for name, each in zip(names, lengths, strict=True)}}
