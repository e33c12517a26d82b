"""What a filter and several aggregates of columns cost, beside a single aggregate: reading and running together."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.scenario import read_text

SINGLE: Final = "one aggregate"
CASES: Final = {
    "plain": ("", "sum"),
    SINGLE: ("key: [k]", "{a: SUM(v)}"),
    "WHERE and three aggregates": ("key: [k], where: v > 5 AND p IS NOT NULL", "{a: SUM(v), b: AVG(p), c: COUNT(*)}"),
}
"""By name what its input says beside its columns, and its aggregates; the plain one has values without columns."""


def text_of(case: str, records: int) -> str:
    """The file of a case with so many records, of twenty keys."""
    said, compute = CASES[case]
    dice, lines = random.Random(1), []
    for number in range(records):
        key, value, price = f"k{dice.randrange(20)}", dice.randrange(100), dice.randrange(50)
        row = f"value: {{k: {key}, v: {value}, p: {price}.5}}" if said else f"key: {key}, value: {value}"
        lines.append(f"  - {{ts: {number * 100}ms, {row}}}\n")
    columns = f", columns: {{k: STRING, v: INT, p: DOUBLE}}, {said}" if said else ""
    return (
        f"scenario: 1\nname: query\ninputs:\n  o: {{watermark: {{generator: sql, bound: 2s}}{columns}}}\n"
        "operator: {type: window, api: tvf, assigner: {type: tumbling, size: 10s},"
        f" function: {{call: aggregate, compute: {compute}}}}}\nstream:\n{''.join(lines)}"
    )


def measure(records: int = 6000, cases: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Milliseconds of processor time, the best of three, and their ratio to those of a single aggregate."""
    single = _best(SINGLE, records)
    for case in cases or CASES:
        ms = single if case == SINGLE else _best(case, records)
        yield {"case": case, "records": records, "ms": round(ms), "ratio": round(ms / single, 2)}


def _best(case: str, records: int) -> float:
    text = text_of(case, records)
    return min(_ms(text) for _ in range(3))


def _ms(text: str) -> float:
    began = time.process_time()
    run(read_text(text)[0], lambda row: None)
    return (time.process_time() - began) * 1000
