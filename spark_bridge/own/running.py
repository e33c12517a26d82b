"""A scenario's operator over files, its rows written to a folder: whole, or not at all."""

from dataclasses import dataclass
from pathlib import Path

from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.files.asked import Files
from tidemark.spark_bridge.own.over import opened
from tidemark.spark_bridge.own.writing import Target, outcomes, write
from tidemark.spark_bridge.stages import Stages


@dataclass(frozen=True)
class Written:
    """``rows``: how many rows of each outcome there are. ``notes``: what to know of how the files were read."""

    records: int
    rows: dict[str, int]
    way: str
    notes: tuple[str, ...]


def run_over(
    scenario: Scenario,
    files: Files | None,
    place: str | None,
    stages: Stages,
    folder: Path,
    format: str,
    *,
    skip_unreadable: bool = False,
) -> Written:
    """Write the rows of ``scenario`` over ``files`` to ``folder``, which does not exist yet or is empty.

    ``skip_unreadable``: see ``opened``. Raises ``UnreadableRecords``, ``NotCovered``, ``FilesError``, ``CheckFails``,
    ``NoJava``, ``Cancelled``.
    """
    target = Target(folder)
    with target as unfinished, opened(scenario, files, place, stages, skip_unreadable) as over:
        plan = over.plan()
        with stages.stage("spark"), over.execution(plan) as execution:
            rows = execution.keep(outcomes(execution.rows(), plan))
            counts = {row.outcome: row["count"] for row in rows.groupBy("outcome").count().collect()}
            stages.check()
            write(rows, unfinished, format)
        over.stream.require_unchanged()
        target.finish()
    return Written(plan.records, counts, plan.way, over.notes)
