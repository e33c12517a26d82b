"""A scenario, its run, and what can be asked about it: rows, steps, reasons, the smallest change."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tidemark.simulator import Row, Trace, run_rows, run_traced
from tidemark.simulator.engine.trace.trace import step_as_json
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.limits import CELL_STEPS, SEARCHED_STEPS, WALK_STEPS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.format.document import ROWS
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.timeline import Timeline, build
from tidemark.ui.python.frames import InputError, Times, frame_of, named, whole_number

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

LEVEL = "practitioner"
"""The level of the sentences: for those who work with Flink."""


@dataclass(frozen=True)
class Scenario:
    """A scenario that was read and checked; ``model`` has its parts.

    >>> import tidemark
    >>> scenario = tidemark.load("late-and-dropped")
    >>> scenario
    Scenario('late-and-dropped')
    >>> scenario.model.operator.assigner
    Tumbling(size=10000, offset=0)
    """

    model: model.Scenario

    @property
    def name(self) -> str:
        """What the scenario is called.

        >>> import tidemark
        >>> tidemark.load("late-and-dropped").name
        'late-and-dropped'
        """
        return self.model.name

    def run(self) -> "Run":
        """Run the scenario by the rules of its engine. Raises ``ScenarioError`` for what the engine cannot run.

        >>> import tidemark
        >>> len(tidemark.load("late-and-dropped").run().rows)
        10
        """
        return Run(self, run_rows(self.model))

    def text(self) -> str:
        """The text of a scenario file, in YAML.

        >>> import tidemark
        >>> print(tidemark.load("late-and-dropped").text().splitlines()[1])
        name: "late-and-dropped"
        """
        return as_yaml(self.model)

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"


@dataclass(frozen=True)
class Change:
    """One number changed: ``what`` (``bound``, ``allowed-lateness``, or the record's own ``ts``), in ms.

    ``scenario`` has the change.

    >>> import tidemark
    >>> first, *_ = tidemark.load("late-and-dropped").run().smallest_change()
    >>> first
    Change(what='bound', before=2000, after=2501)
    >>> first.scenario.run().smallest_change()
    []
    """

    what: str
    before: int
    after: int
    scenario: Scenario

    def __repr__(self) -> str:
        return f"Change(what={self.what!r}, before={self.before}, after={self.after})"


@dataclass(frozen=True)
class Reason:
    """One step of a record: ``what`` happened, ``why``, and the ``rule`` with its numbers; "" where there is none.

    >>> import tidemark
    >>> tidemark.load("late-and-dropped").run().why(record=5).reasons[-1].rule
    '8.000 <= 10.499'
    """

    step: int
    what: str
    why: str
    rule: str


@dataclass(frozen=True)
class Why:
    """What became of a record, step by step; ``print`` shows it as text.

    ``fate`` as the table ``records`` has it: ``on-time``, ``late-accepted``, ``dropped``, ``side``, ``skipped`` …

    >>> import tidemark
    >>> tidemark.load("late-and-dropped").run().why(record=5).fate
    'dropped'
    """

    record: int
    fate: str
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        lines = []
        for each in self.reasons:
            rule = f" ({each.rule})" if each.rule and each.rule not in each.why else ""
            lines.append(f"{each.step}. {each.what}{f' {each.why}' if each.why else ''}{rule}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Run:
    """A finished run. ``rows``: what the operator emitted, in order, as ``python -m simulator run`` prints it.

    >>> import tidemark
    >>> run = tidemark.load("late-and-dropped").run()
    >>> run
    Run('late-and-dropped', rows=10)
    >>> [row["value"] for row in run.rows if row["row"] == "dropped"]
    [7]
    """

    scenario: Scenario
    rows: list[Row]

    def __repr__(self) -> str:
        return f"Run({self.scenario.name!r}, rows={len(self.rows)})"

    def to_pandas(self, times: Times = "datetime", rows: str | Iterable[str] | None = None) -> "pd.DataFrame":
        """The rows as a DataFrame. ``times``: ``"datetime"`` for ``datetime64[ms]`` in UTC, ``"ms"`` for numbers.

        As a datetime, a time that no calendar has (the watermark at the end of the input) is NaT. Keys are categories;
        ``rows``: only those of this kind, or of these: ``"pane"``, ``["late", "dropped"]``.

        >>> import tidemark
        >>> run = tidemark.load("late-and-dropped").run()
        >>> run.to_pandas(times="ms", rows="pane")[["key", "start", "end", "value"]].head(2)
          key  start    end  value
        0   a      0  10000      6
        1   a  10000  20000      9
        """
        known = ROWS[self.scenario.model.engine]
        kinds: Any = known if rows is None else rows.split(",") if isinstance(rows, str) else rows
        if not isinstance(kinds, Iterable) or not (kinds := {*kinds}) <= {*known}:
            raise InputError("no_rows", known=", ".join(known), found=named(rows))
        return frame_of((row for row in self.rows if row["row"] in kinds), times)

    def trace(self) -> list[dict[str, Any]]:
        """Every micro-step, as ``python -m simulator trace`` prints it. Raises ``ScenarioError`` for too many.

        >>> import tidemark
        >>> tidemark.load("late-and-dropped").run().trace()[0]["event"]
        'ClockAdvanced'
        """
        return [step_as_json(step) for step in self._traced]

    def why(self, record: int) -> Why:
        """What became of a record and why. ``record``: its place in the stream, the ``item`` of its rows.

        >>> import tidemark
        >>> run = tidemark.load("late-and-dropped").run()
        >>> run.why(record=5).fate
        'dropped'
        """
        # Imported here: nothing else puts a step into words.
        from tidemark.simulator.timeline.stops import levels_of, shown_at
        from tidemark.simulator.timeline.wording import Wording

        record = self._record(record)
        tables = self.facts.by_name()
        wording = Wording(self.scenario.model, tables["steps"], level=LEVEL)
        levels = levels_of(tables["steps"])
        steps = [step for step in tables["steps"] if step["item"] == record and shown_at(LEVEL, levels[step["step"]])]
        reasons = [
            Reason(each["step"], wording.what(each), wording.why(each), wording.predicate(each)) for each in steps
        ]
        fate = next(row["fate"] for row in reversed(tables["records"]) if row["item"] == record)
        return Why(record, fate, tuple(reasons))

    def smallest_change(self, record: int | None = None) -> list[Change]:
        """For each number its smallest change with which ``record`` is not lost; without one, no record is lost.

        ``record``: as that of ``why``. Empty if nothing is lost. Raises ``InputError`` for a run of more than
        ``SEARCHED_STEPS`` steps: each value to try takes a run.

        >>> import tidemark
        >>> tidemark.load("late-and-dropped").run().smallest_change(record=5)[0]
        Change(what='bound', before=2000, after=2501)
        """
        # Imported here: it looks far for what most runs are not asked.
        from tidemark.simulator.explore.smallest import keeps, keeps_all, smallest_changes

        if len(self._traced) > SEARCHED_STEPS:
            raise InputError("long_search", steps=f"{len(self._traced):,}", most=f"{SEARCHED_STEPS:,}")
        record = None if record is None else self._record(record)
        turns, scenario = keeps_all if record is None else keeps(record), self.scenario.model
        if turns(scenario, self._traced):
            return []
        found = smallest_changes(scenario, turns, record)
        return [Change(each.what, each.before, each.after, Scenario(each.scenario)) for each in found]

    def plane(self, step: int | None = None) -> "alt.LayerChart":
        """The plane as an Altair chart, at ``step`` (by default the last one): event time across, arrival downwards.

        Raises ``InputError`` for a run of more than ``WALK_STEPS`` steps, as the other charts do.

        >>> import tidemark
        >>> chart = tidemark.load("late-and-dropped").run().plane()
        >>> chart.properties(width=400).to_dict()["width"]
        400
        """
        from tidemark.ui.python import charts

        return charts.plane(self._charted(), step)

    def lanes(self, step: int | None = None) -> "alt.LayerChart":
        """The windows of each key over event time, with their results and records, as an Altair chart.

        >>> import tidemark
        >>> run = tidemark.load("late-and-dropped").run()
        >>> chart = run.plane() & run.lanes()
        """
        from tidemark.ui.python import charts

        return charts.lanes(self._charted(), step)

    def watermarks(self, step: int | None = None) -> "alt.LayerChart":
        """The watermarks of the channels and of the operator over arrival, with the records, as an Altair chart.

        >>> import tidemark
        >>> chart = tidemark.load("idle-channel").run().watermarks()
        """
        from tidemark.ui.python import charts

        return charts.watermarks(self._charted(), step)

    def player(self, step: int = 0, *, height: int = 520, language: str | None = None, student: bool = False) -> Any:
        """The player in a cell, opening at ``step``: a widget, whose ``step`` can be read, set and observed.

        Without anywidget (``pip install "tidemark[notebook]"``) it is the same page without that. ``height`` in px;
        ``language``: ``en`` or ``zh``; ``student``: without notes and answers. Raises ``NotShownError``, a
        ``ValueError``, for a run that cannot be shown.

        >>> import tidemark
        >>> tidemark.load("late-and-dropped").run().player(step=1_000)
        Traceback (most recent call last):
        ...
        tidemark.ui.share.notebook.NotShownError: There is no step 1000: this run has the steps 0 to 82.
        """
        from tidemark.ui.python.player import player

        if len(self._traced) > CELL_STEPS:
            raise InputError("long_player", steps=f"{len(self._traced):,}", most=f"{CELL_STEPS:,}")
        return player(self.scenario.model, step=step, height=height, language=language, student=student)

    @cached_property
    def facts(self) -> Timeline:
        """The timeline of the run (TIMELINE.md): facts, each true from one micro-step to another.

        >>> import tidemark
        >>> run = tidemark.load("late-and-dropped").run()
        >>> run.facts.number_of_steps == len(run.trace())
        True
        """
        return build(self.scenario.model, self._traced)

    def _charted(self) -> Timeline:
        if len(self._traced) > WALK_STEPS:
            raise InputError("long_chart", steps=f"{len(self._traced):,}", most=f"{WALK_STEPS:,}")
        return self.facts

    @cached_property
    def _traced(self) -> Trace:
        return run_traced(self.scenario.model)[1]

    def _record(self, record: int) -> int:
        places = [place for place, each in enumerate(items(self.scenario.model)) if isinstance(each, Record)]
        found = whole_number(record)
        if found not in places:
            raise InputError("no_record", record=named(record), low=min(places, default=0), high=max(places, default=0))
        return found
