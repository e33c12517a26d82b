"""What titles and tags can promise, and how a run shows that it keeps the promise."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.trace.events import PaneFired, RecordArrived
from tidemark.simulator.teaching.lint import Look


class Said(NamedTuple):
    """The word that a text uses; ``denied``: the text says that there is none of it (“not late”)."""

    text: str
    denied: bool


@dataclass(frozen=True, slots=True)
class Topic:
    """``spoken``: the pattern of its words by language. ``tags`` promise it. ``shown``: whether a run has it."""

    name: str
    spoken: dict[str, str]
    tags: frozenset[str]
    shown: Callable[[Look], bool]


DENIED: Final = {
    "en": r"(?:\b(?:not|no|never|without|nothing is|nobody is)|n[’']t)\s+(?:\w+\s+)?$",
    "zh": r"(?:不|没有|没|无|未|非)(?:是|算)?$",
}
"""What precedes a word that is denied."""


def said(topic: Topic, language: str, text: str) -> Said | None:
    """The first word of ``topic`` in ``text``; None if the text does not mention it."""
    pattern = topic.spoken.get(language)
    found = re.search(pattern, text, re.IGNORECASE) if pattern else None
    if found is None:
        return None
    return Said(found[0], re.search(DENIED[language], text[: found.start()], re.IGNORECASE) is not None)


def _late(run: Look) -> bool:
    """A record at or below the watermark when it arrived, whatever its fate; with Spark's rules a filtered one."""
    if run.events["RecordFiltered"]:
        return True
    return any(
        isinstance(step.event, RecordArrived)
        and step.event.ts is not None
        and step.watermark is not None
        and step.event.ts <= step.watermark
        for step in run.trace
    )


def _any_of(*events: str) -> Callable[[Look], bool]:
    return lambda run: any(run.events[event] for event in events)


def _type(*types: str) -> Callable[[Look], bool]:
    """The operator or its assigner is one of these."""

    def shown(run: Look) -> bool:
        operator: Any = run.scenario.operator
        return bool({operator.topic or operator.type, getattr(operator.assigner, "type", "")} & set(types))

    return shown


def _panes(column: str, *values: str) -> Callable[[Look], bool]:
    return lambda run: any(isinstance(s.event, PaneFired) and getattr(s.event, column) in values for s in run.trace)


def _retracts(run: Look) -> bool:
    """A window or a deduplication takes a result back."""
    return any(fact["row"].get("change") in ("-U", "+U") for fact in run.facts.tables["outputs"])


def _out_of_order(run: Look) -> bool:
    return any(row["out_of_order"] for row in run.facts.tables["records"])


def _idle(run: Look) -> bool:
    return bool(run.events["ChannelIdle"]) or sum(each.channels for each in run.scenario.inputs) > 1


def _merges(run: Look) -> bool:
    """Windows merged, or a record fell into a session that existed already."""
    rows = run.facts.tables["windows"] if _sessions(run) else ()
    return bool(run.events["WindowsMerged"] + run.events["SessionsMerged"]) or any(row["records"] > 1 for row in rows)


def _sessions(run: Look) -> bool:
    return run.scenario.operator.merges


TOPICS: Final = (
    Topic("late", {"en": r"\blate\b", "zh": "迟到"}, frozenset({"late-data"}), _late),
    Topic(
        "dropped",
        {"en": r"\bdrop(?:s|ped|ping)?\b", "zh": "丢弃"},
        frozenset({"dropped"}),
        _any_of("LateDropped", "LateForWindow", "RecordFiltered", "ElementSilentlySkipped"),
    ),
    Topic(
        "side_output",
        {"en": r"\bside outputs?\b", "zh": "侧输出"},
        frozenset({"side-output"}),
        _any_of("LateSideOutput"),
    ),
    Topic(
        "lateness",
        {"en": r"\blateness\b", "zh": "允许延迟"},
        frozenset({"allowed-lateness"}),
        lambda run: run.scenario.operator.allowed_lateness > 0,
    ),
    Topic(
        "session", {"en": r"\bsessions?\b", "zh": "会话"}, frozenset({"session-window", "dynamic-session"}), _sessions
    ),
    Topic(
        "merge",
        {"en": r"\bmerg(?:e|es|ed|ing)\b", "zh": "合并"},
        frozenset({"merging"}),
        _merges,
    ),
    Topic(
        "tumbling",
        {"en": r"\btumbling windows?\b", "zh": "滚动窗口"},
        frozenset({"tumbling-window"}),
        _type("tumbling"),
    ),
    Topic(
        "sliding", {"en": r"\bsliding windows?\b", "zh": "滑动窗口"}, frozenset({"sliding-window"}), _type("sliding")
    ),
    Topic(
        "cumulative",
        {"en": r"\bcumulative windows?\b", "zh": "累积窗口"},
        frozenset({"cumulative-window"}),
        _type("cumulative"),
    ),
    Topic(
        "join",
        {
            "en": r"\b(?:window|interval|temporal|stream|inner|outer|left|right) joins?\b",
            "zh": "(?:窗口|区间|时态|流|内|外|左|右)[连联]接",
        },
        frozenset({"interval-join", "window-join", "temporal-join"}),
        _type("window-join", "co-group", "interval-join", "temporal-join", "stream-join"),
    ),
    Topic("over", {"en": r"\bOVER\b(?=.{0,99}\b(?:frame|aggregat))", "zh": "OVER"}, frozenset({"over"}), _type("over")),
    Topic(
        "deduplication",
        {"en": r"\bdeduplicat(?:e|es|ion)\b", "zh": "去重"},
        frozenset({"deduplication"}),
        _type("deduplication"),
    ),
    Topic("idle", {"en": r"\bidle(?:ness)?\b", "zh": "空闲"}, frozenset({"idleness"}), _idle),
    Topic("out_of_order", {"en": r"\bout.of.order\b", "zh": "乱序"}, frozenset({"out-of-order"}), _out_of_order),
    Topic("early", {"en": r"\bearly\b", "zh": "提前"}, frozenset({"early-firing"}), _panes("timing", "early")),
    Topic(
        "retraction",
        {"en": r"\bretract(?:s|ed|ions?)?\b", "zh": "撤回"},
        frozenset({"retraction"}),
        _retracts,
    ),
    Topic(
        "evictor",
        {"en": r"\bevict(?:s|ed|ors?|ion)?\b", "zh": "驱逐"},
        frozenset({"evictor"}),
        lambda run: run.scenario.operator.evictor is not None or bool(run.events["StateEvicted"]),
    ),
    Topic(
        "checkpoint",
        {"en": r"\b(?:checkpoints?|restored?)\b", "zh": "检查点"},
        frozenset({"checkpoint"}),
        _any_of("CheckpointTaken"),
    ),
)
