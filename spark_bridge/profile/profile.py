"""A profile: what a stream is like, as data and as the JSON of the command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tidemark.spark_bridge.profile.counts.figures import QUANTILES, Spread, Windows
from tidemark.spark_bridge.profile.counts.slices import Course
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding

if TYPE_CHECKING:
    from tidemark.spark_bridge.profile.humps import Humps
    from tidemark.spark_bridge.profile.proof import Healed


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What is asked about a stream. All times in ms.

    ``bounds``: of which the late share is wanted; the first is that of the windows and of the findings. ``channels``:
    how many there should be. ``target``: the share of late records that is allowed. ``window``: the size of tumbling
    windows. ``course``: whether it is wanted how the stream goes on (see ``slices``), which takes another pass.
    """

    bounds: tuple[int, ...] = ()
    lateness: int = 0
    window: int | None = None
    channels: int | None = None
    target: Fraction = Fraction(1, 1000)
    course: bool = False

    @property
    def bound(self) -> int | None:
        """The bound of the watermark, None if none was given."""
        return self.bounds[0] if self.bounds else None

    @property
    def windows(self) -> Windows | None:
        """The windows, None if none are asked for."""
        return None if self.window is None else Windows(self.window, self.bound or 0, self.lateness)


@dataclass(frozen=True, slots=True)
class ChannelProfile:
    """One channel; ``channel`` is what the files call it. ``held``: for how many records it held the watermark."""

    channel: int | str
    records: int
    first_ts: int | None
    last_ts: int | None
    held: int
    behind: Spread


@dataclass(frozen=True, slots=True)
class WindowProfile:
    """What windows do with the stream; see ``reading.WindowFigures``. ``late_firings``: results that come again."""

    windows: Windows
    dropped: int
    late_firings: int
    wait: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Profile:
    """All figures of a stream. ``cure``: what all ``findings`` need together, by engine; ``causes``: theirs, in the
    order in which they were taken out. ``healed``: the stream as that cure leaves it, None if there is none. Times in
    ms; first and last timestamp are the smallest and the largest one.
    """

    asked: ProfileRequest
    records: int
    unreadable: int
    keys: int
    times: tuple[int, int] | None
    arrivals: tuple[int, int] | None
    channels: tuple[ChannelProfile, ...]
    behind: Spread
    late: tuple[tuple[int, int], ...]
    recommended: int
    lateness_instead: int | None
    windows: WindowProfile | None
    findings: Sequence[Finding] = field(default=())
    cure: Mapping[str, str] = field(default_factory=dict)
    causes: Sequence[Cause] = field(default=(), repr=False)
    healed: "Healed | None" = None
    course: Course | None = None
    humps: "Humps | None" = None

    def share(self, records: int) -> float:
        """``records`` as a share of all."""
        return records / self.records if self.records else 0.0

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        first_ts, last_ts = self.times or (None, None)
        first_at, last_at = self.arrivals or (None, None)
        windows = {} if self.windows is None else {"windows": self._windows_json(self.windows)}
        recommended = {"target": float(self.asked.target), "bound": self.recommended}
        if self.lateness_instead is not None:
            recommended["lateness_instead"] = self.lateness_instead
        return {
            "records": self.records,
            "unreadable": self.unreadable,
            "keys": self.keys,
            "first_ts": first_ts,
            "last_ts": last_ts,
            "first_at": first_at,
            "last_at": last_at,
            "channels": [
                {
                    "channel": each.channel,
                    "records": each.records,
                    "first_ts": each.first_ts,
                    "last_ts": each.last_ts,
                    "holds_share": self.share(each.held),
                    "behind": _spread_json(each.behind),
                }
                for each in self.channels
            ],
            "behind": _spread_json(self.behind),
            "bounds": [{"bound": bound, "late": late, "share": self.share(late)} for bound, late in self.late],
            **windows,
            "recommended": recommended,
            "findings": [each.as_json() for each in self.findings],
            "cure": {name.replace("_", "-"): code for name, code in self.cure.items()},
            **({} if self.healed is None else {"proof": self._proof_json(self.healed)}),
            **({} if self.humps is None else {"humps": self.humps.as_json()}),
        }

    def _proof_json(self, healed: "Healed") -> dict[str, Any]:
        return {
            "records": [self.records, healed.records],
            "recommended": [self.recommended, healed.recommended],
            "findings": [[each.code for each in found] for found in (self.findings, healed.causes)],
        }

    def _windows_json(self, found: WindowProfile) -> dict[str, Any]:
        return {
            "size": found.windows.size,
            "bound": found.windows.bound,
            "lateness": found.windows.lateness,
            "dropped": found.dropped,
            "dropped_share": self.share(found.dropped),
            "late_firings": found.late_firings,
            "wait": dict(zip(("p50", "p99"), found.wait or (None, None), strict=True)),
        }


def _spread_json(spread: Spread) -> dict[str, int]:
    return {**{name: getattr(spread, name) for name in QUANTILES}, "max": spread.longest}
