"""The older group windows of Flink SQL: windows that fire more than once, and hops of any slide.

``WindowEmitStrategy`` reads from the settings ``table.exec.emit`` when a group window fires early and late. It then
takes results back and gives new ones; a window table function never does.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.programs.facts import ROWS, Facts, NotExpressible, printed
from tidemark.simulator.programs.sql_words import interval
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    EveryElement,
    ProcessingTimeEvery,
    Session,
    Sliding,
    Tumbling,
    Window,
)
from tidemark.simulator.values.json_text import json_text
from tidemark.simulator.words import words


@dataclass(frozen=True)
class Query:
    """``sql``: a SELECT. ``members``: Python text of the dict that is printed for ``row``. ``comment`` stands above it.

    ``json_values``: values are JSON texts, since nothing is computed of them. ``versioned``: inputs with a primary key.
    ``settings``: what is set before the query.
    """

    sql: str
    members: str
    comment: str
    json_values: bool = False
    versioned: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


CHANGE: Final = '{RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U"}[row.get_row_kind()]'
"""What a row of an updating result does to the one before it."""

PANE: Final = (
    '{"row": "pane", "key": row[0], "start": ms(row[1]), "end": ms(row[2]), "value": row[3], '
    '"timestamp": ms(row[2]) - 1}'
)
"""A result with its key and window."""


def aggregate(facts: Facts, compute: str, column: str = "v") -> str:
    """``SUM(v)``: what ``compute`` is in SQL."""
    if compute == "count":
        return "COUNT(*)"
    if compute not in ("sum", "min", "max", "avg"):
        raise NotExpressible("sql_function", function=compute)
    if facts.value not in ("integer", "double"):
        raise NotExpressible("sql_values")
    # AVG of whole numbers drops the fraction in SQL.
    return f"AVG(CAST({column} AS DOUBLE))" if compute == "avg" else f"{compute.upper()}({column})"


def input_name(facts: Facts) -> str:
    """The only input, as SQL names it."""
    return f"`{facts.scenario.inputs[0].name}`"


def group_window(facts: Facts, assigner: Any, value: str) -> str:
    """A SELECT with the older ``GROUP BY TUMBLE(…)``. Raises ``NotExpressible`` for windows that it does not have."""
    if getattr(assigner, "offset", 0):
        raise NotExpressible("sql_offset")
    match assigner:
        case Tumbling(size=size):
            name, lengths = "TUMBLE", [size]
        case Sliding(size=size, slide=slide):
            name, lengths = "HOP", [slide, size]
        case Session(gap=gap):
            name, lengths = "SESSION", [gap]
        case other:
            raise NotExpressible("sql_assigner", assigner=other.type)
    window = ", ".join(["rt", *(interval(each) for each in lengths)])
    bounds = f"{name}_START({window}), {name}_END({window})"
    return f"SELECT k, {bounds}, {value}\nFROM {input_name(facts)}\nGROUP BY k, {name}({window})"


def updating_window(facts: Facts, window: Window) -> Query:
    """The query of a window that fires early or late, with its settings. Raises ``NotExpressible``."""
    trigger = window.trigger
    if not isinstance(trigger, AfterEndOfWindow):
        raise NotExpressible("sql_trigger")
    # Flink takes lateness into account only together with late firings: at each record, which is what none means.
    late = trigger.late or (EveryElement() if window.allowed_lateness else None)
    firings = {"early": trigger.early, "late": late}
    if any(isinstance(each, ProcessingTimeEvery) for each in firings.values()):
        raise NotExpressible("sql_delay")
    if any(each not in (None, EveryElement()) for each in firings.values()) or bool(late) != bool(
        window.allowed_lateness
    ):
        raise NotExpressible("sql_trigger")
    if late != trigger.late and not _same_rows(facts, replace(window, trigger=replace(trigger, late=late))):
        raise NotExpressible("sql_trigger")
    settings = [("table.exec.emit.allow-lateness", f"{window.allowed_lateness} ms")] if window.allowed_lateness else []
    for name, each in firings.items():
        if each is not None:
            fire = f"table.exec.emit.{name}-fire"
            settings += [(f"{fire}.enabled", "true"), (f"{fire}.delay", "0 ms")]
    if settings and isinstance(window.assigner, Session):
        raise NotExpressible("sql_session")
    value = aggregate(facts, window.function.compute or "")
    members = f'{PANE.removesuffix("}")}, "change": {CHANGE}}}'
    comment = words("programs.pyflink.updating_window", language="en")
    return Query(group_window(facts, window.assigner, value), members, comment, settings=tuple(settings))


def _same_rows(facts: Facts, window: Window) -> bool:
    """Whether the scenario gives the same rows with ``window``."""
    found: Counter[str] = Counter()
    sink = replace(facts.scenario, operator=window)
    run(sink, lambda row: found.update([json_text(printed(row))]) if row["row"] in ROWS else None)
    return found == Counter(json_text(printed(row)) for row in facts.rows)
