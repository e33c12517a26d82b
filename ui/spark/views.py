"""The Spark page's cards as HTML. Every text goes through ``escape``; nothing of a scenario is markup."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from simulator.words import words
from ui.spark.jobs import Job
from ui.times import TimeStyle

Cell = str | tuple[str, str]
"""A cell's text, or its text and a class."""

_CHECK = "<i class='tm-ok' title='equal'></i>"
_CROSS = "<i class='tm-no' title='not equal'></i>"
_LATE = {"late": True, "early": True}


def number(value: int) -> str:
    """``23 529``: thousands apart by a narrow space that does not break."""
    return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def sign(good: bool | None) -> str:
    """A tick, a cross, or nothing yet."""
    return "" if good is None else _CHECK if good else _CROSS


def card(title: str, note: str, body: str) -> str:
    """A card with its head line; ``body`` is HTML."""
    head = f"<div class='tm-card-head'><h2>{escape(title)}</h2><span class='tm-card-note'>{escape(note)}</span></div>"
    return f"<section class='tm-pagecard'>{head}{body}</section>"


def table(name: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], numeric: Sequence[int]) -> str:
    """A table; a row is its class and its cells as HTML."""

    def cell(tag: str, index: int, html: str) -> str:
        return f"<{tag}{' class=tm-num' if index in numeric else ''}>{html}</{tag}>"

    head = "".join(cell("th", i, escape(c)) for i, c in enumerate(columns))
    body = "".join(
        f"<tr class='{kind}'>{''.join(cell('td', i, c) for i, c in enumerate(cells))}</tr>" for kind, cells in rows
    )
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<table class='tm-pagetable' data-table='{name}'>{inside}</table>"


def verdict(job: Job) -> str:
    """The largest thing on the page: equal, or how many rows differ."""
    report = job.report
    if job.running:
        doing = "stopping" if job.stop.is_set() else "running"
        mark, head = "<span class='tm-spin'></span>", words(f"pages.spark.{doing}", title=job.title)
        under = words("pages.spark.running_note", id=job.id)
        return _verdict_card(mark, head, under, "", [(f"{job.seconds:.1f} s", words("pages.spark.so_far"))])
    if report is None:
        text = job.problem or words("pages.spark.cancelled_note")
        return _verdict_card(sign(False), words(f"pages.spark.states.{job.state}"), text, "tm-bad", [])
    compared = sum(report.counts.get("simulator", {}).values()) or report.panes
    equal = max(compared - report.differing, 0)
    key = "verdict_equal" if report.equal else "verdict_one" if report.differing == 1 else "verdict_differs"
    head = words(f"pages.spark.{key}", equal=number(equal), all=number(compared), differing=number(report.differing))
    rate = report.events / report.seconds if report.seconds else 0
    facts = [
        (f"Spark {report.spark_version}", f"Java {report.java_version}"),
        (f"{report.engine}, {report.way}", words(f"pages.spark.way_{'native' if report.way == 'native' else 'other'}")),
        (
            f"{report.seconds:.1f} s",
            words("pages.spark.rate", rate=number(round(rate)) if rate >= 10 else f"{rate:.1f}"),
        ),
    ]
    under = words("pages.spark.compared", panes=number(report.panes), events=number(report.events))
    return _verdict_card(sign(report.equal), head, under, "" if report.equal else "tm-bad", facts)


def _verdict_card(mark: str, head: str, under: str, kind: str, facts: Sequence[tuple[str, str]]) -> str:
    parts = "".join(f"<div><b>{escape(a)}</b><span>{escape(b)}</span></div>" for a, b in facts)
    text = f"<div class='tm-verdict-text'><h1 aria-live='polite'>{escape(head)}</h1><p>{escape(under)}</p></div>"
    return f"<section class='tm-pagecard tm-verdict {kind}'><i>{mark}</i>{text}{parts}</section>"


def progress(job: Job, stages: Iterable[str]) -> str:
    """The stages on one time axis."""
    whole = max(job.seconds, 0.1)
    rows = []
    for stage in stages:
        begin, end = job.stages.get(stage, [None, None])
        name = f"<b>{escape(words(f'spark.stages.{stage}'))}</b>"
        if begin is None:
            rows.append(("tm-later", ["", name, _bar(0, 0), ""]))
            continue
        end = whole if end is None and not job.running else end
        until = whole if end is None else end
        done, total = job.done.get(stage, (0, 1))
        part = f"{until - begin:.1f} s" if end is not None or total <= 1 else f"{100 * done // total} %"
        bar = _bar(100 * begin / whole, max(100 * (until - begin) / whole, 1))
        rows.append(("", [sign(True if end is not None else None), name, bar, part]))
    note = words("pages.spark.goes_on") if job.running else words("pages.spark.finished", id=job.id)
    body = table("stages", ["", "", "", ""], rows, [3]) + f"<p class='tm-quiet'>{escape(note)}</p>"
    return card(words("pages.spark.progress"), f"{job.seconds:.1f} s", body)


def _bar(left: float, width: float) -> str:
    return f"<span class='tm-stagebar'><i style='margin-left:{left:.1f}%;width:{width:.1f}%'></i></span>"


def earlier(jobs: Sequence[Job], selected: Job) -> str:
    """Earlier runs of the scenario."""
    rows = []
    for job in jobs:
        report = job.report
        events = number(report.events) if report else number(job.events) if job.events else ""
        result = words(f"pages.spark.states.{job.state}")
        if report:
            key = "result_equal" if report.equal else "result_one" if report.differing == 1 else "result_differs"
            result = words(f"pages.spark.{key}", panes=number(report.panes), differing=number(report.differing))
        good = report.equal if report else None if job.running else False
        planted = words("pages.spark.planted_one") if job.fault else ""
        way = ", ".join(filter(None, [f"{report.engine}, {report.way}" if report else "", planted]))
        time, took = f"{job.asked_at:%H:%M:%S}", f"{job.seconds:.1f} s"
        cells = [sign(good), time, events, escape(way), took, f"<b>{escape(result)}</b>"]
        rows.append(("tm-hl" if job is selected else "", cells))
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in ("time", "events", "way", "took", "result"))]
    note = words("pages.spark.runs", count=len(jobs))
    return card(words("pages.spark.earlier"), note, table("runs", columns, rows, [2, 4]))


def counts(report: Any) -> str:
    """How many rows of each kind each side gave."""
    both: Mapping[str, Mapping[str, int]] = report.counts
    kinds = list(dict.fromkeys([*both.get("simulator", {}), *both.get("spark", {})]))
    rows = []
    for kind in kinds:
        ours, theirs = both.get("simulator", {}).get(kind, 0), both.get("spark", {}).get(kind, 0)
        same = ours == theirs
        rows.append(("" if same else "tm-hl", [sign(same), escape(kind), number(ours), number(theirs)]))
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in ("rows", "simulator", "spark"))]
    return card(words("pages.spark.counts"), "", table("counts", columns, rows, [2, 3]))


def differences(report: Any, fault: str | None, style: TimeStyle) -> str:
    """Both sides of each row that differs; or, when none does, how to see that the check can fail."""
    if report.equal:
        text = words("pages.spark.not_found" if fault else "pages.spark.try_planting")
        return card(words("pages.spark.differences"), "", f"<p class='tm-lead'>{escape(text)}</p>")
    rows = []
    for each in report.differences:
        row = each.simulator or each.spark
        result = row["row"] == "pane"
        place = style.window(row.get("start"), row.get("end")) if result else style.short(row.get("ts", 0))
        firing = f"{row.get('timing')}, {row.get('pane')}" if result else row["row"]
        values = [_value(side, each.members) for side in (each.simulator, each.spark)]
        reason = ", ".join(each.members) or words("pages.spark.missing")
        mark = f"<i class='tm-square{' tm-open' if row.get('timing') in _LATE else ''}'></i>" if result else ""
        watermark = escape(style.exact(row.get("watermark")))
        rows.append(("tm-hl", [
            sign(False), f"<b>{escape(str(row['key']))}</b> {escape(place)}", f"{mark}{escape(firing)}", watermark,
            f"<b>{values[0]}</b>", f"<b>{values[1]}</b>", escape(words("pages.spark.differs_in", members=reason)),
        ]))  # fmt: skip
    names = ("key_window", "firing", "watermark", "simulator", "spark", "verdict")
    columns = ["", *(words(f"pages.spark.columns.{c}") for c in names)]
    found = words("pages.spark.found") if fault else ""
    lead = f"<p class='tm-lead'>{escape(found)}</p>" if found else ""
    note = words("pages.spark.shown", shown=len(report.differences), all=number(report.differing))
    return card(words("pages.spark.differences"), note, lead + table("differences", columns, rows, [3, 4, 5]))


def _value(side: Mapping[str, Any] | None, members: Sequence[str]) -> str:
    """A side's value, with the differing members if it is not the value itself that differs."""
    if side is None:
        return escape(words("pages.spark.no_row"))
    others = [f"{m} {side.get(m)}" for m in members if m != "value"]
    return escape(", ".join([str(side.get("value", "")), *others]))
