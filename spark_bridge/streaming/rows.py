"""The rows of each micro-batch, by which the two sides are compared; Spark's are made from its reports.

A batch is a list of rows as the contract writes them, except for late records. Spark only counts these, once for each
key and window of a batch (in a join each of them), so on both sides one row holds their number: {row, batch,
watermark, counted}.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.scenario.model import Scenario, SparkJoin
from tidemark.spark_bridge.canonical import key_text

Row = dict[str, Any]

_TIME: Final = re.compile(r"\+?(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z")


@dataclass(frozen=True, slots=True)
class Done:
    """One micro-batch that Spark has done. ``results``: tuples in the columns of the query's results.

    ``watermark`` (ms) is the one that it evicted by, 0 where no input has one. ``dropped`` is Spark's own count;
    ``read`` counts records, ``state_rows`` the entries left in its state.
    """

    number: int
    results: tuple[tuple[Any, ...], ...]
    watermark: int
    read: int
    dropped: int
    state_rows: int


def spark_rows(scenario: Scenario, done: Iterable[Done]) -> Iterator[list[Row]]:
    """The rows of each batch of the query, in order."""
    joins = isinstance(scenario.operator, SparkJoin)
    late_watermark = 0
    for each in done:
        place = {"batch": each.number, "watermark": each.watermark}
        rows = [(_joined if joins else _pane)(result) | place for result in each.results]
        rows += _counted(each.dropped, place)
        figures = {"rows_in": each.read, "rows_out": len(each.results), "state_rows": each.state_rows}
        rows.append({"row": "batch"} | place | {"late_watermark": late_watermark} | figures)
        yield rows
        late_watermark = each.watermark


def simulator_rows(lines: Path) -> Iterator[list[Row]]:
    """The rows of each batch of the simulator, out of the file that it wrote; an error row ends the last list."""
    with lines.open(encoding="utf-8") as file:
        rows = map(json.loads, file)
        for _, group in groupby(rows, key=lambda row: row.get("batch")):
            yield _with_counted(list(group))


def _with_counted(rows: list[Row]) -> list[Row]:
    late = [row for row in rows if row["row"] == "dropped"]
    if not late:
        return rows
    by_window = {(key_text(row["key"]), row["start"], row["end"]) for row in late}
    counted = len(late) if late[0]["start"] is None else len(by_window)
    others = [row for row in rows if row["row"] != "dropped"]
    return others[:-1] + _counted(counted, {name: late[0][name] for name in ("batch", "watermark")}) + others[-1:]


def _counted(number: int, place: Row) -> list[Row]:
    return [{"row": "dropped"} | place | {"counted": number}] if number else []


def _pane(result: tuple[Any, ...]) -> Row:
    key, start, end, value = result
    return {"row": "pane", "key": json.loads(key), "start": start, "end": end, "value": value}


def _joined(result: tuple[Any, ...]) -> Row:
    key, left_ts, left, right_ts, right = result
    sides = {"left": {"ts": left_ts, "value": json.loads(left)}, "right": {"ts": right_ts, "value": json.loads(right)}}
    return {"row": "joined", "key": json.loads(key)} | sides


def milliseconds(time: str | None) -> int:
    """A time as Spark's progress reports write it, in ms since the epoch; none is 0. Years have four digits, or a plus
    sign and more."""
    if time is None:
        return 0
    found = _TIME.fullmatch(time)
    assert found is not None, time
    year, month, day, hour, minute, second, fraction = map(int, found.groups())
    cycles = max(0, (year - 2000) // 400)  # the calendar repeats every 400 years; Python's ends with the year 9999
    days = (date(year - 400 * cycles, month, day) - date(1970, 1, 1)).days + cycles * 146_097
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction
