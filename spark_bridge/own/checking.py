"""A check over files: both sides see the same records, Spark from its tables, the simulator as a stream."""

from dataclasses import replace
from time import monotonic

from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.execution.run import compared, progress_of
from tidemark.spark_bridge.faults import Fault
from tidemark.spark_bridge.files.asked import Files
from tidemark.spark_bridge.folders import temporary_folder
from tidemark.spark_bridge.own.over import opened, require_local
from tidemark.spark_bridge.own.records import staged
from tidemark.spark_bridge.report import Report
from tidemark.spark_bridge.simulate import simulation
from tidemark.spark_bridge.stages import Stages


def check_over(
    scenario: Scenario,
    files: Files | None,
    place: str | None,
    stages: Stages,
    fault: Fault | None = None,
    sample: int = 1,
    skip_unreadable: bool = False,
) -> Report:
    """Run both sides of ``scenario`` over ``files``, or over those of its own stream, and compare them.

    ``sample``: check one key in so many. ``skip_unreadable``: see ``opened``. Leaves no files and no jobs behind.
    Raises ``UnreadableRecords``, ``NotCovered``, ``EngineFails``, ``FilesError``, ``CheckFails``, ``NoJava``,
    ``Cancelled``, ``ValueError``.
    """
    began = monotonic()
    with opened(scenario, files, place, stages, skip_unreadable) as over, temporary_folder("own") as staging:
        require_local()
        plan = replace(over.plan(fault), sample=sample)
        records = staged(over.records, staging / "records")
        stages.check()
        with (
            temporary_folder("check") as folder,
            simulation(records.scenario, folder, progress_of(plan, stages), sample=sample) as simulating,
        ):
            execution = over.execution(plan)
            report = compared(
                over.spark, records.scenario, plan, execution, simulating, folder, stages, fault=fault, began=began
            )
    return replace(report, notes=over.notes)
