"""Why and why not: what each window waits for, and how each record was judged (``docs/TIMELINE.md``)."""

from tidemark.simulator.timeline.conditions.judgements import judgements
from tidemark.simulator.timeline.conditions.meeting import values_that_fire
from tidemark.simulator.timeline.conditions.windows import conditions, firings

__all__ = ["conditions", "firings", "judgements", "values_that_fire"]
