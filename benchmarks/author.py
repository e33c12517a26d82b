"""What a change of one cell costs the server of the Author page, for drafts of 50, 500 and 5,000 records.

This measures the whole reply to a request from the browser, made by the function that the page itself calls: editing
the text, checking it, running it, building its timeline, table, picture and results, and packing the result. Times are
processor times, so other programs do not count. Streamlit's own overhead is not included.
"""

import gzip
import json
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

from tidemark.ui.author.desk import reply

RECORDS: Final = (50, 500, 5_000)

ROUNDS: Final = 7
"""The number of changes to each column, in records spread over the whole stream. Results are medians."""

COLUMNS: Final = ("value", "ts", "at")
FIRST: Final = 1_000
EVERY: Final = 300
"""The interval (ms) between two arrivals; ``FIRST`` is the first arrival."""

HEAD: Final = """\
scenario: 1
name: measured
inputs:
  events:
    channels: 2
    watermark: {generator: bounded-out-of-orderness, bound: 2s}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  allowed_lateness: 3s
  function: {call: aggregate, compute: sum}
stream:
"""


def draft(records: int) -> str:
    """The text of a draft with ``records`` records; every seventh is out of order and has a comment."""
    lines = [HEAD]
    for number in range(records):
        arrival = FIRST + EVERY * number
        late = number % 7 == 3
        ts = arrival - (2_500 if late else 200)
        value = f"ts: {ts}ms, key: {'abcd'[number % 4]}, value: {number % 10}, at: {arrival}ms, channel: {number % 2}"
        lines.append(f"  - {{{value}}}{'  # out of order' if late else ''}\n")
    return "".join([*lines, "  - {end: true}\n"])


def measure(records: Sequence[int] = RECORDS) -> Iterator[dict[str, Any]]:
    """A result for each length: ms for each kind of change and for all, and their ratio to the previous length."""
    before: float | None = None
    for count in records:
        took = _changes(count)
        every = median(ms for times in took.values() for ms in times)
        result: dict[str, Any] = {"records": count, "ms": round(every, 1)}
        result |= {f"{column}_ms": round(median(times), 1) for column, times in took.items()}
        if before is not None:
            result["ratio"] = round(every / before, 2)
        before = every
        yield result


def _changes(records: int) -> dict[str, list[float]]:
    """The ms of each change, by column. Each change starts from the text that the previous one produced."""
    text = _text_of(_reply(draft(records), None))
    took: dict[str, list[float]] = {column: [] for column in COLUMNS}
    for number in range(ROUNDS):
        for column in COLUMNS:
            item = (records - 1) * number // (ROUNDS - 1)
            edit = {"kind": "cell", "item": item, "column": column, "typed": _typed(column, item, number)}
            begun = time.process_time()
            packed = _reply(text, edit)
            took[column].append((time.process_time() - begun) * 1000)
            text = _text_of(packed)
    return took


def _typed(column: str, item: int, number: int) -> str:
    """The text typed in round ``number``: always different, so that no reply comes from a cache."""
    if column == "value":
        return f"7{number}"
    return f"{FIRST + EVERY * item + 10 * number + 5}ms"


def _reply(text: str, edit: dict[str, Any] | None) -> bytes:
    """The packed reply to the request that the browser sends for ``edit``."""
    return reply({"number": 1, "text": text, "before": text, "edit": edit})


def _text_of(packed: bytes) -> str:
    """The text after the edit. Raises ``RuntimeError`` if the edit was refused, since nothing would be measured."""
    answer = json.loads(gzip.decompress(packed))
    if answer["refused"] or not answer["sound"]:
        raise RuntimeError(answer["refused"] or "the draft is unsound")
    return str(answer["text"])
