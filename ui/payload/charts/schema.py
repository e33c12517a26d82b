"""The plane and the lanes as they go to the browser: rows by source, axes by part, windows by track."""

from typing import Annotated, TypedDict

from tidemark.simulator.engine.values.part import Id, StepNumber
from tidemark.simulator.timeline.schema import Fact, Key

RecordId = Annotated[Id, "of the record"]
OutputId = Annotated[Id, "of the output row"]


class Line(Fact):
    """A line or a rectangle from `x`, `y` to `x2`, `y2`."""

    x: float
    x2: float
    y: float
    y2: float


class Band(Fact):
    """A window of the run, where windows do not overlap."""

    x: float
    x2: float
    shaded: bool
    text: Annotated[str, "its name"]


class Border(Fact):
    """Where windows begin or end."""

    x: float


class Ideal(Line):
    """The diagonal of records without delay."""

    text: str


class Stop(Fact):
    """A line across the plane: a checkpoint, a restore, the end of a micro-batch."""

    y: float
    text: Annotated[str, 'its name; "" for none']


class RecordLine(Line):
    """From an out-of-order record back to the newest one before it."""

    id: RecordId


class ResultBar(Line):
    """The window of a result, at the moment at which it fired."""

    id: OutputId


class Segment(Line):
    """A piece of the watermark's line; `ended`: of the line before a restore."""

    ended: bool


class Now(Fact):
    """The present moment on the arrival axis."""

    y: float
    text: str


class Side(Fact):
    """Of two inputs the one that a record came in by; `quiet`: the record is still ahead."""

    id: RecordId
    right: bool
    quiet: bool


class PlaneRecord(Fact):
    """A record on the plane."""

    id: RecordId
    x: float
    y: float
    fate: Annotated[str, "or `behind`: on time, although the watermark had reached its timestamp"]
    letter: Annotated[str, 'the key, if it is short enough for the mark; else ""']
    text: Annotated[str, "its label where the mark carries the key"]
    full: Annotated[str, "its label where it does not"]
    rank: Annotated[int, "how important its label is: 2 for what is late, 1 for what is out of order, else 0"]


class Halo(Fact):
    """A ring round a record that the step touches."""

    id: RecordId


class ResultBox(Fact):
    """A result that belongs to a window."""

    id: OutputId
    place: Annotated[Id, "the output that first stood in its place"]
    x: float
    x2: float
    y: float
    text: str
    look: Annotated[str, "`solid`, `early`, `late` or `minus`"]
    struck: Annotated[bool, "taken back"]


class Emitted(Fact):
    """A result without a window."""

    id: OutputId
    x: float
    y: float
    look: str


class WatermarkMark(Fact):
    """The end of the watermark's line; `moved` is false where there is no line."""

    x: float
    y: float
    text: str
    round: Annotated[str, "the same for a novice"]
    moved: bool


class PlaneSources(TypedDict):
    """The rows of the plane by source."""

    segments: list[Segment]
    behind: list[Line]
    mark: list[WatermarkMark]
    ahead: list[PlaneRecord]
    records: list[PlaneRecord]
    connectors: list[RecordLine]
    halo: list[Halo]
    now: list[Now]
    sides: list[Side]
    boxes: list[ResultBox]
    bars: list[ResultBar]
    emitted: list[Emitted]
    stops: list[Stop]
    bands: list[Band]
    borders: list[Border]
    ideal: list[Ideal]


class PartSignals(TypedDict):
    """The axes of a part of the plane: domain, ticks and their labels."""

    x0: float
    x1: float
    x_ticks: list[float]
    x_labels: list[str]
    y0: float
    y1: float
    y_ticks: list[float]
    y_labels: list[str]


class Signals(PartSignals):
    """The signals of the whole plane."""

    x_title: str
    y_title: str
    dot: Annotated[int, "the largest diameter (px) of a record's mark"]


class Part(TypedDict):
    """A part of a long run, with axes of its own."""

    step: Annotated[StepNumber, "its first step"]
    signals: PartSignals
    from_record: Annotated[int, "the first record that it shows, by place in the order of arrival"]
    until_record: Annotated[int, "exclusive"]


class Lane(TypedDict):
    """The windows of a key, in tracks so that none covers another."""

    key: Key
    tracks: int


class Lanes(TypedDict):
    """The lanes in the order of the keys."""

    rows: list[Lane]
    tracks: Annotated[dict[str, int], "the track of each window, by id"]
    joins: Annotated[bool, "whether the windows hold two inputs"]
    slices: Annotated[bool, "whether the last track of each lane is for the slices that its windows share"]
