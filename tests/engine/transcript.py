"""Short transcripts: an operator and a stream in the scenario format, and the run's rows, one line each."""

from textwrap import dedent, indent
from typing import Any

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.scenario import parse

from tidemark import simulator

TUMBLING = """
type: window
assigner: {type: tumbling, size: 5s}
function: {call: aggregate, compute: sum}
"""


def scenario_text(operator: str, stream: str, inputs: str = "", flink: str = "") -> str:
    """A complete scenario made of these parts; ``flink``: by the rules of this version."""
    parts = ["scenario: 1", "name: transcript"]
    if flink:
        parts.append(f'flink: "{flink}"')
    if inputs:
        parts += ["inputs:", indent(dedent(inputs).strip(), "  ")]
    parts += ["operator:", indent(dedent(operator).strip(), "  "), "stream:", indent(dedent(stream).strip(), "  ")]
    return "\n".join(parts) + "\n"


def row_lines(operator: str, stream: str, inputs: str = "", kinds: str = "", flink: str = "") -> list[str]:
    """The rows of a run, one line each, restricted to ``kinds`` if given. Checks that tracing does not change them."""
    scenario = parse(scenario_text(operator, stream, inputs, flink), "transcript.yaml")
    rows, _ = simulator.run_traced(scenario)
    assert rows == simulator.run_rows(scenario)
    return [line(row) for row in rows if not kinds or row["row"] in kinds.split()]


def events(operator: str, stream: str, inputs: str = "") -> list[str]:
    """The names of the trace events, in order."""
    return [type(step.event).__name__ for step in trace_of(operator, stream, inputs)]


def trace_of(operator: str, stream: str, inputs: str = "") -> Trace:
    """The trace of a run."""
    return simulator.run_traced(parse(scenario_text(operator, stream, inputs), "transcript.yaml"))[1]


def line(row: dict[str, Any]) -> str:
    """A row as text, such as ``pane a [0, 5000) on-time #0 = 7``."""
    match row["row"]:
        case "pane":
            change = f"{row['change']} " if "change" in row else ""
            span = "global" if row["end"] is None else f"[{row['start']}, {row['end']})"
            return f"pane {row['key']} {span} {row['timing']} #{row['pane']} {change}= {row['value']}"
        case "joined":
            return f"joined {row['key']} {row['left']['value']} with {row['right']['value']}"
        case "group":
            return f"group {row['key']} {row['left']} | {row['right']}"
        case "watermark":
            return f"watermark {row['ts']}"
        case "error":
            return f"error {row['type']}"
        case "ranked":
            return f"ranked {row['key']} [{row['start']}, {row['end']}) {row['rank']}. = {row['value']} at {row['ts']}"
        case "dropped" if "end" in row:
            return f"dropped {row['key']} at {row['ts']} = {row['value']} from [{row['start']}, {row['end']})"
        case kind:
            return f"{kind} {row['key']} at {row['ts']} = {row['value']}"
