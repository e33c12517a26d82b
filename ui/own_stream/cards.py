"""The page's HTML: first rows, progress, headline, findings, tables. Every text goes through ``escape``."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from tidemark.simulator.words import words
from tidemark.ui.background import Task
from tidemark.ui.spark.html import card, seconds, sign, table

_CELL = 40


def number(value: int) -> str:
    """``60,000``: as the texts of a profile have it."""
    return f"{value:,}"


def percent(share: float) -> str:
    """``0.66 %``."""
    return f"{share * 100:.3g} %"


def first_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first rows as a table; long cells are cut."""
    body = [("", [escape(_short(cell)) for cell in row]) for row in rows]
    return f"<div class='tm-own-scroll'>{table('first-rows', [_short(name) for name in names], body, [])}</div>"


def _short(text: str) -> str:
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"


def progress(work: Task, stages: Iterable[str], before: int, problem: str = "") -> str:
    """What is done and what is being done, or how it ended. ``before``: how many others come first."""
    rows = []
    for stage in stages:
        began, ended = work.stages.get(stage, [None, None])
        done = None if began is None or (ended is None and work.running) else ended is not None or "stopped"
        took = "" if began is None else seconds(max((work.seconds if ended is None else ended) - began, 0))
        rows.append(
            ("tm-later" if began is None else "", [sign(done), escape(words(f"own_page.stages.{stage}")), took])
        )
    title = {
        "waiting": _turn(before),
        "running": words("own_page.running"),
        "cancelled": words("own_page.cancelled"),
        "failed": words("own_page.failed"),
    }[work.state]
    note = f"<p class='tm-lead'>{escape(problem)}</p>" if problem else ""
    took = seconds(work.seconds) if work.state != "waiting" else ""
    return card(title, took, note + table("stages", ["", "", ""], rows, [2]))


def waits(work: Task, before: int, doing: str) -> str:
    """One line on work that is not done yet: its turn, or what is done, ``doing``, and for how long already."""
    return _turn(before) if work.state == "waiting" else f"{doing} · {seconds(work.seconds)}"


def _turn(before: int) -> str:
    return words("own_page.waiting_for", before=before) if before else words("own_page.waiting")


def headline(records: int, columns: Sequence[Sequence[str]], took: float) -> str:
    """How much was read, and what it comes to in a few lines, side by side."""
    done = words("own_page.done", records=number(records), seconds=f"{took:.0f}")
    texts = ("".join(f"<p>{escape(line).replace(' %', '&nbsp;%')}</p>" for line in lines) for lines in columns)
    inside = "".join(f"<div>{text}</div>" for text in texts if text)
    return card(done, "", f"<div class='tm-own-lines'>{inside}</div>")


def finding(found: Any, sentence: str, worth: Sequence[str]) -> str:
    """One finding: what it is, in numbers what it does, and what its cure is worth."""
    text = f"<p class='tm-lead'>{escape(sentence)}</p>"
    text += "".join(f"<p class='tm-own-line'>{escape(line)}</p>" for line in worth)
    count = words("own_page.records", number=number(found.records))
    return card(words(f"own_page.codes.{found.code}"), count, text, "tm-bad tm-finding")


def tables(found: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> str:
    """The tables of the figures, each with its title."""
    parts = []
    for place, (title, (head, *rows)) in enumerate(found):
        body = [("", [escape(cell) for cell in row]) for row in rows]
        inside = table(f"figures-{place}", head, body, range(1, len(head)))
        parts.append(f"<div class='tm-own-scroll'>{card(title, '', inside)}</div>")
    return "".join(parts)
