"""The trace events: a closed union of frozen dataclasses, one for each kind of micro-step.

Every event names its ``place`` (operator method, in Flink's terms) and, where something was decided, the ``rule``
with its numbers. All times are ms. ``namespace`` is a window, or ``None`` for Flink's VoidNamespace; in JSON a
``window`` or ``namespace`` shows as ``start`` and ``end``, as in the rows, that of an interval join also as ``side``.
Together the events carry every change of state, timer, watermark, status, clock and output, so that the whole visible
state at a step can be rebuilt from the events before it (see ``simulator/timeline``).
"""

from simulator.trace.event import (
    Rule,
    TraceEvent,
)
from simulator.trace.input_events import (
    ChannelActive,
    ChannelAdvanced,
    ChannelIdle,
    ClockAdvanced,
    IdlenessProbed,
    MaxTimestampRaised,
    RecordArrived,
    WatermarkCombined,
    WatermarkEmitted,
    WatermarkForwarded,
    WatermarkIgnored,
)
from simulator.trace.join_events import (
    BufferAdded,
    BufferRemoved,
    GroupFired,
    JoinMatched,
    QueuePopped,
    QueuePushed,
)
from simulator.trace.state_events import (
    CheckpointTaken,
    OperatorFailed,
    Restored,
    RowsWithdrawn,
    StateAdded,
    StateCleared,
    StateMerged,
    StateUpdated,
    TimerDeleted,
    TimerFired,
    TimerRegistered,
)
from simulator.trace.window_events import (
    ElementsEvicted,
    ElementSilentlySkipped,
    LateDropped,
    LateSideOutput,
    PaneFired,
    TriggerEvaluated,
    TriggerStateChanged,
    WindowCleaned,
    WindowRetired,
    WindowsAssigned,
    WindowSkippedLate,
    WindowsMerged,
    WindowTracked,
)

__all__ = [
    "BufferAdded",
    "BufferRemoved",
    "ChannelActive",
    "ChannelAdvanced",
    "ChannelIdle",
    "CheckpointTaken",
    "ClockAdvanced",
    "ElementSilentlySkipped",
    "ElementsEvicted",
    "GroupFired",
    "IdlenessProbed",
    "JoinMatched",
    "LateDropped",
    "LateSideOutput",
    "MaxTimestampRaised",
    "OperatorFailed",
    "PaneFired",
    "QueuePopped",
    "QueuePushed",
    "RecordArrived",
    "Restored",
    "RowsWithdrawn",
    "Rule",
    "StateAdded",
    "StateCleared",
    "StateMerged",
    "StateUpdated",
    "TimerDeleted",
    "TimerFired",
    "TimerRegistered",
    "TraceEvent",
    "TriggerEvaluated",
    "TriggerStateChanged",
    "WatermarkCombined",
    "WatermarkEmitted",
    "WatermarkForwarded",
    "WatermarkIgnored",
    "WindowCleaned",
    "WindowRetired",
    "WindowSkippedLate",
    "WindowTracked",
    "WindowsAssigned",
    "WindowsMerged",
]
