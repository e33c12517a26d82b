"""The comparison of Flink and Spark on the same records, as plain data; ``side_by_side`` makes it."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.simulator.values.items import Record
from tidemark.simulator.values.key import Key

SAME: Final = "same"
OTHER_MOMENT: Final = "other-moment"
OTHER_VALUE: Final = "other-value"
ONLY_FLINK: Final = "only-flink"
ONLY_SPARK: Final = "only-spark"
VERDICTS: Final = (SAME, OTHER_MOMENT, OTHER_VALUE, ONLY_FLINK, ONLY_SPARK)
"""The words are ``side_by_side.verdicts.<name>``."""

TAKEN, LATE, PARTLY_LATE = "taken", "late", "partly-late"
"""The fate of a record: it counts in all of its windows (in a join: it was not refused), in none, or in some."""

Row = Mapping[str, Any]
"""An output row of either engine."""

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Given:
    """One result: after which ``item``, with which ``value`` (None for a pair), by which ``watermark`` (ms).

    ``timing`` is Flink's (``on-time``, ``late``), None in Spark and for a pair; ``batch`` is Spark's, None in Flink.
    """

    item: int
    value: Any
    watermark: int | None
    timing: str | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a result differs.

    ``code`` is a name in ``side_by_side.reasons``, ``items`` are the records that caused it, ``numbers`` what the words
    need: times in ms, and batches.
    """

    code: str
    items: tuple[int, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A pane (``start``, ``end``) or a pair (``left``, ``right``: {ts, value}) with the results of each side.

    ``flink`` and ``spark`` are in order of emission; Spark emits a result once. ``reasons`` is empty only where the
    verdict is ``same``.
    """

    row: str
    key: str | int | bool
    start: int | None
    end: int | None
    left: Row | None
    right: Row | None
    flink: tuple[Given, ...]
    spark: tuple[Given, ...]
    verdict: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Fate:
    """A record of the stream: its item, the micro-batch that took it, and its fate on each side."""

    item: int
    batch: int
    input: str
    key: str | int | bool
    ts: int
    value: Any
    flink: str
    spark: str


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch. ``item``: the last that had arrived; ``watermark`` evicts, ``late_watermark`` filters (ms)."""

    number: int
    item: int
    watermark: int
    late_watermark: int
    records: int
    results: int
    state_rows: int


@dataclass(frozen=True, slots=True)
class SideBySide:
    """``entries`` in order of their first result; ``flink_watermarks``: (item, watermark in ms) at each move.

    ``lost``: what the twin leaves out (``spark_twin.LOST``).
    """

    entries: tuple[Entry, ...]
    records: tuple[Fate, ...]
    batches: tuple[Batch, ...]
    flink_watermarks: tuple[tuple[int, int], ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """What the reasons need of both runs.

    ``skipped`` (Flink) and ``filtered`` (Spark): the items that were too late, by key and window (None: the record as a
    whole). ``windows_of``: the number of windows that a record belongs to. ``common_windows``: those that records have
    on both sides, between instants.
    """

    records: Mapping[int, Record]
    batch_of: Mapping[int, int]
    batches: Sequence[Batch]
    flink_watermarks: Sequence[tuple[int, int]]
    skipped: Mapping[tuple[Key, Window | None], tuple[int, ...]]
    filtered: Mapping[tuple[Key, Window | None], tuple[int, ...]]
    windows_of: Mapping[int, int]
    lost: tuple[str, ...]
    merges: bool
    common_windows: Set[Window]

    @property
    def zoned(self) -> bool:
        """Whether Flink's windows are in local time."""
        return "session_zone" in self.lost
