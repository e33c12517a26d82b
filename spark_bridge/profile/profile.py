"""A profile: what a stream is like, as data, as the JSON of the command, and as a short text for people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, format_instant
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.versions import CHANGES
from tidemark.simulator.limits import UPGRADE_RECORDS
from tidemark.simulator.words import words
from tidemark.spark_bridge.profile.counts.figures import QUANTILES, Course, Spread, Windows
from tidemark.spark_bridge.profile.findings.cures import rounded_up
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, titled
from tidemark.spark_bridge.profile.findings.wording import EPOCH, price_of, proof_of


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What is asked about a stream. All times in ms.

    ``bounds``: of which the late share is wanted; the first is that of the windows and of the findings. ``channels``:
    how many there should be. ``target``: the share of late records that is allowed. ``window``: the size of tumbling
    windows. ``course``: whether it is wanted how the stream goes on (see ``slices``), which takes another pass.
    ``flink``: the version from which an upgrade is to be judged, None for none.
    """

    bounds: tuple[int, ...] = ()
    lateness: int = 0
    window: int | None = None
    channels: int | None = None
    target: Fraction = Fraction(1, 1000)
    course: bool = False
    flink: str | None = None

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


class Humps(NamedTuple):
    """``records`` arrive about ``by`` (ms) later or earlier than the others: those of ``values`` of ``column``."""

    column: str
    values: tuple[str, ...]
    records: int
    by: int

    def as_json(self) -> dict[str, object]:
        """What the profile's JSON has of it."""
        return {"column": self.column, "values": list(self.values), "records": self.records, "by": self.by}


@dataclass(frozen=True, slots=True)
class UpgradeRule:
    """A rule between two versions of Flink that can show in the advised ``job``: its windows, or its deduplication.

    ``rows``: how many results and dropped records change with it, ``others`` of them in what they hold. ``stream``: the
    smallest one that shows the rule, a line for each item, and ``scenario`` the file with it; both are empty where
    nothing changes or none was found.
    """

    rule: str
    job: str
    rows: int
    others: int
    stream: tuple[str, ...] = ()
    scenario: str = ""

    def as_json(self) -> dict[str, Any]:
        """What the profile's JSON has of it."""
        ticket, since = CHANGES[self.rule]
        found = {"rule": self.rule, "ticket": ticket, "since": since, "job": self.job}
        return {**found, "rows": self.rows, "others": self.others, "scenario": self.scenario or None}


@dataclass(frozen=True, slots=True)
class UpgradeProfile:
    """What an upgrade changes from version ``flink`` to version ``to``, in the first ``records`` of the stream.

    The advised windows have this size, ``window``, bound and idle timeout (ms, 0 for none).
    """

    flink: str
    to: str
    records: int
    rules: tuple[UpgradeRule, ...]
    window: int
    bound: int
    idle: int


@dataclass(frozen=True)
class Healed:
    """A stream as its cures leave it, with the bound that was asked for, or that of the cures (ms).

    ``late``: how many records are late, by bound. ``recommended``: the smallest bound that is enough. ``causes``: what
    is found in it, with the stream's own names.
    """

    records: int
    late: Mapping[int, int]
    recommended: int
    causes: Sequence[Cause]


@dataclass(frozen=True, slots=True)
class Profile:
    """All figures of a stream. ``cure``: what all ``findings`` need together, by engine; ``causes``: theirs, in the
    order in which they were taken out. ``healed``: the stream as that cure leaves it, None if there is none. Times in
    ms; first and last timestamp are the smallest and the largest one.
    """

    request: ProfileRequest
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
    healed: Healed | None = None
    course: Course | None = None
    humps: Humps | None = None
    upgrade: UpgradeProfile | None = None

    def share(self, records: int) -> float:
        """``records`` as a share of all."""
        return records / self.records if self.records else 0.0

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        first_ts, last_ts = self.times or (None, None)
        first_at, last_at = self.arrivals or (None, None)
        windows = {} if self.windows is None else {"windows": self._windows_json(self.windows)}
        recommended = {"target": float(self.request.target), "bound": self.recommended}
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
            **({} if self.upgrade is None else {"upgrade": _upgrade_json(self.upgrade)}),
        }

    def _proof_json(self, healed: Healed) -> dict[str, Any]:
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


def _upgrade_json(upgrade: UpgradeProfile) -> dict[str, Any]:
    rules = [each.as_json() for each in upgrade.rules]
    return {"from": upgrade.flink, "to": upgrade.to, "records": upgrade.records, "rules": rules}


def _spread_json(spread: Spread) -> dict[str, int]:
    return {**{name: getattr(spread, name) for name in QUANTILES}, "max": spread.longest}


_CHANNELS: Final = 20
"""The text shows so many channels, those that hold the watermark most."""


def as_text(profile: Profile) -> str:
    """What ``profile`` prints without ``--json``."""
    return "\n".join(_lines(profile))


def heading_of(profile: Profile) -> list[str]:
    """How many records, channels and keys there are, and from when to when."""
    lines = [words("own_profile.text.records", records=f"{profile.records:,}", channels=len(profile.channels))]
    if profile.keys:
        lines.append(words("own_profile.text.keys", keys=f"{profile.keys:,}"))
    if profile.unreadable:
        lines.append(words("own_profile.text.unreadable", records=f"{profile.unreadable:,}"))
    for name, times in (("times", profile.times), ("arrivals", profile.arrivals)):
        if times is not None:
            lines.append(words(f"own_profile.text.{name}", first=_time(times[0]), last=_time(times[1])))
    return lines


def tables_of(profile: Profile) -> list[tuple[str, list[list[str]]]]:
    """The tables, each with its title; the first row of each has the names of the columns."""
    return [
        (words("own_profile.text.behind"), list(_behind(profile))),
        (words("own_profile.text.bounds"), list(_bounds(profile))),
    ]


def windows_of(profile: Profile) -> list[str]:
    """What windows do with the stream, and which bound is enough."""
    windows = [] if profile.windows is None else [*_windows(profile, profile.windows), ""]
    return [*windows, *_recommended(profile)]


def upgrade_of(profile: Profile) -> list[tuple[str, UpgradeRule | None]]:
    """What an upgrade of Flink changes, a paragraph for each rule, those first that change most.

    One line without a rule if none can show, [] if nobody has asked.
    """
    upgrade = profile.upgrade
    if upgrade is None:
        return []
    both = {"a": upgrade.flink, "b": upgrade.to, "records": f"{upgrade.records:,}", "most": f"{UPGRADE_RECORDS:,}"}
    if not upgrade.rules:
        return [(words("own_profile.upgrade.none", **both), None)]
    return [
        (words(f"own_profile.upgrade.{'changed' if each.rows else 'quiet'}", **both, **_fields(each, upgrade)), each)
        for each in sorted(upgrade.rules, key=lambda each: -each.rows)
    ]


def _fields(rule: UpgradeRule, upgrade: UpgradeProfile) -> dict[str, str]:
    ticket, since = CHANGES[rule.rule]
    counts = {"others": rule.others, "moved": rule.rows - rule.others}
    idle = "idle" if upgrade.idle else "no_idle"
    said = [words(f"own_profile.upgrade.{name}", count=f"{count:,}") for name, count in counts.items() if count]
    return {
        "rule": words(f"versions.rules.{rule.rule}", since=since),
        "ticket": ticket,
        "job": words(
            f"own_profile.upgrade.{rule.job}",
            bound=format_duration(upgrade.bound),
            window=format_duration(upgrade.window),
            idle=words(f"own_profile.upgrade.{idle}", idle=format_duration(upgrade.idle)),
        ),
        "counts": words("own_files.comma").join(said),
    }


def worth_of(finding: Finding, bound: int | None) -> list[str]:
    """What the cure of ``finding`` leaves of it and what it costs, in the language that is spoken here; [] without a
    cure. ``bound`` (ms) is the one that was asked for."""
    if not finding.cures or finding.proof is None:
        return []
    return [
        proof_of(finding.proof),
        words("own_profile.text.price", price=price_of(finding.cause, finding.before, bound)),
    ]


def _lines(profile: Profile) -> Iterator[str]:
    yield from heading_of(profile)
    # First what is wrong: the figures and the advice below are those of the stream with its faults.
    for finding in profile.findings:
        yield from ("", f"{finding.code}: {finding.text}", finding.cure, *worth_of(finding, profile.request.bound))
    if len(profile.findings) > 1 and profile.cure:
        yield from ("", words("own_profile.text.cure"), titled(profile.cure))
    if profile.times is None:
        return
    if not profile.findings and profile.humps is None:
        yield from ("", words("own_profile.text.no_findings"))
    for title, rows in tables_of(profile):
        yield from ("", title, *_table(rows))
    yield from ("", *windows_of(profile))
    for text, rule in upgrade_of(profile):
        yield from ("", text)
        if rule is not None and rule.stream:
            yield words("own_profile.upgrade.smallest")
            yield from (f"  {line}" for line in rule.stream)


def _behind(profile: Profile) -> Iterator[list[str]]:
    names = ("channel", "records", "p50", "p90", "p99", "p999", "longest", "held")
    yield [words(f"own_profile.columns.{name}") for name in names]
    shown = sorted(profile.channels, key=lambda each: -each.held)[:_CHANNELS]
    for each in profile.channels if len(profile.channels) > 1 else ():
        if each in shown:
            held = _percent(profile.share(each.held))
            yield [str(each.channel), f"{each.records:,}", *_durations(each.behind), held]
    yield [words("own_profile.text.all"), f"{profile.records:,}", *_durations(profile.behind), ""]
    if len(profile.channels) > len(shown):
        yield [words("own_profile.text.more", number=len(profile.channels) - len(shown))]


def _bounds(profile: Profile) -> Iterator[list[str]]:
    yield [words(f"own_profile.columns.{name}") for name in ("bound", "late", "share")]
    for bound, late in _points(profile):
        yield [format_duration(bound), f"{late:,}", _percent(profile.share(late))]


def _points(profile: Profile) -> list[tuple[int, int]]:
    """A few points of the curve: 0, what was asked for, three in each decade, and the first without a late record."""
    wanted = {0, *profile.request.bounds, *[bound for bound, late in profile.late if not late][:1]}
    return [(bound, late) for bound, late in profile.late if bound in wanted or _is_round(bound)]


def _is_round(bound: int) -> bool:
    return bound >= 100 and str(bound).rstrip("0") in ("1", "2", "5")


def _windows(profile: Profile, windows: WindowProfile) -> Iterator[str]:
    sizes = {name: format_duration(getattr(windows.windows, name)) for name in ("size", "bound", "lateness")}
    yield words("own_profile.text.windows", **sizes)
    share = _percent(profile.share(windows.dropped))
    yield words("own_profile.text.dropped", records=f"{windows.dropped:,}", share=share)
    if windows.windows.lateness:
        yield words("own_profile.text.late_firings", number=f"{windows.late_firings:,}")
    if windows.wait is None:
        yield words("own_profile.text.wait_none")
    elif windows.wait[0] < 0:  # event times are ahead of the arrivals: that is no time that anybody waits
        yield words("own_profile.text.wait_ahead", by=format_duration(-windows.wait[0]))
    else:
        p50, p99 = map(format_duration, windows.wait)
        yield words("own_profile.text.wait", p50=p50, p99=p99)


def _recommended(profile: Profile) -> Iterator[str]:
    shares = {bound: _percent(profile.share(late)) for bound, late in _points(profile) if late}
    if len(shares) > 1 and len(set(shares.values())) == 1:
        last, share = list(shares.items())[-1]
        yield words("own_profile.text.alike", bound=format_duration(last), share=share)
    # Where something is wrong, the bound that covers it as well is a figure and no advice.
    if (humps := profile.humps) is not None:
        values = words("own_files.comma").join(str(shown_in_message(each)) for each in humps.values)
        name, by = shown_in_message(humps.column), format_duration(abs(humps.by))
        records, share = f"{humps.records:,}", _percent(profile.share(humps.records))
        yield words("own_profile.text.humps", records=records, share=share, name=name, values=values, by=by)
    is_faulty = humps is not None or any(finding.code != "bound-too-small" for finding in profile.findings)
    if is_faulty and humps is None and profile.healed is None:
        yield words("own_profile.text.repair_first")
    target = _percent(float(profile.request.target))
    how, bound = ("as_it_is", profile.recommended) if is_faulty else ("recommended", rounded_up(profile.recommended))
    yield words(f"own_profile.text.{how}", bound=format_duration(bound), target=target)
    if is_faulty and profile.healed is not None and profile.healed.recommended != profile.recommended:
        yield words(
            "own_profile.text.healed", bound=format_duration(rounded_up(profile.healed.recommended)), target=target
        )
    if profile.lateness_instead is not None and not is_faulty:
        lateness = format_duration(rounded_up(profile.lateness_instead))
        given = format_duration(profile.request.bound or 0)
        yield words("own_profile.text.instead", target=target, bound=given, lateness=lateness)


def _durations(spread: Spread) -> list[str]:
    return [format_duration(ms) for ms in (spread.p50, spread.p90, spread.p99, spread.p999, spread.longest)]


def _time(ms: int) -> str:
    return format_instant(ms) if abs(ms) >= EPOCH else format_duration(ms)


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _table(lines: Sequence[list[str]]) -> Iterator[str]:
    """Columns side by side, all but the first to the right."""
    widths = [max(len(row[place]) for row in lines if place < len(row)) for place in range(len(lines[0]))]
    for row in lines:
        cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=False)]
        yield "  ".join(["", f"{row[0]:<{widths[0]}}", *cells]).rstrip()
