"""A scenario as a program for a real engine: what an engineer would write for this configuration, records included.

``program(scenario, "pyflink-sql")`` returns the whole text of a file that runs as it is and prints its results, one
JSON object a line: the same rows, in no particular order, as the scenario's own ``pane``, ``joined``, ``group``,
``emitted``, ``ranked`` and ``late`` rows. What an engine cannot do is ``NotExpressible``, with the reason.
"""

from collections.abc import Callable, Mapping
from typing import Final

from tidemark.simulator.programs.facts import NotExpressible, printed
from tidemark.simulator.programs.flink_java import datastream_lines, flink_java
from tidemark.simulator.programs.pyflink_sql import pyflink_sql, sql_lines
from tidemark.simulator.programs.pyspark import pyspark
from tidemark.simulator.scenario.model import Scenario

__all__ = ["TARGETS", "NotExpressible", "datastream_lines", "printed", "program", "sql_lines"]


def _pyspark(scenario: Scenario) -> str:
    if not any(each.columns for each in scenario.inputs):
        return pyspark(scenario)
    from tidemark.simulator.programs.pyspark_columns import pyspark_columns  # with the parser of SQL

    return pyspark_columns(scenario)


TARGETS: Final[Mapping[str, Callable[[Scenario], str]]] = {
    "flink-java": flink_java,
    "pyflink-sql": pyflink_sql,
    "pyspark": _pyspark,
}
"""The engines by name, and what writes a program for each."""


def program(scenario: Scenario, to: str) -> str:
    """The text of a program for the engine ``to``, one of ``TARGETS``. Raises ``NotExpressible``."""
    return TARGETS[to](scenario)
