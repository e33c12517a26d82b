"""What a job needs against what was found: rules for its records, and settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidemark.spark_bridge.profile.advice import rounded_up
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.findings.repairs import Rule

_LONGEST_IDLE: Final = 60_000
_EMPTY_IDLE: Final = 30_000


@dataclass(frozen=True)
class Needed:
    """``rules`` in their order. ``bound``: of the watermark. ``idle``: the idle timeout, None for none.

    ``late``: by how much a backlog is late, which windows have to be kept for or which goes to a side output, None
    where there is none. ``again``: how long after the first of equal records others may arrive, None if no record is
    a copy. ``unreadable``: some records have no time that can be read. ``history``: a job of its own is for old
    records. All durations in ms.
    """

    rules: tuple[Rule, ...] = ()
    bound: int = 0
    idle: int | None = None
    late: int | None = None
    again: int | None = None
    unreadable: bool = False
    history: bool = False


def needed(causes: Sequence[Cause], bound: int) -> Needed:
    """What all ``causes``, in the order in which they were taken out, need together."""
    need = Needed(tuple(rule for cause in causes for rule in cause.rules), bound)
    for cause in causes:
        by = int(cause.numbers.get("by", 0))
        if cause.code == "bound-too-small":
            need = replace(need, bound=rounded_up(int(cause.numbers["needed"])))
        elif cause.code == "no-timestamps":
            need = replace(need, unreadable=bool(cause.numbers.get("unreadable")))
        elif cause.code == "empty-channel":
            need = replace(need, idle=need.idle or _EMPTY_IDLE)
        elif cause.code == "idle-channel":
            idle = max(min(int(cause.numbers.get("silent", 0)) // 4, _LONGEST_IDLE), 1_000)
            need = replace(need, idle=min(idle, need.idle or idle))
        elif cause.code == "backfill":
            need = replace(need, history=True)
        elif (cause.code, cause.sort) == ("replay", "backlog"):
            need = replace(need, late=max(rounded_up(by), need.late or 0))
        elif cause.code in ("replay", "duplicates"):
            need = replace(need, again=max(by, need.again or 0))
    return need
