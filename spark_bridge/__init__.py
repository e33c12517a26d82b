"""The same scenario, computed by Spark another way and compared row by row.

``check`` does everything; ``gaps_of`` says beforehand what is not covered, ``warm_up`` starts Spark beforehand.
``end`` cleans up after a server.
Importing this package imports no pyspark: only ``session``, ``execution`` and ``streaming`` do, when a check begins.
"""

import tidemark.simulator.interrupts  # noqa: F401 - first, so that Ctrl-C is handled while the rest is imported
from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.check import NotCovered, check, is_long, warm_up
from tidemark.spark_bridge.plan.coverage import (
    ENGINES,
    GAPS,
    LIMITS,
    STREAMING_GAPS,
    STREAMING_LIMITS,
    Gap,
    Way,
    engine_of,
    gaps_of,
    ways,
)
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.results.report import Difference, Report
from tidemark.spark_bridge.spark.folders import end
from tidemark.spark_bridge.spark.java import NoJava
from tidemark.spark_bridge.spark.stages import STAGES, Cancelled, CheckFails, EngineFails, Progress, Work

__all__ = [
    "ENGINES",
    "GAPS",
    "LIMITS",
    "STAGES",
    "STREAMING_GAPS",
    "STREAMING_LIMITS",
    "Cancelled",
    "CheckFails",
    "Difference",
    "EngineFails",
    "Fault",
    "Gap",
    "NoJava",
    "NotCovered",
    "Progress",
    "Report",
    "Way",
    "Work",
    "check",
    "end",
    "engine_of",
    "gaps_of",
    "is_long",
    "stream_page",
    "warm_up",
    "ways",
]
