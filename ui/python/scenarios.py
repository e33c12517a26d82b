"""Scenarios: from a file, a text, a dictionary, the library or a DataFrame, or as one number of another is swept."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.simulator.scenario import model
from tidemark.ui.catalogue import FOLDER
from tidemark.ui.python.frames import Frame, InputError
from tidemark.ui.python.runs import Scenario

_LENGTHS: Final = {
    "tumbling": ("size",), "sliding": ("size", "slide"), "session": ("gap",), "cumulative": ("max_size", "step"),
}  # fmt: skip
"""The lengths of time of a window, in the order in which they are written."""

_NAME: Final = re.compile(r"[\w.-]+")


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


def _read(source: "str | PathLike[str] | Mapping[str, Any]") -> model.Scenario:
    if isinstance(source, Mapping):
        try:
            text = json.dumps(source, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise InputError("no_json", reason=error) from None
        return scenarios.parse(text, "scenario.json", json=True)
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        is_json = source.lstrip().startswith("{")
        return scenarios.parse(source, "scenario.json" if is_json else "scenario.yaml", json=is_json)
    path = Path(source)
    if isinstance(source, str) and not path.suffix and not path.exists():
        path = FOLDER / f"{source}.yaml"
        if not _NAME.fullmatch(source) or not path.is_file():
            raise InputError("no_file", name=source)
    return scenarios.load(path)


def scenario(
    records: Any,
    time: str,
    key: str | None = None,
    value: str | None = None,
    *,
    watermark: str = "0s",
    window: str = "tumbling 10s",
    compute: str | None = None,
    lateness: str = "0s",
    arrival: str | None = None,
    partition: str | None = None,
    name: str = "records",
) -> Scenario:
    """A scenario of windows over the rows of a DataFrame, in the order of its rows, or of ``arrival``.

    ``time``, ``key``, ``value``, ``arrival``, ``partition``: names of columns; times are datetimes or whole numbers of
    ms. ``watermark``: the bound, how far a record may be behind the newest one. ``window``: ``"tumbling 10s"``,
    ``"sliding 10s 5s"``, ``"session 5s"``, ``"cumulative 1h 10m"``. ``compute``: what a window computes, by default
    the sum of ``value``, else the count. ``lateness``: the allowed lateness.

    Raises ``InputError`` for a DataFrame that does not fit or has more than ``SCENARIO_ITEMS`` rows, ``ScenarioError``
    for the rest.

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
                "watermark": {"generator": "bounded-out-of-orderness", "bound": watermark},
            }
        },
        "operator": {
            "type": "window",
            "assigner": _assigner(window),
            **({"api": "sql"} if window.startswith("cumulative") else {"allowed_lateness": lateness}),
            "function": {"call": "aggregate", "compute": compute},
        },
        "stream": [_item(found[0], several=channels > 1), {"end": True}],
    }
    checked = load(document).model
    return Scenario(replace(checked, stream=(*found, End())))


def _item(record: Record, *, several: bool) -> dict[str, Any]:
    """The first record as a file has it: the one that the reader sees."""
    items = {"ts": record.ts, "key": record.key, "value": record.value, "at": record.at}
    return {name: each for name, each in items.items() if each is not None} | (
        {"channel": record.channel} if several else {}
    )


def _assigner(window: str) -> dict[str, str]:
    kind, *lengths = window.split() or [""]
    names = _LENGTHS.get(kind, ())
    if not names or len(lengths) != len(names):
        raise InputError("no_window", window=window)
    return {"type": kind, **dict(zip(names, lengths, strict=True))}
