"""The small parts of the Spark page: cards, tables, signs and numbers, as HTML. Every text goes through ``escape``."""

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import listed, words

_SIGNS = {
    True: ("tm-ok", "equal"),
    False: ("tm-no", "not_equal"),
    "planted": ("tm-planted", "planted"),
    "stopped": ("tm-stopped", "stopped"),
}

_THIN = "\N{NARROW NO-BREAK SPACE}"


def number(value: int) -> str:
    """``23 529``: thousands separated by a narrow no-break space."""
    return f"{value:,}".replace(",", _THIN)


def rate(a_second: float) -> str:
    """A rate per second, with as many digits as are worth reading."""
    if a_second < 10:
        return f"{a_second:.1f}"
    digits = len(str(int(a_second)))
    return number(round(a_second, min(0, 3 - digits)).__trunc__())


def share(part: int, whole: int) -> str:
    """``3.8 %``."""
    return f"{100 * part / whole:.1f}{_THIN}%" if whole else f"0{_THIN}%"


def size(count: int) -> str:
    """A number of bytes: ``950 kB``, ``12 MB``."""
    return f"{number(-(-count // 1000))} kB" if count < 1_000_000 else f"{number(round(count / 1e6))} MB"


def seconds(value: float) -> str:
    """``9.4 s``, ``3 min 20 s``, ``1 h 5 min``."""
    if value < 100:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def sign(kind: bool | str | None) -> str:
    """A tick, a cross, or nothing yet; ``planted`` for an intended fault, ``stopped`` for a run without a result."""
    if kind is None:
        return ""
    kind, spoken = _SIGNS[kind]
    return f"<i class='{kind}' role='img' aria-label='{escape(words(f'pages.spark.signs.{spoken}'))}'></i>"


def card(title: str, note: str, body: str, kind: str = "") -> str:
    """A card with a heading; ``body`` is HTML."""
    head = f"<div class='tm-card-head'><h2>{escape(title)}</h2><span class='tm-card-note'>{escape(note)}</span></div>"
    # A card that scrolls is a stop of the Tab key.
    return f"<section class='tm-pagecard {kind}' role='group' aria-label='{escape(title)}'>{head}{body}</section>"


def table(name: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], numeric: Sequence[int]) -> str:
    """A table; each row has a class, and cells in HTML."""

    def cell(tag: str, index: int, html: str) -> str:
        return f"<{tag}{' class=tm-num' if index in numeric else ''}>{html}</{tag}>"

    head = "".join(cell("th", i, escape(c)) for i, c in enumerate(columns))
    body = "".join(
        f"<tr class='{kind}'>{''.join(cell('td', i, c) for i, c in enumerate(cells))}</tr>" for kind, cells in rows
    )
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<table class='tm-pagetable' data-table='{name}'>{inside}</table>"


# Distributions as HTML: how late records are, how often windows fire, how results are spread over the keys.
#
# Bars are boxes with a height in percent. No text of a scenario becomes markup.

_GAP = 4
"""This many empty bins in a row are replaced by a break in the axis."""

Bin = tuple[int, int, int, int]


def lateness(shape: Mapping[str, Any], events: int, small: Sequence[tuple[int, bool]], small_events: int) -> str:
    """How far the timestamps are behind the arrival, for records ahead of the watermark, behind it, and dropped.

    Counts those of the ``events`` records that have a timestamp; below the bars lie the records of the small stream.
    """
    bins: Sequence[Bin] = shape["delays"]
    width = shape["delay_width"]
    timed = sum(each[1] for each in bins)
    if events and not timed:
        lead = f"<p class='tm-lead'>{escape(words('pages.spark.shape.untimed'))}</p>"
        return card(words("pages.spark.shape.lateness", events=number(events)), "", lead)
    events = timed
    behind, lost = sum(each[2] for each in bins), sum(each[3] for each in bins)
    # These are not the fates of the walkthrough: a record behind the watermark may still be on time for its window.
    parts = (("ahead", events - behind), ("behind", behind - lost), ("dropped", lost))
    legend = "".join(
        f"<span><i class='tm-fate tm-{fate}'></i><b>{number(count)}</b> "
        f"{escape(words(f'pages.spark.shape.legend.{fate}', share=share(count, events)))}</span>"
        for fate, count in parts
    )
    drawn = _with_gaps(bins, width)
    most = max((each[1] for each in bins), default=1) or 1
    columns = "".join(_column(each, most) for each in drawn)
    marks = _marks(drawn, width, small)
    counts = {fate: number(count) for fate, count in parts}
    spoken = escape(words("pages.spark.shape.spoken", events=number(events), **counts))
    chart = (
        f"<div class='tm-hist' role='img' aria-label='{spoken}'><div class='tm-hist-most'>{number(most)}</div>"
        f"<div class='tm-hist-bars'>{columns}</div>{marks}<div class='tm-hist-axis'>{_axis(drawn, width)}</div></div>"
    )
    key = (
        f"<i class=tm-small></i>{escape(words('pages.spark.shape.small', count=number(small_events)))}" if marks else ""
    )
    under = f"<p class='tm-hist-key'><span>{key}</span><span>{escape(words('pages.spark.shape.behind'))}</span></p>"
    title = words("pages.spark.shape.lateness", events=number(events))
    note = words("pages.spark.shape.in_bins", width=duration(width))
    return card(title, note, f"<div class='tm-legend'>{legend}</div>{chart}{under}")


def _with_gaps(bins: Sequence[Bin], width: int) -> list[Bin | None]:
    """The bins, empty ones included; None stands for a break in place of many empty ones."""
    drawn: list[Bin | None] = []
    for each in bins:
        last = next((b for b in reversed(drawn) if b is not None), None)
        empty = 0 if last is None else (each[0] - last[0]) // width - 1
        if empty >= _GAP:
            drawn.append(None)
        elif last is not None:
            drawn += [(last[0] + (n + 1) * width, 0, 0, 0) for n in range(empty)]
        drawn.append(each)
    return drawn


def _column(each: Bin | None, most: int) -> str:
    if each is None:
        return "<div class='tm-break'></div>"
    low, records, behind, lost = each
    parts = (("dropped", lost), ("behind", behind - lost), ("ahead", records - behind))
    boxes = "".join(
        f"<i class='tm-{fate}' style='height:{100 * count / most:.2f}%'></i>" for fate, count in parts if count > 0
    )
    return f"<div data-low='{low}'>{boxes}</div>"


def _axis(drawn: Sequence[Bin | None], width: int) -> str:
    """About seven labels at the lower bounds of bins, always with one after a break."""
    every = max(1, len(drawn) // 7)
    labels, last = [], -every
    for place, each in enumerate(drawn):
        after_break = place > 0 and drawn[place - 1] is None
        if each is None:
            labels.append(f"<span class='tm-cut' style='left:{100 * (place + 0.5) / len(drawn):.2f}%'>//</span>")
        elif after_break or place - last >= every:
            labels.append(f"<span style='left:{100 * place / len(drawn):.2f}%'>{each[0] / 1000:g}</span>")
            last = place
    return "".join(labels)


def _marks(drawn: Sequence[Bin | None], width: int, small: Sequence[tuple[int, bool]]) -> str:
    """Each record of the small stream below its bar; a dropped record is a cross."""
    places = {each[0]: place for place, each in enumerate(drawn) if each is not None}
    marks = []
    for delay, lost in small:
        low = delay - delay % width
        if low in places:
            left = 100 * (places[low] + (delay - low) / width) / len(drawn)
            marks.append(f"<i class='{'tm-lost' if lost else ''}' style='left:{left:.2f}%'></i>")
    return f"<div class='tm-hist-small'>{''.join(marks)}</div>" if marks else ""


def firings(shape: Mapping[str, Any]) -> str:
    """The number of results by the number of the firing; "" if results are not numbered."""
    counts: Sequence[tuple[int, int]] = shape["firings"]
    if not counts:
        return ""
    most = max(count for _, count in counts)
    boxes = "".join(
        f"<div><span>{escape(_firing(place))}</span><b>{number(count)}</b>"
        f"<div class='tm-tank'><i style='height:{100 * count / most:.2f}%'></i></div></div>"
        for place, count in counts
    )
    return card(
        words("pages.spark.shape.firings"), words("pages.spark.shape.by_firing"), f"<div class='tm-tanks'>{boxes}</div>"
    )


def _firing(place: int) -> str:
    return words("pages.spark.shape.first" if place == 0 else "pages.spark.shape.later", number=place)


def keys(shape: Mapping[str, Any]) -> str:
    """How the results are spread over the keys."""
    counts: Sequence[tuple[int, int]] = shape["results"]
    if not counts:
        return ""
    width, most = shape["results_width"], max(count for _, count in counts)
    by_low = dict(counts)
    first, last = min(by_low), max(by_low)
    columns = "".join(
        f"<div><i class='tm-fired' style='height:{100 * by_low.get(low, 0) / most:.2f}%'></i></div>"
        for low in range(first, last + width, width)
    )
    top = listed([f"{_key(key)} {number(count)}" for key, count in shape["top"]])
    spoken = escape(words("pages.spark.shape.keys_spoken", keys=number(shape["keys"]), top=top))
    upper = number(last + width - 1)
    axis = f"<span style='left:0'>{number(first)}</span><span style='right:0'>{upper}</span>"
    axis += f"<span class='tm-cut' style='left:50%'>{escape(words('pages.spark.shape.per_key'))}</span>"
    chart = (
        f"<div class='tm-hist tm-low' role='img' aria-label='{spoken}'><div class='tm-hist-most'>{number(most)}</div>"
        f"<div class='tm-hist-bars'>{columns}</div><div class='tm-hist-axis'>{axis}</div></div>"
    )
    lead = f"<p class='tm-quiet'>{escape(words('pages.spark.shape.top', top=top))}</p>"
    note = words(
        "pages.spark.shape.key_one" if shape["keys"] == 1 else "pages.spark.shape.key_many", keys=number(shape["keys"])
    )
    return card(words("pages.spark.shape.keys"), note, chart + lead)


def _key(text: str) -> str:
    try:
        return str(json.loads(text))[:40]
    except ValueError:
        return text[:40]
