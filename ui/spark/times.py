"""Estimates of how long a check takes, from earlier checks on this machine."""

from collections.abc import Iterable
from typing import Final

from tidemark.ui.spark.jobs import Job

START: Final = 12.0
"""Seconds to start Spark and to plan, before any check has run."""
RECORDS_A_SECOND: Final = 25_000.0
"""Records per second, before any check has run."""
_MEASURES: Final = 50_000
"""The duration of a check of fewer records depends on the start, not on the rate."""


def estimate(events: int, jobs: Iterable[Job], of: str) -> float:
    """Seconds for a check of ``events`` records of the scenario ``of``.

    Based on its own largest check, else on the largest of any scenario, else on the constants above.
    """
    done = [job for job in jobs if job.result is not None]
    start = min((job.result.seconds for job in done if job.result and job.result.events < _MEASURES), default=START)
    large = [job for job in done if job.result and job.result.events >= _MEASURES]
    measured = max(large, key=lambda job: (job.asked.of == of, job.result.events if job.result else 0), default=None)
    rate = RECORDS_A_SECOND
    if measured is not None and measured.result is not None:
        rate = measured.result.events / max(measured.result.seconds - min(start, START), 1.0)
    return start + events / rate


def about(seconds: float) -> str:
    """In round numbers: ``20 s``, ``4 min``, ``1.5 h``."""
    if seconds < 55:
        return f"{max(5, round(seconds / 5) * 5)} s"
    if seconds < 55 * 60:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.1f} h"
