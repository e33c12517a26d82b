"""The Spark page's cards as HTML: the verdict, progress, earlier runs, both sides' counts."""

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
from tidemark.ui.spark import html
from tidemark.ui.spark.html import card, number, sign, table
from tidemark.ui.spark.jobs import Difference, Job, Result

_WORTH_A_RATE = 5_000
"""With fewer items, most of the time goes into starting a process."""


def verdict(job: Job, before: int) -> str:
    """The headline of the page: equal, or how many rows differ. ``before``: how many jobs come first."""
    result = job.result
    if job.running:
        doing = "stopping" if job.stop.is_set() else job.state
        head = words(f"pages.spark.verdicts.{doing}", title=job.asked.title)
        under = words(
            "pages.spark.verdicts.queue_one" if before == 1 else "pages.spark.verdicts.queue_many", before=before
        )
        note = under if job.state == "waiting" else words("pages.spark.running_note", id=job.id)
        facts = [(html.seconds(job.seconds), words("pages.spark.so_far"))] if job.state == "running" else []
        return _verdict_card("<span class='tm-spin'></span>", head, note, "", facts)
    if result is None:
        text = job.problem or words(f"pages.spark.ends.{job.state}")
        look = ("stopped", "tm-aside") if job.stopped else (False, "tm-bad")
        return _verdict_card(sign(look[0]), words(f"pages.spark.states.{job.state}"), text, look[1], [])
    compared = result.rows
    facts = [
        (f"Spark {result.spark_version}", f"Java {result.java_version}"),
        (listed([result.engine, result.way]), words(f"pages.spark.ways.{result.way}")),
        (html.seconds(job.seconds), _pace(job, result)),
    ]
    under = words("pages.spark.compared", rows=number(compared), events=number(result.events))
    kind = "tm-aside" if job.asked.fault is not None else "" if result.equal else "tm-bad"
    return _verdict_card(sign(_good(job)), _told(job, result, "verdict"), under, kind, facts)


def _good(job: Job) -> bool | str | None:
    """The outcome of the job as a sign."""
    if job.result is None:
        return None if job.running else "stopped" if job.stopped else False
    if job.asked.fault is not None:
        return "stopped" if job.result.equal else "planted"
    return bool(job.result.equal)


def _told(job: Job, result: Result, place: str) -> str:
    """The outcome in words, for its ``place``: ``verdict``, or ``result`` of a run in the list. It counts rows of every
    kind; the changes by a planted fault are never called just a difference."""
    one = "one" if result.differing == 1 else "differs"
    planted = job.asked.fault is not None
    key = ("not_found" if planted else "equal") if result.equal else "planted" if planted else one
    numbers = {"all": number(result.rows), "equal": number(max(result.rows - result.differing, 0))}
    numbers["fault"] = words(f"pages.spark.faults.{job.asked.fault or 'none'}")
    return words(f"pages.spark.{place}_{key}", differing=number(result.differing), **numbers)


def _planted(fault: str) -> str:
    return words("pages.spark.planted_one", fault=words(f"pages.spark.faults.{fault}"))


def _pace(job: Job, result: Result) -> str:
    """Records per second, if they took most of the time. The wait for Spark counts, as in every duration shown."""
    if result.events < _WORTH_A_RATE or not job.seconds:
        return words("pages.spark.in_all")
    return words("pages.spark.rate", rate=html.rate(result.events / job.seconds))


def _verdict_card(mark: str, head: str, under: str, kind: str, facts: Sequence[tuple[str, str]]) -> str:
    parts = "".join(f"<div><b>{escape(a)}</b><span>{escape(b)}</span></div>" for a, b in facts)
    text = f"<div class='tm-verdict-text'><h1 aria-live='polite'>{escape(head)}</h1><p>{escape(under)}</p></div>"
    return f"<section class='tm-pagecard tm-verdict {kind}'><i>{mark}</i>{text}{parts}</section>"


def progress(job: Job, stages: Iterable[str]) -> str:
    """The stages on one time axis, each with its current activity."""
    whole = max(job.seconds, 0.1)
    rows = []
    for stage in stages:
        begin, end = job.stages.get(stage, [None, None])
        name = f"<b>{escape(words(f'spark.stages.{stage}'))}</b>"
        if begin is None:
            rows.append(("tm-later", ["", name, "", _bar(0, 0), ""]))
            continue
        until = whole if end is None else end
        done = True if end is not None else None if job.running else "stopped" if job.stopped else False
        bar = _bar(100 * begin / whole, max(100 * (until - begin) / whole, 1))
        doing = _doing(job, stage, until - begin)
        rows.append(("", [sign(done), name, escape(doing), bar, html.seconds(max(until - begin, 0))]))
    note = words("pages.spark.goes_on") if job.running else words("pages.spark.finished", id=job.id)
    body = table("stages", ["", "", "", "", ""], rows, [4]) + f"<p class='tm-quiet'>{escape(note)}</p>"
    return card(words("pages.spark.progress"), html.seconds(job.seconds), body)


def _doing(job: Job, stage: str, took: float) -> str:
    """The progress of a stage in numbers."""
    if stage == "session" and job.stages[stage][1] is None and job.running:
        return words("pages.spark.first_start")
    done, total = job.progress.get(stage, (0, 0))
    if stage == "simulator" and total >= _WORTH_A_RATE:
        a_second = html.rate(done / took) if took > 0 else "0"
        key = "simulating" if done < total else "simulated"
        return words(f"pages.spark.{key}", done=number(done), total=number(total), rate=a_second)
    if stage == "spark" and total > 1:
        return words("pages.spark.batches", done=number(done), total=number(total))
    if stage == "spark" and job.running and job.work is not None and done < total:
        work = job.work
        text = words("pages.spark.stage", stage=work.stages + 1, done=work.tasks_done, tasks=work.tasks)
        moved = words("pages.spark.moved", rows=number(work.rows), rate=html.rate(work.rate))
        if work.read_bytes and not work.rows:
            moved = words("pages.spark.read", size=html.size(work.read_bytes))
        return f"{text} · {moved}" if work.rows or work.read_bytes else text
    if stage == "spark" and job.result is not None:
        return words("pages.spark.computed", rows=number(sum(job.result.counts.get("spark", {}).values())))
    if stage == "compare" and job.result is not None:
        return words("pages.spark.differ", differing=number(job.result.differing))
    return ""


def _bar(left: float, width: float) -> str:
    return f"<span class='tm-stagebar'><i style='margin-left:{left:.1f}%;width:{width:.1f}%'></i></span>"


def earlier(jobs: Sequence[Job], selected: Job, unreadable: int) -> str:
    """Earlier runs of the scenario, each with a link that opens it again."""
    rows = []
    for job in jobs:
        result = job.result
        events = number(result.events) if result else number(job.asked.events) if job.asked.events else ""
        text = words(f"pages.spark.states.{job.state}")
        if result:
            text = _told(job, result, "result")
        planted = _planted(job.asked.fault) if job.asked.fault else ""
        way = listed([*([result.engine, result.way] if result else [job.asked.engine]), *filter(None, [planted])])
        link = urlencode([job.asked.address, ("job", job.id)])
        time = f"<a href='./spark?{escape(link)}'>{job.asked_at:%H:%M:%S}</a>"
        cells = [sign(_good(job)), time, events, escape(way), html.seconds(job.seconds), f"<b>{escape(text)}</b>"]
        rows.append(("tm-hl" if job is selected else "", cells))
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in ("time", "events", "way", "took", "result"))]
    note = words("pages.spark.runs", count=len(jobs))
    body = table("runs", columns, rows, [2, 4])
    if unreadable:
        key = "unreadable_one" if unreadable == 1 else "unreadable_many"
        body += f"<p class='tm-quiet'>{escape(words(f'pages.spark.{key}', count=unreadable))}</p>"
    return card(words("pages.spark.earlier"), note, body)


def counts(result: Result) -> str:
    """How many rows of each kind each side emitted."""
    both = result.counts
    kinds = list(dict.fromkeys([*both.get("simulator", {}), *both.get("spark", {})]))
    rows = []
    for kind in kinds:
        ours, theirs = both.get("simulator", {}).get(kind, 0), both.get("spark", {}).get(kind, 0)
        same = ours == theirs
        rows.append(("" if same else "tm-hl", [sign(same), escape(kind), number(ours), number(theirs)]))
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in ("rows", "simulator", "spark"))]
    return card(words("pages.spark.counts"), "", table("counts", columns, rows, [2, 3]))


def counts_table(result: Result) -> str:
    """The counts without a card of their own."""
    inside = counts(result)
    return inside[inside.index("<table") : inside.index("</section>")]


def ways(rows: Iterable[Any]) -> str:
    """What is covered and how, and what is not covered and why."""
    made = [
        (
            "",
            [
                sign(each.covered),
                escape(each.what),
                escape(words(f"pages.spark.way_names.{each.way}") if each.covered else each.reason),
            ],
        )
        for each in rows
    ]
    columns = ["", words("pages.spark.columns.kind"), words("pages.spark.columns.how")]
    return card(words("pages.spark.covered"), "", table("ways", columns, made, []), "tm-ways")


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
        mark, *_reported(row, style), f"<b>{values[0]}</b>", f"<b>{values[1]}</b>", escape(reason), _link(job, step)
    ]  # fmt: skip


def _equal(job: Job, row: Mapping[str, Any], small: Small, style: TimeStyle) -> tuple[str, Sequence[str]]:
    value, step = _value(row, ()), small.step_of(row, None)
    verdict = escape(words("pages.spark.signs.equal"))
    return "", [sign(True), *_reported(row, style), value, value, verdict, _link(job, step)]


def _reported(row: Mapping[str, Any], style: TimeStyle) -> tuple[str, str, str]:
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
