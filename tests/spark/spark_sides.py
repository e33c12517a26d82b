"""Both sides' rows as multisets, for the tests to compare."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spark_bridge.canonical import COMPARED, Columns, columns_of

MASTER = "local[2]"

Rows = Counter[Columns]


def compared(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """The rows that are compared, in their canonical form, as a multiset."""
    return Counter(columns_of(row) for row in rows if row["row"] in COMPARED)
