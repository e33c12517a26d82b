"""What ``SET 'key' = 'value'`` means for a scenario."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidemark.simulator.scenario.format.zones import is_zone
from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Setting

_NO_MATTER: Final = (
    "parallelism.", "pipeline.name", "pipeline.max-parallelism", "pipeline.object-reuse", "execution.checkpointing.",
    "execution.target", "state.backend", "state.checkpoints", "sql-client.", "table.optimizer.agg-phase-strategy",
    "table.exec.resource.", "rest.", "jobmanager.", "taskmanager.", "restart-strategy", "table.dml-sync",
)  # fmt: skip
"""Settings that change how a job runs and not what it computes, by how their names begin."""

_UTC: Final = ("UTC", "Etc/UTC", "GMT", "Z", "UTC+00:00", "GMT+00:00")
_UNITS: Final = {"ms": 1, "milli": 1, "millis": 1, "millisecond": 1, "milliseconds": 1, "s": 1000, "sec": 1000,
                 "secs": 1000, "second": 1000, "seconds": 1000, "m": 60_000, "min": 60_000, "minute": 60_000,
                 "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000,
                 "day": 86_400_000, "days": 86_400_000}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What a scenario takes over, in ms: the interval between watermarks (None: after each record), the idle timeout
    (0: never), and of the old group windows the delays of their early and late firings (None: none; 0: at each record)
    and the allowed lateness. ``zone_set``: whether a time zone is said; ``zone``: the setting of one other than UTC.
    """

    emit: int | None = None
    idle_timeout: int = 0
    early: int | None = None
    late: int | None = None
    lateness: int = 0
    zone_set: bool = False
    zone: Setting | None = None


def settings_of(statements: Sequence[Setting]) -> Settings:
    """All that is set. Raises ``SqlProblem`` for a setting that a scenario cannot follow."""
    found = Settings()
    switches: dict[str, bool] = {}
    delays: dict[str, int] = {}
    for each in statements:
        key = each.key
        if key == "pipeline.auto-watermark-interval":
            found = replace(found, emit=_duration(each) or None)
        elif key == "table.exec.source.idle-timeout":
            found = replace(found, idle_timeout=_duration(each))
        elif key == "table.local-time-zone":
            # Flink takes offsets and regions, but no abbreviations such as EST.
            if each.value not in _UTC and not ("/" in each.value and is_zone(each.value)):
                raise SqlProblem("zone", each.place, zone=each.value)
            found = replace(found, zone_set=True, zone=None if each.value in _UTC else each)
        elif fire := re.fullmatch(r"table\.exec\.emit\.(early|late)-fire\.(enabled|delay)", key):
            if fire[2] == "enabled":
                switches[fire[1]] = each.value.lower() == "true"
            else:
                delays[fire[1]] = _duration(each)
        elif key == "table.exec.emit.allow-lateness":
            found = replace(found, lateness=_duration(each))
        elif key == "execution.runtime-mode":
            if each.value.lower() != "streaming":
                raise SqlProblem("batch", each.place)
        elif key == "table.exec.unbounded-over.version":
            if each.value != "2":
                raise SqlProblem("over_version", each.place)
        elif not key.startswith(_NO_MATTER):
            raise SqlProblem("setting", each.place, key=key)
    early, late = (delays.get(name, 0) if switches.get(name) else None for name in ("early", "late"))
    return replace(found, early=early, late=late)


def _duration(setting: Setting) -> int:
    """A duration as Flink's configuration writes it (``TimeUtils.parseDuration``): ``200 ms``, ``5s``; no unit: ms."""
    found = re.fullmatch(r"\s*+(\d{1,15})\s*+([a-z]*+)\s*+", setting.value.lower(), re.ASCII)
    factor = _UNITS.get(found[2] or "ms") if found else None
    if found is None or factor is None:
        raise SqlProblem("setting_duration", setting.place, key=setting.key, value=setting.value)
    return int(found[1]) * factor
