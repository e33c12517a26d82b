"""The plane and the lanes as they go to the browser: rows by source, axes by part, windows by track."""

from typing import Annotated, NotRequired, TypedDict

from simulator.timeline.schema import Fact, Key
from simulator.values.meaning import StepNumber


class PlaneRow(Fact):
    """A row of the plane: what Vega draws of it depends on its source (`ui/charts/plane.py`)."""

    x: NotRequired[float]
    x2: NotRequired[float]
    y: NotRequired[float]
    y2: NotRequired[float]
    dx: NotRequired[Annotated[float, "px"]]
    dy: NotRequired[Annotated[float, "px"]]
    w: NotRequired[Annotated[float, "px"]]
    middle: NotRequired[float]
    label_x: NotRequired[float]
    label_y: NotRequired[float]
    text: NotRequired[str]
    name: NotRequired[str]
    letter: NotRequired[str]
    fate: NotRequired[str]
    look: NotRequired[str]
    crossed: NotRequired[bool]
    ended: NotRequired[bool]
    moved: NotRequired[bool]
    quiet: NotRequired[bool]
    right: NotRequired[bool]
    shaded: NotRequired[bool]
    struck: NotRequired[bool]


class PlaneSources(TypedDict):
    """The rows of the plane by source."""

    segments: list[PlaneRow]
    behind: list[PlaneRow]
    mark: list[PlaneRow]
    ahead: list[PlaneRow]
    records: list[PlaneRow]
    connectors: list[PlaneRow]
    labels: list[PlaneRow]
    halo: list[PlaneRow]
    now: list[PlaneRow]
    sides: list[PlaneRow]
    boxes: list[PlaneRow]
    bars: list[PlaneRow]
    emitted: list[PlaneRow]
    stops: list[PlaneRow]
    bands: list[PlaneRow]
    borders: list[PlaneRow]
    ideal: list[PlaneRow]


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
    dot: Annotated[int, "the diameter (px) of a record's mark"]


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
