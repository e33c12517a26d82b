"""The code walk of micro-batches: which listings a scenario by Spark's rules goes through."""

from tidemark.simulator.scenario.model import Scenario, Session, SparkJoin, SparkWindow


def batch_chapters(scenario: Scenario) -> dict[str, list[str]]:
    """The names of the listings by chapter, in reading order."""
    watermark = ["batch.watermark"] if any(each.delay is not None for each in scenario.inputs) else []
    read = ["batch.read"] if watermark else []
    return {"batch": ["batch.trigger"], "operator": [*read, *_operator(scenario)], "watermark": watermark}


def _operator(scenario: Scenario) -> list[str]:
    operator = scenario.operator
    if isinstance(operator, SparkJoin):
        return ["batch.join"]
    assert isinstance(operator, SparkWindow)
    sessions = ["batch.sessions"] if isinstance(operator.assigner, Session) else []
    filters = scenario.inputs[0].delay is not None and (bool(sessions) or operator.output_mode != "complete")
    return ["batch.windows", *(["batch.filter"] if filters else []), *sessions, f"batch.{operator.output_mode}"]
