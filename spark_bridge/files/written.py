"""How the columns of a stream are written: what code for Flink or Spark must know to read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tidemark.simulator.scenario.data.cells import pair_of
from tidemark.spark_bridge.files.columns import DATES, DEFAULT_ZONE, Columns
from tidemark.spark_bridge.files.pattern import Pattern, pattern_of
from tidemark.spark_bridge.files.sample import Sample

ROW_TIMES = ("ts", "row_time", "event_ts", "row_time_ts")
"""Names for the column that code makes of the event time: the first that the table does not have."""


@dataclass(frozen=True)
class Written:
    """One column. ``path``: its name, or the names down to a member of a struct.

    ``type`` is Spark's name of it, "" in a text format. Of a time, ``unit`` is one of ``columns.UNITS`` or ``DATES``,
    None where the type says it, and ``pattern`` is what its texts look like, None for numbers. ``fraction``: whether
    numbers have digits after the point. ``clock``: the column of its time of day, where that is another one.
    """

    path: tuple[str, ...]
    type: str = ""
    unit: str | None = None
    pattern: Pattern | None = None
    fraction: bool = False
    clock: "Written | None" = None

    @property
    def is_number(self) -> bool:
        """Whether the table itself says that the column holds numbers."""
        return self.type.startswith(("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"))


@dataclass(frozen=True)
class WrittenStream:
    """The columns by role. ``zone``: that of times without one. ``row_time``: a name that no column has."""

    columns: Mapping[str, Written] = field(default_factory=dict)
    zone: str = DEFAULT_ZONE
    row_time: str = ROW_TIMES[0]


def _path(name: str, flat: Sequence[str]) -> tuple[str, ...]:
    return (name,) if name in flat else tuple(name.removeprefix("kafka.").split("."))


def written_stream(columns: Columns, sample: Sample, *, text: bool, flat: Sequence[str]) -> WrittenStream:
    """How ``columns`` of the table are written whose first rows are ``sample``.

    ``text``: the table is in a text format, whose columns have no types. ``flat``: names with dots that are names of
    columns and not the ways to members.
    """
    found = {}
    for role, name in columns.named.items():
        pair = pair_of(name, sample.names)
        path, *clock = (_path(each, flat) for each in pair or (name,))
        type = "" if text else sample.types.get(name, "")
        unit = {"ts": columns.ts_unit, "at": columns.at_unit}.get(role)
        cells = [cell.strip() for cell in sample.of(name)]
        pattern = pattern_of(cells, unit) if unit == "iso" or unit in DATES else None
        fraction = unit is not None and pattern is None and any("." in cell for cell in cells)
        found[role] = Written(path, type, unit, pattern, fraction, clock=Written(clock[0]) if clock else None)
    taken = {each.lower() for each in sample.names}
    row_time = next((each for each in ROW_TIMES if each not in taken), ROW_TIMES[0])
    return WrittenStream(found, columns.zone or DEFAULT_ZONE, row_time)
