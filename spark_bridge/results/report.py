"""The result of a check: counts, differences as pairs of rows, seconds; as data, as JSON and as text.

What a stream looks like at scale: a few numbers for a picture, however long the stream is.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tidemark.simulator.proof import recordings
from tidemark.simulator.words import words
from tidemark.spark_bridge.results.boundaries import Boundaries

Row = dict[str, Any]

SHOWN = 20
"""How many differences the text shows; the report itself holds up to ``spark_bridge.compare.FETCHED``."""


MOST_BINS: Final = 60
MOST_FIRINGS: Final = 8
"""Later firings of a window count as the last one."""
TOP_KEYS: Final = 5


@dataclass(frozen=True, slots=True)
class Distributions:
    """How late the records were, how often windows fired, how the results spread over the keys.

    ``delays``: how far the timestamp of a record lies behind the clock at its arrival, in bins of ``delay_width`` ms.
    Each is the lower bound of the bin (inclusive), the number of records, how many of them were at or behind the
    watermark, and how many were dropped or went to the side output. ``firings``: the number of results by pane number
    (from 0; None where results are not numbered). ``results``: the number of keys by their number of results, in bins
    of ``results_width``.
    ``top``: the keys (as JSON) with the most results.
    """

    delay_width: int
    delays: tuple[tuple[int, int, int, int], ...]
    firings: tuple[tuple[int, int], ...]
    keys: int
    results_width: int
    results: tuple[tuple[int, int], ...]
    top: tuple[tuple[str, int], ...]

    def as_json(self) -> Mapping[str, Any]:
        """Plain lists and numbers."""
        return {name: getattr(self, name) for name in self.__slots__}


def bin_width(lowest: int, highest: int) -> int:
    """The smallest width of 1, 2, 5, 10, 20, 50, … with which ``MOST_BINS`` bins cover ``lowest`` to ``highest``."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            width = factor * power
            if highest // width - lowest // width < MOST_BINS:
                return width
        power *= 10


@dataclass(frozen=True, slots=True)
class Difference:
    """One row on which the sides do not agree; None where a side has no row to match the other's."""

    simulator: Row | None
    spark: Row | None

    @property
    def members(self) -> list[str]:
        """The members whose values differ, except free text; empty if one side is missing."""
        if self.simulator is None or self.spark is None:
            return []
        names = self.simulator | self.spark
        return [name for name in names if name != "message" and self.simulator.get(name) != self.spark.get(name)]


@dataclass(frozen=True, slots=True)
class Sample:
    """The keys that a check compared: one in ``one_in`` by its hash, ``checked`` of ``keys``, with their ``events``."""

    one_in: int
    checked: int
    keys: int
    events: int


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of ``spark_bridge.check``.

    ``way`` is how Spark computed its rows (``native``: DataFrame operations only; ``keyed``: a function for each key),
    ``events`` the number of records, ``panes`` the results (panes or sorted records) of the simulator, ``counts`` the
    compared rows of each side by kind. ``differing`` counts all differences, ``differences`` holds the first ones by
    item. ``stages`` gives the seconds of each stage; the simulator's run beside Spark's. ``distributions`` are there if
    they were asked for. ``at_least``: too many rows differ to look at them all, so ``differing`` is a lower bound.
    ``notes``: what to know of how files were read. ``sample``: if only some of the keys were compared. ``plant``: the
    fault that was planted on Spark's side. ``boundaries``: how often the simulator's comparisons stood exactly there.
    """

    scenario: str
    engine: str
    way: str
    events: int
    panes: int
    differing: int
    differences: tuple[Difference, ...]
    seconds: float
    spark_version: str
    java_version: str
    stages: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    distributions: Distributions | None = None
    at_least: bool = False
    notes: tuple[str, ...] = ()
    sample: Sample | None = None
    plant: str | None = None
    boundaries: Boundaries | None = None

    @property
    def equal(self) -> bool:
        """Whether both sides emitted the same rows."""
        return self.differing == 0

    @property
    def proves_nothing(self) -> bool:
        """Whether a planted fault changed no row: then equal rows say nothing about the comparison."""
        return self.plant is not None and self.equal

    @property
    def first_difference(self) -> Difference | None:
        """The earliest difference, by item; None if equal."""
        return self.differences[0] if self.differences else None

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        first = self.first_difference
        keys = None
        if (sample := self.sample) is not None:
            keys = {
                "sample": f"1/{sample.one_in}",
                "checked": sample.checked,
                "of": sample.keys,
                "events": sample.events,
            }
        return {
            "equal": self.equal,
            "engine": self.engine,
            "way": self.way,
            "events": self.events,
            "panes": self.panes,
            "differing": self.differing,
            "first_difference": None if first is None else {"simulator": first.simulator, "spark": first.spark},
            "seconds": round(self.seconds, 3),
            "spark_version": self.spark_version,
            "java_version": self.java_version,
            "stages": {name: round(seconds, 3) for name, seconds in self.stages.items()},
            "counts": {side: dict(kinds) for side, kinds in self.counts.items()},
            **({} if self.boundaries is None else {"boundaries": self.boundaries.as_json()}),
            **({} if self.plant is None else {"plant": self.plant}),
        } | ({} if keys is None else {"keys": keys})

    def as_text(self) -> str:
        """The report for a person: a verdict, then the differing rows, one side above the other."""
        told = "spark.not_found" if self.proves_nothing else "spark.equal" if self.equal else "spark.differs"
        verdict = words(told, **self._fields())
        lines = [verdict, words("spark.took", **self._fields())]
        if self.sample is not None:
            lines.insert(1, words("spark.sampled", **asdict(self.sample)))
        if self.boundaries is not None:
            lines += ["", *self.boundaries.as_text()]
        for difference in self.differences[:SHOWN]:
            lines += ["", *_lines(difference)]
        if self.differing > min(len(self.differences), SHOWN):
            lines += ["", words("spark.more", number=self.differing - min(len(self.differences), SHOWN))]
        return "\n".join(lines)

    def _fields(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario,
            "fault": self.plant,
            "events": self.events,
            "panes": self.panes,
            "differing": words("spark.scale.at_least", number=self.differing) if self.at_least else self.differing,
            "seconds": f"{self.seconds:.1f}",
            "spark": self.spark_version,
            "java": self.java_version,
        }


def _lines(difference: Difference) -> list[str]:
    lines = [
        f"  {words('spark.simulator_side')}  {_shown(difference.simulator)}",
        f"  {words('spark.spark_side')}  {_shown(difference.spark)}",
    ]
    if difference.members:
        lines.append(f"  {words('spark.differs_in')}  {', '.join(difference.members)}")
    return lines


def _shown(row: Row | None) -> str:
    if row is None:
        return words("spark.no_row")
    return "  ".join(f"{name}={value}" for name, value in row.items() if value is not None)


def pair_up(simulator: list[Row], spark: list[Row]) -> list[Difference]:
    """Rows that each stand on one side only, paired where they belong together (``comparison.pair_up``)."""
    return [Difference(ours, theirs) for ours, theirs in recordings.pair_up(simulator, spark)]
