"""What differs between the engines for one scenario, read off its runs: Flink's own, and its twin by Spark's rules.

``differing(scenario)`` has a row for each aspect in which Flink's DataStream API, Flink SQL and Spark part ways
here, and none for those in which they agree. Spark's side is that of the page Compare (``simulator.proof``).
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import End
from tidemark.simulator.limits import COMPARED_ITEMS, PROGRAM_RECORDS
from tidemark.simulator.programs.facts import NotExpressible
from tidemark.simulator.programs.pyflink_sql import pyflink_sql
from tidemark.simulator.proof.side_by_side import LATE, VERDICTS, side_by_side
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH, NoTwin, Twin, twin_of
from tidemark.simulator.scenario.model import EACH_RECORD, AfterEndOfWindow, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words

ASPECTS: Final = ("watermark", "results", "early", "again", "late", "end", "channels", "idleness")
"""The rows, in this order; the words are ``programs.differing.<name>``."""

_JAVA, _SQL, _SPARK = "flink-java", "pyflink-sql", "pyspark"
_RESULTS: Final = ("pane", "joined")

Cells = dict[str, str]
"""What each engine does, by its name in ``simulator.programs.TARGETS``."""


@dataclass(frozen=True)
class Aspect:
    """``title``: what differs; ``cells``: what each engine does here, by its name."""

    title: str
    cells: Cells


class NotCompared(Exception):
    """The engines cannot be compared for this scenario; the message says why."""


def differing(scenario: Scenario) -> tuple[Aspect, ...]:
    """The rows, by batches of ``RECORDS_A_BATCH`` records. Raises ``NotCompared`` if Spark has no such scenario."""
    if any(number >= PROGRAM_RECORDS for number, _ in enumerate(items(scenario))):
        raise NotCompared(words("side_by_side.no_twin.too_long", limit=f"{PROGRAM_RECORDS:,}"))
    try:
        return tuple(_Sides(scenario, twin_of(scenario, size=RECORDS_A_BATCH)).aspects())
    except NoTwin as obstacles:
        raise NotCompared(
            words("app.semicolon").join(
                words(f"side_by_side.no_twin.{each}", limit=f"{COMPARED_ITEMS:,}") for each in obstacles.names
            )
        ) from None
    except ScenarioError as error:
        raise NotCompared(str(error)) from None


class _Sides:
    def __init__(self, scenario: Scenario, twin: Twin) -> None:
        self.scenario, self.twin = scenario, twin
        self.operator: Any = scenario.operator
        self.compared = side_by_side(scenario, twin)
        self.given: list[Any] = []
        run(scenario, self.given.append)
        self.has_java = self.operator.api == "datastream"
        self.has_program = False
        """Whether Flink SQL gives the same rows."""
        with suppress(NotExpressible):
            self.has_program = bool(pyflink_sql(scenario))

    def aspects(self) -> Iterator[Aspect]:
        """The aspects in which the engines part ways."""
        for name in ASPECTS:
            found: Cells | None = getattr(self, f"_{name}")()
            cells = {engine: text for engine, text in (found or {}).items() if engine != _JAVA or self.has_java}
            if len(set(cells.values())) > 1:
                yield Aspect(words(f"programs.differing.{name}.title"), cells)

    def _watermark(self) -> Cells:
        spec = self.scenario.inputs[0].watermark
        every = getattr(spec, "emit", EACH_RECORD)
        here = self._said("watermark.each_here" if every == EACH_RECORD else "watermark.every", every=every)
        java = here if hasattr(spec, "emit") else self._said("watermark.each")  # by no clock at all
        return {_JAVA: java, _SQL: here, _SPARK: self._said("watermark.spark")}

    def _results(self) -> Cells:
        entries = self.compared.entries
        flink = self._said("results.flink", count=sum(bool(each.flink) for each in entries))
        found = Counter(each.verdict for each in entries)
        said = [self._said(f"results.{each}", count=found[each]) for each in VERDICTS if found[each]]
        spark = self._said("results.spark", size=RECORDS_A_BATCH, found=self._said("and").join(said))
        return {_JAVA: flink, _SQL: flink if self.has_program else self._said("results.refused"), _SPARK: spark}

    def _early(self) -> Cells | None:
        return self._fired("early")

    def _again(self) -> Cells | None:
        return self._fired("late")

    def _fired(self, timing: str) -> Cells | None:
        number = sum(row.get("timing") == timing for row in self.given)
        if not number:
            return None
        here, once = self._said("fired", count=number), self._said("once")
        # By the settings table.exec.emit of SQL's group windows, but for sessions (``WindowEmitStrategy``).
        by_settings = isinstance(self.operator.trigger, AfterEndOfWindow) and self.operator.assigner.type != "session"
        return {_JAVA: here, _SQL: here if by_settings else once, _SPARK: once}

    def _late(self) -> Cells | None:
        rows = Counter(row["row"] for row in self.given)
        filtered = sum(each.spark == LATE for each in self.compared.records)
        if not rows["dropped"] + rows["late"] + filtered:
            return None
        dropped = self._said("late.dropped", count=rows["dropped"])
        return {
            _JAVA: self._said("late.aside", count=rows["late"]) if rows["late"] else dropped,
            _SQL: dropped if self.has_program else self._said("late.always"),
            _SPARK: self._said("late.dropped", count=filtered),
        }

    def _end(self) -> Cells | None:
        ends = {number for number, each in enumerate(items(self.scenario)) if isinstance(each, End)}
        number = sum(row["row"] in _RESULTS and row["item"] in ends for row in self.given)
        flink = self._said("end.flink", count=number)
        return {_JAVA: flink, _SQL: flink, _SPARK: self._said("end.spark")} if number else None

    def _channels(self) -> Cells | None:
        return self._lost("channels", count=max(each.channels for each in self.scenario.inputs))

    def _idleness(self) -> Cells | None:
        return self._lost("idleness")

    def _lost(self, name: str, **fields: int) -> Cells | None:
        """What Spark's twin has to do without."""
        if name not in self.twin.lost:
            return None
        return {each: self._said(f"{name}.{each}", **fields) for each in (_JAVA, _SQL, _SPARK)}

    def _said(self, name: str, **fields: Any) -> str:
        if "every" in fields:
            fields["every"] = format_duration(fields["every"])
        return words(f"programs.differing.{name}", **fields)
