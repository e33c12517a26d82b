"""The trace events: a closed union of dataclasses that nobody changes, one for each kind of micro-step.

Every event names its ``place`` (the operator's method, in Flink's terms) and, where something was decided, the
``rule`` with its numbers. All times are ms. ``namespace`` is a window, or ``None`` for Flink's VoidNamespace. In JSON
a ``window`` or ``namespace`` becomes ``start`` and ``end``, as in the rows; that of an interval join also has ``side``.
Together the events carry every change of state, timers, watermarks, statuses, clock and output, so that everything
visible at a step can be rebuilt from the events before it (see ``simulator/timeline``).

docs/TRACE.md is generated from the docstrings of the events.
"""

from tidemark.simulator.engine.trace.batch_events import *  # noqa: F403 - the events of joins and batches belong to the union
from tidemark.simulator.engine.trace.event import Rule, TraceEvent
from tidemark.simulator.engine.trace.input_events import *  # noqa: F403
from tidemark.simulator.engine.trace.row_events import *  # noqa: F403
from tidemark.simulator.engine.trace.window_events import *  # noqa: F403
