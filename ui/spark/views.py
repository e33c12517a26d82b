"""The Spark page's cards as HTML: the verdict, progress, earlier runs, both sides' counts."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from tidemark.simulator.words import listed, words
from tidemark.ui.spark import html
from tidemark.ui.spark.html import card, number, sign, table
from tidemark.ui.spark.jobs import Job
from tidemark.ui.spark.kept import Result

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
