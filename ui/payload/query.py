"""The query of a scenario in three forms, and which of its clauses decides what happens at a step.

Each form is a list of lines: a sentence, Flink SQL, or calls of the DataStream API, written by ``simulator/programs``.
A line names the clauses that stand in it; an event names the clauses that can decide it, the best one first. So
``lateness`` is lit where a record is lost, or ``watermark`` in a query that says nothing of lateness.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tidemark.simulator.programs import NotExpressible, datastream_lines, sql_lines
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.records import null_rowtimes
from tidemark.ui.payload.sentence import clauses

_WATERMARK: Final = ("watermark",)
_LATE: Final = ("lateness", "watermark")
_FIRING: Final = ("trigger", "window", "watermark")
_COMPUTED: Final = ("aggregate", "window")
_KEPT: Final = ("lateness", "window", "watermark")

DECIDING: Final[dict[str, tuple[str, ...]]] = {
    "RecordArrived": ("key", "window"), "RowFiltered": ("filter",),
    "MaxTimestampRaised": _WATERMARK, "WatermarkEmitted": _WATERMARK, "ChannelAdvanced": _WATERMARK,
    "WatermarkNull": _WATERMARK,
    "WatermarkIgnored": _WATERMARK, "WatermarkCombined": _WATERMARK, "WatermarkForwarded": _WATERMARK,
    "ChannelIdle": _WATERMARK, "ChannelActive": _WATERMARK, "IdlenessProbed": _WATERMARK,
    "LateDropped": _LATE, "LateSideOutput": _LATE, "WindowSkippedLate": _LATE, "ElementSilentlySkipped": _LATE,
    "LateForWindow": _LATE, "RowIgnored": _LATE,
    "WindowsAssigned": ("window",), "WindowTracked": ("window",), "WindowsMerged": ("window",),
    "TimerRegistered": _FIRING, "TimerFired": _FIRING, "TriggerEvaluated": _FIRING, "TriggerStateChanged": _FIRING,
    "PaneFired": _FIRING, "GroupFired": _FIRING,
    "StateCleared": _KEPT, "WindowCleaned": _KEPT, "WindowRetired": _KEPT, "TimerDeleted": _KEPT,
    "ElementsEvicted": ("evictor",),
    "JoinMatched": ("window", "key"), "LeftRowJoined": ("window", "key"),
}  # fmt: skip
"""By event the clauses that can decide it; what an event is computed by, where it is not named here."""

_CLAUSES: Final = {
    "filter": re.compile(r"^WHERE (?!place )"),
    "watermark": re.compile(r"WATERMARK FOR|WatermarkStrategy|assignTimestampsAndWatermarks"),
    "key": re.compile(r"GROUP BY|PARTITION BY|\.keyBy\(|\.where\(|\.k = "),
    "window": re.compile(r"\b(TUMBLE|HOP|CUMULATE|SESSION)\(|BETWEEN|SYSTEM_TIME|\.(window|between)\("),
    "trigger": re.compile(r"\.trigger\(|-fire\."),
    "evictor": re.compile(r"\.evictor\("),
    "lateness": re.compile(r"allow-lateness|\.allowedLateness\(|\.sideOutput\w*LateData\("),
    "aggregate": re.compile(r"\b(SUM|COUNT|MIN|MAX|AVG|ROW_NUMBER)\(|\.(aggregate|process|reduce|apply)\("),
}
"""How a clause is recognised in a line of code."""


def query(scenario: Scenario, steps: Iterable[Row]) -> dict[str, Any]:
    """``forms``: by name the lines, each {text, clauses}; a form that the scenario cannot have is not there.

    ``deciding``: by event of ``steps`` the clauses that can decide it.
    """
    forms: dict[str, list[dict[str, Any]]] = {
        "sentence": [{"text": text, "clauses": list(named)} for text, named in clauses(scenario)]
    }
    for name, lines in (("sql", sql_lines), ("datastream", datastream_lines)):
        try:
            forms[name] = [{"text": each, "clauses": list(_clauses_in(each))} for each in lines(scenario)]
        except NotExpressible:
            continue
    taken = list(steps)
    events = sorted({step["event"] for step in taken})
    deciding = {event: list(DECIDING.get(event, _COMPUTED)) for event in events}
    if null_rowtimes(taken):
        deciding["OperatorFailed"] = list(_WATERMARK)
    return {"forms": forms, "deciding": deciding}


def _clauses_in(line: str) -> Iterator[str]:
    return (name for name, pattern in _CLAUSES.items() if pattern.search(line))
