"""The small parts of the Spark page: cards, tables, signs and numbers, as HTML. Every text goes through ``escape``."""

from collections.abc import Iterable, Sequence
from html import escape

from tidemark.simulator.words import words

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
