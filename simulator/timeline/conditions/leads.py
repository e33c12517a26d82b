"""How far a record must be ahead of the watermark that it is to bring."""

from typing import NamedTuple

from simulator.scenario.model import WatermarkSpec


class Lead(NamedTuple):
    """A record of timestamp ``watermark + ahead`` (ms) is the earliest one by which a channel sends ``watermark``.

    ``floor``: the channel sends nothing below it, None where it sends anything. ``every``: the generator is asked so
    often (ms of the clock), 0 where the watermark follows its record at once.
    """

    ahead: int
    floor: int | None
    every: int


def lead(spec: WatermarkSpec) -> Lead | None:
    """Of a channel with this generator; None where no record makes watermarks, they stand in the stream."""
    match spec.generator:
        case "bounded-out-of-orderness" | "monotonous":
            return Lead(spec.bound + 1, None, spec.emit)
        case "punctuated":
            return Lead(spec.bound, None, 0)
        case "sql":
            return Lead(spec.bound, 1, spec.emit)
        case _:
            return None
