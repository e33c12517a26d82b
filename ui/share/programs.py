"""A scenario as programs for real engines, and what differs between these: what the tab Code shows."""

from typing import Any

from tidemark.simulator.programs import TARGETS, NotExpressible, program
from tidemark.simulator.programs.differing import Aspect, NotCompared, differing
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH
from tidemark.simulator.scenario.model import Scenario


def programs_of(scenario: Scenario) -> dict[str, Any]:
    """``programs``: {to, file, text, reason} for each engine, with a ``reason`` in place of a text that cannot be.

    ``differing``: {title, cells} for each aspect in which the engines part ways, with ``batch`` records in each of
    Spark's micro-batches; or ``not_compared``, the reason.
    """
    rows: tuple[Aspect, ...] = ()
    reason = ""
    try:
        rows = differing(scenario)
    except NotCompared as obstacle:
        reason = str(obstacle)
    return {
        "programs": [_program(scenario, to) for to in TARGETS],
        "differing": [{"title": each.title, "cells": each.cells} for each in rows],
        "not_compared": reason,
        "batch": RECORDS_A_BATCH,
    }


def _program(scenario: Scenario, to: str) -> dict[str, str]:
    file = "Main.java" if to == "flink-java" else f"{scenario.name}-{to}.py"
    try:
        return {"to": to, "file": file, "text": program(scenario, to), "reason": ""}
    except NotExpressible as error:
        return {"to": to, "file": file, "text": "", "reason": str(error)}
