"""One scenario run by both sides and compared: what the command line, the app and the tests call."""

import os
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

from tidemark.simulator.scenario.lengthened import with_events
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.words import words
from tidemark.spark_bridge.plan.coverage import (
    EVENTS_OF_FILE,
    SAMPLE,
    NotCovered,
    engine_of,
    gaps_of,
    gaps_of_events,
    gaps_over_files,
)
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, require_spark
from tidemark.spark_bridge.spark.stages import Cancelled, CheckFails, Progress, Stages, Work, failure_of

if TYPE_CHECKING:
    from tidemark.spark_bridge.files.request import Files

__all__ = ["Cancelled", "CheckFails", "NotCovered", "Progress", "check", "is_long", "warm_up"]

_POLL_SECONDS = 0.2
_WARM_UP_RECORDS = 500


def check(
    scenario: Scenario,
    events: int | None = None,
    *,
    engine: str | None = None,
    master: str | None = None,
    progress: Progress | None = None,
    cancelled: Event | None = None,
    work: Callable[[Work], None] | None = None,
    fault: Fault | None = None,
    distributions: bool = False,
    files: "Files | None" = None,
    sample: int = 1,
    skip_unreadable: bool = False,
) -> Report:
    """Run ``scenario`` in the simulator and in Spark and compare the rows.

    ``events``: the number of records; in place of a list such are generated as suit it
    (``simulator.scenario.lengthened``). ``engine``: ``batch`` or ``streaming``; by default the
    one whose rules the scenario follows. ``master``: a Spark master, or the address of a Spark Connect server
    (``sc://…``), see ``session.open_session``. Once ``cancelled`` is set, the check ends soon with ``Cancelled``.
    ``work`` is called with Spark's own figures a few times a second. ``fault`` is planted on Spark's side.
    ``distributions``: see ``Report``; only the batch engine has them, and not over files.
    ``files``: the records come from these in place of the scenario's own stream; the batch engine alone reads them.
    ``sample``: check only one key in so many, by its hash, but exactly; the batch engine alone does that.
    ``skip_unreadable``: records of files without a readable time are left out, and not refused.

    One check runs at a time in a process; a second one waits. Whatever it raises, the next check finds everything in
    working order. Raises ``NotCovered``, ``NoJava``, ``ValueError`` (a sample without keys), ``EngineFails``,
    ``Cancelled``, ``CheckFails``, ``UnreadableRecords``.
    """
    notes: tuple[str, ...] = ()
    if events is not None:
        if gaps := [EVENTS_OF_FILE] if files is not None else gaps_of_events(scenario, events):
            raise NotCovered(gaps)
        longer = with_events(scenario, events)
        if isinstance(scenario.stream, tuple):
            notes = (words("spark.other_records", scenario=scenario.name, events=f"{events:,}"),)
            notes += (words("spark.other_watermarks"),) if longer.inputs != scenario.inputs else ()
        scenario = longer
    engine = engine or engine_of(scenario)
    over_files = files is not None or isinstance(scenario.stream, Data)
    if over_files and (kinds := gaps_over_files(scenario, engine)):
        raise NotCovered(kinds)
    if sample > 1 and engine == "streaming":
        raise NotCovered([SAMPLE])
    if not over_files and (gaps := gaps_of(scenario, engine)):
        raise NotCovered(gaps)
    require_spark()
    # Imported here: without a check, neither pyspark nor Java is needed.
    from tidemark.spark_bridge.execution import run as batch
    from tidemark.spark_bridge.over_files.run import check_over
    from tidemark.spark_bridge.spark import session
    from tidemark.spark_bridge.streaming import run as streaming

    stages = Stages(progress, cancelled or Event(), work=work)
    stages.tell("session", 0, 1)  # reported first: it may have to wait for the session
    while not session.LOCK.acquire(timeout=_POLL_SECONDS):
        stages.check()
    try:
        if over_files:
            report = check_over(scenario, files, master, stages, fault, sample, skip_unreadable)
        elif engine == "streaming":
            report = streaming.run(scenario, master, stages, fault)
        else:
            report = batch.run(scenario, engine, master, stages, fault, distributions, sample)
        return replace(report, plant=fault, notes=notes + report.notes)
    except OSError as error:
        raise failure_of(error) from error
    finally:
        session.LOCK.release()


def is_long(scenario: Scenario, events: int | None) -> bool:
    """Whether a check of ``scenario`` with ``events`` records gets a Java for many items, not that of ``warm_up``."""
    stream = scenario.stream
    if isinstance(stream, Data):
        return stream.found is None or stream.found.records > QUICK_ITEMS
    return (events or (stream.events if isinstance(stream, Generated) else 0)) > QUICK_ITEMS


def warm_up(scenario: Scenario, engine: str | None, cancelled: Event) -> None:
    """Start Spark for checks to come, and have it load what a check of ``scenario`` by ``engine`` needs.

    Does nothing if Spark is on a cluster or a server: what belongs to others is used only when a check needs it.
    Raises what ``check`` raises.
    """
    if os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_MASTER") or isinstance(scenario.stream, Data):
        return
    stream = scenario.stream
    events = min(stream.events, _WARM_UP_RECORDS) if isinstance(stream, Generated) else None
    check(scenario, events, engine=engine, cancelled=cancelled, distributions=True)
