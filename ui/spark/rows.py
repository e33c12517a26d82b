"""The rows of both sides side by side: those that differ, and all others too if the run can be walked through."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator import timeline
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import listed, section, words
from tidemark.ui.catalogue import Entry
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.cache import keeping
from tidemark.ui.spark.html import card, number, sign, table
from tidemark.ui.spark.jobs import Job
from tidemark.ui.spark.kept import Difference, Result
from tidemark.ui.spark.views import counts_table

_LOST = frozenset({"dropped", "side"})


@dataclass(frozen=True)
class Small:
    """``rows`` as they are emitted, without those that a restore withdraws; ``of_item``: the first step of each item.

    ``steps``: the step that emits each row, by the row as text.

    ``delays``: for each record, how far (ms) its timestamp is behind the clock on arrival, and whether it is dropped.
    """

    rows: tuple[Mapping[str, Any], ...]
    steps: Mapping[str, int]
    of_item: Mapping[int, int]
    delays: tuple[tuple[int, bool], ...]

    def step_of(self, simulator: Mapping[str, Any] | None, spark: Mapping[str, Any] | None) -> int | None:
        """The step to look at for a row on which the sides differ; None if the walkthrough does not reach it."""
        if simulator is not None:
            return self.steps.get(_text(simulator))
        return self.of_item.get(spark.get("item", -1)) if spark is not None else None


def small(entry: Entry) -> Small:
    """What the walkthrough of ``entry`` shows; computed once."""
    assert entry.scenario is not None
    return _small(entry.scenario, entry.name, entry.stamp)


@keeping(20)
def _small(_scenario: Scenario, name: str, stamp: str) -> Small:
    scenario, trace = walked(_scenario)
    tables = timeline.build(scenario, trace, stories=False).tables
    steps: dict[str, int] = {}
    outputs = [output for output in tables["outputs"] if output["until_step"] is None]
    for output in outputs:
        steps.setdefault(_text(output["row"]), output["from_step"])
    of_item: dict[int, int] = {}
    for step in tables["steps"]:
        of_item.setdefault(step["item"], step["from_step"])
    records = {row["id"]: (row["at"] - row["ts"], row["fate"]) for row in tables["records"] if row["ts"] is not None}
    delays = tuple((delay, fate in _LOST) for delay, fate in records.values())
    return Small(tuple(output["row"] for output in outputs), steps, of_item, delays)


def _text(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, default=str)


MOST_ROWS: Final = 200
"""The most rows on which both sides agree in the list."""

_LOOK_OF_TIMING = {"early": " tm-open", "late": " tm-open tm-again"}
_MOST_SHOWN = 160
"""The most characters of a value: nobody reads a thousand values in a cell."""

_COLUMNS = ("key_window", "firing", "watermark", "simulator", "spark", "verdict", "step")


def rows(job: Job, small: Small | None, style: TimeStyle) -> str:
    """The card: the differing rows (if there are none, how to make the check fail), then the equal ones."""
    result, fault = job.result, job.asked.fault
    assert result is not None
    if result.equal:
        title, note = words("pages.spark.row_by_row"), ""
        lead = words("pages.spark.not_found" if fault else "pages.spark.try_planting")
    else:
        title = words("pages.spark.differences")
        note = words("pages.spark.shown", shown=number(len(result.differences)), all=number(result.differing))
        lead = words("pages.spark.found") if job.found_the_planted else ""
    lines = [_differing(job, each, small, style) for each in result.differences]
    lines += [_equal(job, row, small, style) for row in islice(agreed(result, small), MOST_ROWS) if small]
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in _COLUMNS)]
    body = f"<p class='tm-lead'>{escape(lead)}</p>" if lead else ""
    shown = table("differences", columns, lines, [3, 4, 5]) if lines else counts_table(result)
    return card(title, note, body + shown)


def agreed(result: Result, small: Small | None) -> Iterator[Mapping[str, Any]]:
    """The simulator's rows on which Spark agrees, provided that ``small`` is the very run that was checked."""
    if small is None or len(result.differences) < result.differing:
        return
    counts = result.counts.get("simulator", {})
    counted = [row for row in small.rows if row["row"] in counts]
    if Counter(row["row"] for row in counted) != Counter({kind: count for kind, count in counts.items() if count}):
        return  # a longer run than the walkthrough's, or an earlier state of the file
    left = [each.simulator for each in result.differences if each.simulator is not None]
    for row in counted:
        if row in left:
            left.remove(row)
        else:
            yield row


def _differing(job: Job, each: Difference, small: Small | None, style: TimeStyle) -> tuple[str, Sequence[str]]:
    row = each.simulator or each.spark or {}
    values = [_value(side, each.members) for side in (each.simulator, each.spark)]
    reason = words("pages.spark.differs_in", members=listed(each.members) or words("pages.spark.missing"))
    step = small.step_of(each.simulator, each.spark) if small else None
    mark = sign("planted" if job.found_the_planted else False)
    return "tm-hl", [
        mark, *_told(row, style), f"<b>{values[0]}</b>", f"<b>{values[1]}</b>", escape(reason), _link(job, step)
    ]  # fmt: skip


def _equal(job: Job, row: Mapping[str, Any], small: Small, style: TimeStyle) -> tuple[str, Sequence[str]]:
    value, step = _value(row, ()), small.step_of(row, None)
    verdict = escape(words("pages.spark.signs.equal"))
    return "", [sign(True), *_told(row, style), value, value, verdict, _link(job, step)]


def _told(row: Mapping[str, Any], style: TimeStyle) -> tuple[str, str, str]:
    """Key and window, the firing, the watermark."""
    place = f"<b>{escape(_short(row.get('key', '')))}</b> {escape(_where(row, style))}"
    return place, _firing(row), escape(style.exact(row.get("watermark")))


def _where(row: Mapping[str, Any], style: TimeStyle) -> str:
    if "start" in row:
        return style.window(row.get("start"), row.get("end"))
    time = row.get("timestamp", row.get("ts"))
    return "" if time is None else style.short(time)


def _firing(row: Mapping[str, Any]) -> str:
    kind = str(row.get("row", ""))
    if "batch" in row:
        return escape(words("pages.spark.in_batch", row=kind, batch=row["batch"]))
    if kind != "pane":
        return escape(f"{kind} {row['rank']}" if "rank" in row else kind)
    timing = str(row.get("timing"))
    look = _LOOK_OF_TIMING.get(timing, "")
    text = listed([section("player.timings").get(timing, timing), str(row.get("pane"))])
    return f"<i class='tm-square{look}'></i>{escape(text)}"


def _link(job: Job, step: int | None) -> str:
    """A link to the step of the walkthrough that emits the row."""
    if step is None:
        return escape(words("pages.spark.beyond"))
    address = urlencode([job.asked.address, ("step", str(step))])
    return f"<a href='./?{escape(address)}'>{escape(words('pages.spark.to_step', step=step))}</a>"


def _value(side: Mapping[str, Any] | None, members: Sequence[str]) -> str:
    """A side's value, followed by the differing members other than the value."""
    if side is None:
        return escape(words("pages.spark.no_row"))
    sides = ("left", "right")
    own = side.get("value", {name: side[name] for name in sides if name in side} or "")
    others = [f"{m} {_short(side.get(m))}" for m in members if m not in ("value", *sides)]
    return escape(listed([each for each in (_short(own), *others) if each]))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"


# Estimates of how long a check takes, from earlier checks on this machine.

START: Final = 12.0
"""Seconds to start Spark and to plan, before any check has run."""
RECORDS_A_SECOND: Final = 25_000.0
"""Records per second, before any check has run."""
_MEASURES: Final = 50_000
"""The duration of a check of fewer records depends on the start, not on the rate."""


def estimate(events: int, jobs: Iterable[Job], of: str) -> float:
    """Seconds for a check of ``events`` records of the scenario ``of``.

    Based on its own largest check, else on the largest of any scenario, else on the constants above.
    """
    done = [job for job in jobs if job.result is not None]
    start = min((job.result.seconds for job in done if job.result and job.result.events < _MEASURES), default=START)
    large = [job for job in done if job.result and job.result.events >= _MEASURES]
    measured = max(large, key=lambda job: (job.asked.of == of, job.result.events if job.result else 0), default=None)
    rate = RECORDS_A_SECOND
    if measured is not None and measured.result is not None:
        rate = measured.result.events / max(measured.result.seconds - min(start, START), 1.0)
    return start + events / rate


def about(seconds: float) -> str:
    """In round numbers: ``20 s``, ``4 min``, ``1.5 h``."""
    if seconds < 55:
        return f"{max(5, round(seconds / 5) * 5)} s"
    if seconds < 55 * 60:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.1f} h"
