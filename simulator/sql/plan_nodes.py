"""What Flink's planner makes of an operator of a query: the node that EXPLAIN shows, and the classes that run.

The names are those of Flink 2.3, and what an operator was called before; assigners and triggers are written as they
write themselves (``toString``).
"""

from collections.abc import Mapping
from typing import Any, Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.words import words

_NODES: Final[Mapping[str, tuple[str, ...]]] = {
    "over": ("OverAggregate", "KeyedProcessOperator"),
    "deduplicate": ("Deduplicate", "KeyedProcessOperator"),
    "window-top-n": ("WindowRank", "WindowAggOperator", "SyncStateWindowRankProcessor"),
    "temporal-join": ("TemporalJoin", "TemporalRowTimeJoinOperator"),
    "interval-join": ("IntervalJoin", "KeyedCoProcessOperatorWithWatermarkDelay"),
    "window-join": ("WindowJoin", "WindowJoinOperator"),
    "co-group": ("WindowJoin", "WindowJoinOperator"),
}
_PROCESSORS: Final = {
    "tumbling": "SliceUnsharedSyncStateWindowAggProcessor",
    "sliding": "SliceSharedSyncStateWindowAggProcessor",
    "cumulative": "SliceSharedSyncStateWindowAggProcessor",
    "session": "UnsliceSyncStateWindowAggProcessor",
}
_BEFORE: Final = {"WindowAggOperator": ("SlicingWindowOperator", "1.18")}
"""What an operator was called, and the last version in which it was."""

_LENGTHS: Final = {"tumbling": ("size",), "sliding": ("size", "slide"), "session": ("gap",)}


def plan_node(operator: Mapping[str, Any]) -> tuple[str, ...]:
    """The node, then the class of the operator and what it runs with. ``operator``: as a scenario file has it.

    A window table function has neither assigner nor trigger: a processor keeps its slices.
    """
    if operator["type"] != "window":
        return _NODES[operator["type"]]
    windows = operator["assigner"]
    kind = windows["type"]
    if operator["api"] == "tvf":
        return ("WindowAggregate", "WindowAggOperator", _PROCESSORS[kind])
    lengths = ", ".join(str(parse_duration(str(windows[name]))) for name in _LENGTHS[kind])
    assigner = f"{kind.capitalize()}Window({lengths})"
    return ("GroupWindowAggregate", "AggregateWindowOperator", assigner, _trigger(operator))


def plan_note(operator: Mapping[str, Any]) -> str:
    """``plan_node`` as a sentence."""
    node, runs, *rest = plan_node(operator)
    sliced = operator.get("assigner", {}).get("type") != "session"
    if node == "WindowAggregate" and sliced and operator.get("time") != "processing":
        node = words("sql.notes.phased", node=node)  # ``table.optimizer.agg-phase-strategy``, and what can be merged
    if runs in _BEFORE and sliced:  # sessions are a table function since 1.19 only
        was, until = _BEFORE[runs]
        runs = words("sql.notes.renamed", name=runs, was=was, until=until)
    return words("sql.notes.planned", node=node, classes=" · ".join((runs, *rest)))


def _trigger(operator: Mapping[str, Any]) -> str:
    """Source: ``WindowOperatorBuilder``, ``WindowEmitStrategy.getTrigger``. ``withLateFirings`` of a trigger that fires
    with every element returns the trigger itself: at the end of the window it fires with each late one anyway."""
    clock = "ProcessingTime" if operator.get("time") == "processing" else "EventTime"
    firings = operator.get("trigger", {})
    early, late = (firings.get(name) for name in ("early", "late"))
    found = f"{clock}.afterEndOfWindow()"
    if early:
        found += f".withEarlyFirings({_every(early)})"
    if late and late["type"] != "every-element":
        found += f".withLateFirings({_every(late)})"
    return found


def _every(trigger: Mapping[str, Any]) -> str:
    if trigger["type"] == "every-element":
        return "Element.every()"
    return f"ProcessingTime.every({parse_duration(trigger['interval'])})"
