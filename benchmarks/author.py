"""What a change of one cell costs the server of the Author page, for drafts of 50, 500 and 5,000 records.

Measured is the whole answer to the browser's question, by the function that the page itself calls: the edit of the
text, its checks, the run and its timeline, table, picture and results, and the packing of all that. Times are those of
the processor, so that other programs do not count; what Streamlit adds to any question is not among them.
"""

import gzip
import json
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

from ui.author.desk import reply

RECORDS: Final = (50, 500, 5_000)

ROUNDS: Final = 7
"""Changes of each column, in records spread over the whole stream. Their median counts."""

COLUMNS: Final = ("value", "ts", "at")
FIRST: Final = 1_000
EVERY: Final = 300
"""The arrival of the first record, and the ms from one to the next."""

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
    """The text of a draft of so many records, of which every seventh is out of order; some have a comment."""
    lines = [HEAD]
    for number in range(records):
        arrival = FIRST + EVERY * number
        late = number % 7 == 3
        ts = arrival - (2_500 if late else 200)
        value = f"ts: {ts}ms, key: {'abcd'[number % 4]}, value: {number % 10}, at: {arrival}ms, channel: {number % 2}"
        lines.append(f"  - {{{value}}}{'  # out of order' if late else ''}\n")
    return "".join([*lines, "  - {end: true}\n"])


def measure(records: Sequence[int] = RECORDS) -> Iterator[dict[str, Any]]:
    """A result for each length: ms of each kind of change and of all, and how often the ms of the length before."""
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
    """The ms of each change by its column. Each begins with the text that the one before it left."""
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
    """What is typed in round ``number``: always something else, so that no answer is one that is kept."""
    if column == "value":
        return f"7{number}"
    return f"{FIRST + EVERY * item + 10 * number + 5}ms"


def _reply(text: str, edit: dict[str, Any] | None) -> bytes:
    """The answer to the question that the browser sends for ``edit``; it shows what changes against ``text``."""
    return reply({"number": 1, "text": text, "before": text, "edit": edit})


def _text_of(packed: bytes) -> str:
    """The text after the edit. Raises ``RuntimeError`` where that was refused: nothing would have been measured."""
    answer = json.loads(gzip.decompress(packed))
    if answer["refused"] or not answer["sound"]:
        raise RuntimeError(answer["refused"] or "the draft is unsound")
    return str(answer["text"])
