"""What each window said to each record of a micro-batch, with the comparison that decided."""

from tidemark.simulator.engine.trace.events import BatchStarted, JoinRowStored, PartialUpdated, RecordFiltered
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.scenario.model import Scenario, Session, SparkJoin, SparkWindow
from tidemark.simulator.timeline.derived import JudgedFact
from tidemark.simulator.timeline.ids import record_id


def judged(scenario: Scenario, trace: Trace) -> list[JudgedFact]:
    """{record, start, end, taken, left, right, batch, step} with ``from_step`` and ``until_step``.

    ``left`` is the end of the window, in a join the record's own time; the record was ``taken`` unless it was
    ``left <= right``, the watermark of the batch before. ``right`` is None if nothing was compared.
    """
    rows: list[JudgedFact] = []
    batch = late_watermark = 0
    marked = {each.name for each in scenario.inputs if each.delay is not None}
    operator = scenario.operator
    heeds = isinstance(operator, SparkJoin | SparkWindow) and (
        isinstance(operator, SparkJoin) or operator.output_mode != "complete" or isinstance(operator.assigner, Session)
    )
    for step in trace:
        event = step.event
        if isinstance(event, BatchStarted):
            batch, late_watermark = event.batch, event.late_watermark
        elif isinstance(event, RecordFiltered | PartialUpdated | JoinRowStored):
            window = None if isinstance(event, JoinRowStored) else event.window
            asked = heeds and bool(marked) and (not isinstance(event, JoinRowStored) or event.side in marked)
            left = event.ts if isinstance(event, JoinRowStored | RecordFiltered) else event.window.end
            rows.append(
                {
                    "record": record_id(step.item),
                    "start": None if window is None else window.start,
                    "end": None if window is None else window.end,
                    "taken": not isinstance(event, RecordFiltered),
                    "left": left if window is None else window.end,
                    "right": late_watermark if asked else None,
                    "batch": batch,
                    "step": step.step,
                    "from_step": step.step,
                    "until_step": None,
                }
            )
    return rows
