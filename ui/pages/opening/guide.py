"""The guide: nine figures to read from top to bottom, in the app and in a site, without any script if need be.

A figure is the plane of a run at one step, drawn here, with a caption whose numbers are those of the run. Where scripts
run, ``guide.ts`` lays the player over it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from tidemark.simulator.words import LANGUAGES, current_language, interface_language, section, speaking, words
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.pages import theme
from tidemark.ui.pages.opening.doors import header, logo
from tidemark.ui.payload.charts.still import still
from tidemark.ui.payload.contents import payload
from tidemark.ui.player.bundle import script
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.tags import LINK, tag
from tidemark.ui.share.page import font_faces

GUIDE: Final = "guide"
"""The path of the page."""

FOLDER: Final = Path(__file__).resolve().parent
SCRIPT: Final = FOLDER / "guide.ts"


class Figure(NamedTuple):
    """A ``scenario`` of the library after one ``item`` of its stream (None: at its end). Its texts are ``name``'s."""

    name: str
    scenario: str
    item: int | None = None


FIGURES: Final = (
    Figure("two-times", "first-two-phones"),
    Figure("windows", "first-window", 3),
    Figure("watermark", "first-watermark"),
    Figure("bound", "first-prediction"),
    Figure("late", "first-late", 3),
    Figure("lateness", "late-but-allowed", 10),
    Figure("sources", "first-idle", 2),
    Figure("idle", "first-idle"),
    Figure("spark", "spark-one-batch-behind", 7),
)

SANDBOX: Final = Figure("sandbox", "the-price-of-waiting")
"""What the guide ends with; it has no number."""

ENGINES: Final = {"sql": "SQL", "flink": "Flink", "spark": "Spark"}
"""The notes in the margin, in order."""


class Place(NamedTuple):
    """Where the page lies: ``root`` leads to the root of the app or site, ``here`` from there back to the page.

    ``languages``: the address of the page in each language, from the root as well.
    """

    root: str
    here: str
    languages: Mapping[str, str]


IN_APP: Final = Place("./", GUIDE, {each: f"{GUIDE}?{urlencode({LINK: each})}" for each in LANGUAGES})


def page() -> bytes:
    """The page of the app in the current language."""
    fonts = font_faces(lambda _, file: f"./static/media/{file.name}")
    texts = section("guide")
    head = (
        f"<title>{escape(words('player.page_title', page=texts['title']))}</title>"
        f'<meta name="description" content="{escape(texts["description"])}">'
        f"<style>{fonts}{theme.sheet()}{style()}</style>"
    )
    return html(IN_APP, head, f'<script type="module">{script(SCRIPT)}</script>').encode()


@cache
def style() -> str:
    """The styles of the guide itself."""
    return (FOLDER / "guide.css").read_text(encoding="utf-8")


def html(place: Place, head: str, scripts: str) -> str:
    """The page in the current language; ``head`` brings its title and its styles, ``scripts`` stand at its end."""
    with speaking(interface_language()):
        texts = section("guide")
        ready = [(number, figure, drawn) for number, figure, drawn in _drawn_figures() if drawn]
        contents = "".join(
            f'<li><a href="{place.here}#{figure.name}">{_marked(texts["figures"][figure.name]["title"])}</a></li>'
            for number, figure, _ in ready
            if number
        )
        others = "".join(
            f'<link rel="alternate" hreflang="{tag(each)}" href="{escape(address)}">'
            for each, address in place.languages.items()
        )
        return (
            f'<!doctype html><html lang="{tag(current_language())}"><head><meta charset="utf-8">'
            f'<base href="{place.root}"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'{others}<link rel="icon" href="{logo()}">{head}</head>'
            f"<body>{header(GUIDE, {}, links=True, languages=place.languages)}"
            f'<main class="g-page" id="stMain" data-testid="stMain" tabindex="-1"><h1>{_marked(texts["title"])}</h1>'
            f'<p class="g-lead">{_marked(texts["lead"])}</p>{_paragraphs(texts["opening"])}'
            f'<nav class="g-contents" aria-label="{escape(texts["contents"])}"><ol>{contents}</ol></nav>'
            f"{''.join(_section(*each) for each in ready)}"
            f'<section class="g-section"><div class="g-text"><h2>{_marked(texts["onward"]["title"])}</h2>'
            f"{_paragraphs(texts['onward']['text'])}</div></section></main>{scripts}</body></html>"
        )


def _drawn_figures() -> Iterator[tuple[int, Figure, dict[str, Any] | None]]:
    """Each figure with its number, 0 for none, and what is drawn; None where the library has it no more."""
    for number, figure in enumerate((*FIGURES, SANDBOX), 1):
        entry = find(figure.scenario)
        sound = entry is not None and entry.scenario is not None
        shown = drawn(entry, figure, entry.stamp, current_language()) if sound and entry else None
        yield 0 if figure is SANDBOX else number, figure, shown


@keeping(2 * (len(FIGURES) + 1))
def drawn(_entry: Entry, figure: Figure, stamp: str, language: str) -> dict[str, Any] | None:
    """What a figure shows; None for a scenario of a reader's own that has its name and not its records.

    The ``step`` of a figure, its ``picture``, the ``account`` of its records, and the numbers of its caption.

    The numbers are ``arrived``, ``counted``, ``lost``, ``waiting``, ``results``, and the ``watermark`` in seconds, to
    which the millisecond that a watermark is less has been added.
    """
    scenario = _entry.scenario
    assert scenario is not None
    shown = payload(scenario)
    tables = shown["tables"]
    steps = [row["step"] for row in tables["steps"] if figure.item is None or row["item"] == figure.item]
    if not steps:
        return None
    step = steps[-1]

    def there(table: str) -> list[dict[str, Any]]:
        return [
            row
            for row in tables[table]
            if row["from_step"] <= step and (row["until_step"] is None or step < row["until_step"])
        ]

    law: Mapping[str, int] = next((row["numbers"] for row in there("laws") if row["law"] == "all_come"), Counter())
    counts = {
        "arrived": law["came"],
        "counted": law["on-time"] + law["late-accepted"] - law["waiting"],
        "lost": law["dropped"] + law["skipped"],
        "waiting": law["waiting"] + law["arrived"],
    }
    said = [words(f"player.account.{name}", count=count) for name, count in counts.items()]
    watermark = next((row["value"] for row in there("watermark") if row["value"] is not None), None)
    return {
        "step": step,
        "title": shown["title"],
        "picture": still(shown["signals"], shown["sources"], step, words(f"guide.figures.{figure.name}.title")),
        "account": f"{said[0]} = {' + '.join(said[1:])}",
        **counts,
        "results": sum(row["row"]["row"] == "pane" for row in there("outputs")),
        "watermark": "" if watermark is None else f"{(watermark + 1) / 1000:g}",
    }


def _section(number: int, figure: Figure, drawn: Mapping[str, Any]) -> str:
    texts = section(f"guide.figures.{figure.name}")
    said = words("guide.figure", number=number) if number else words("guide.sandbox")
    caption = words(f"guide.figures.{figure.name}.caption", **drawn)
    query = {"scenario": figure.scenario, "step": drawn["step"], "embed": "true", LINK: current_language()}
    live = f"./?{urlencode(query)}"
    notes = "".join(f"<p><b>{name}</b> {_marked(texts[each])}</p>" for each, name in ENGINES.items() if each in texts)
    aside = f'<aside class="g-notes">{notes}</aside>' if notes else ""
    count = f"<span>{number}</span>" if number else ""
    return (
        f'<section class="g-section" id="{figure.name}"><div class="g-text">'
        f"<h2>{count}{_marked(texts['title'])}</h2>{_paragraphs(texts['text'])}"
        f'<figure class="g-figure"><p class="g-gesture">{_marked(texts["gesture"])}</p>'
        f'<div class="g-stage" data-live="{escape(live)}" data-title="{escape(drawn["title"])}">'
        f"{drawn['picture']}</div>"
        f'<p class="g-account">{escape(drawn["account"])}</p>'
        f"<figcaption><b>{escape(said)}</b> {_marked(caption)}</figcaption></figure>"
        f"{_paragraphs(texts['after'])}</div>{aside}</section>"
    )


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_marked(each)}</p>" for each in text.strip().split("\n\n"))


_LINK: Final = re.compile(r"\[([^\[\]]+)\]\((\./[^()\s]*)\)")
_CODE: Final = re.compile("`([^`]+)`")
_STRESSED: Final = re.compile(r"\*([^*]+)\*")


def _marked(text: str) -> str:
    """A text of the catalogue as HTML: ``*stressed*``, code in backticks, and links into the app."""
    shown = _STRESSED.sub(r"<em>\1</em>", escape(" ".join(text.split())))
    return _LINK.sub(r'<a href="\2">\1</a>', _CODE.sub(r"<code>\1</code>", shown))
