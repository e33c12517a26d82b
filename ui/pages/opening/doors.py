"""The navigation: four doors, the pages behind each, and the header that shows them on every page.

One table for the app, for its pages before Streamlit has started, and for a site of static files. What it looks like
once scripts run is in ``ui/pages/doors.ts``, which draws the same.
"""

import base64
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from tidemark.simulator.words import LANGUAGES, current_language, interface_language, section, words
from tidemark.ui.pages import theme
from tidemark.ui.server.tags import tag

WALKTHROUGH: Final = ""

DOORS: Final[Mapping[str, Mapping[str, str]]] = {
    "learn": {"path": "path", "guide": "guide", "?visit=1": "tour", "practice": "practice", "inventory": "inventory"},
    "explore": {"library": "library", WALKTHROUGH: "walkthrough", "compare": "compare", "sql": "sql", "spark": "spark"},
    "diagnose": {"symptoms": "symptoms", "your-stream": "own_stream"},
    "teach": {"teach": "teach", "author": "author", "lessons": "lessons", "inventory?view=class": "results"},
}
"""By door the addresses behind it, the first being that of the door itself, with the part of the catalogue that names
each. An address with a query leads to one place of a page."""

READ_ALONE: Final = ("guide",)
"""Pages behind the doors that are no page of Streamlit's: the browser loads them (as ``LOADED`` of
``ui/pages/place.ts``)."""

LINKS: Final = {
    address: part
    for links in DOORS.values()
    for address, part in links.items()
    if "?" not in address and address not in READ_ALONE
}
"""The pages behind the doors, in order, by their paths."""

UNLISTED: Final = ("vote",)
"""Pages that the navigation does not show."""

CARRYING: Final = (WALKTHROUGH, "compare", "author", "spark")
"""Pages that show a scenario: their links name what is open (as ``CARRYING`` of ``ui/pages/place.ts``)."""

NO_HEADER: Final = {"embed": ("true", "1"), "present": ("1",)}
"""Parts of an address with which the page has no header, and their values."""


def page_name(path: str) -> str:
    """What the page with this path is called."""
    return words(f"pages.{LINKS.get(path, path)}.name")


def title(path: str, scenario: str = "") -> str:
    """What the tab of a page is called: after the ``scenario`` in it, else after the page."""
    return words("player.page_title", page=scenario or page_name(path))


def is_page(path: str) -> bool:
    """Whether the app has a page with this path."""
    return path in LINKS or path in UNLISTED


def doors() -> dict[str, Any]:
    """The header as plain data, in the current language (``Doors`` of ``ui/pages/doors.ts``)."""
    texts = section("app.doors")
    return {
        "language": interface_language(),
        "name": words("app.name"),
        "logo": logo(),
        "controls": section("app.controls"),
        "doors": [
            {
                "door": door,
                "name": texts["names"][door],
                "links": [
                    {"address": address, "name": texts["links"].get(part) or page_name(address), "about": about}
                    for address, part in links.items()
                    for about in (texts["about"][part],)
                ],
            }
            for door, links in DOORS.items()
        ],
    }


def header(path: str, query: Mapping[str, str], *, links: bool, languages: Mapping[str, str] | None = None) -> str:
    """The header of the page ``path`` as HTML; "" where the page has none. ``links``: with the navigation.

    ``languages``: where the page is in each language, for one without scripts.
    """
    if any(query.get(name) in values for name, values in NO_HEADER.items()) or "notes" in query:
        return ""
    said = doors()
    skip, menu, pages = (escape(said["controls"][each]) for each in ("skip", "menu", "pages"))
    here = _here(path, query)
    shown = "".join(_door(door, here, query) for door in said["doors"])
    switch = "".join(_language(each, languages) for each in LANGUAGES)
    return (
        f'<header id="tidemark-header"{"" if links else " class=tm-visits"}>'
        f'<a class="tm-skip" href="#stMain">{skip}</a>'
        f'<a class="tm-logo" href="./library" data-address="library" aria-label="{said["name"]}">'
        f'<img src="{said["logo"]}" alt=""><span>{said["name"]}</span></a>'
        f'<button class="tm-menu" type="button" aria-controls="tidemark-doors" aria-expanded="false">{menu}</button>'
        f'<nav id="tidemark-doors" aria-label="{pages}" data-language="{said["language"]}">{shown}</nav>'
        f'<div class="tm-early-languages"><div class="tm-languages" role="group">{switch}</div></div></header>'
    )


def _language(language: str, addresses: Mapping[str, str] | None) -> str:
    """A part of the switch between languages: a button for scripts, or a link."""
    said, here = words("app.language", language=language), str(language == current_language()).lower()
    if addresses is None:
        kind, state = 'button type="button"', f'aria-pressed="{here}"'
    else:
        kind, state = f'a href="{escape(addresses[language])}" hreflang="{tag(language)}"', f'aria-current="{here}"'
    return f'<{kind} data-language="{language}" lang="{tag(language)}" {state}>{said}</{kind.partition(" ")[0]}>'


def _here(path: str, query: Mapping[str, str]) -> str:
    """The address of the navigation that is open: the one that says most; "" is that of the player."""
    of_page = [
        address
        for links in DOORS.values()
        for address in links
        if address.partition("?")[0] == path
        and all(query.get(name) == value for name, value in parse_qsl(address.partition("?")[2]))
    ]
    return max(of_page, key=len, default="vote")


def _door(door: Mapping[str, Any], here: str, query: Mapping[str, str]) -> str:
    links = door["links"]
    inside = any(link["address"] == here for link in links)
    shown = "".join(
        f'<a href="{escape(_address(link["address"], query))}" data-address="{link["address"]}" '
        f'title="{escape(link["about"])}"{" aria-current=page" if link["address"] == here else ""}>'
        f"<span>{escape(link['name'])}</span><small>{escape(link['about'])}</small></a>"
        for link in links
    )
    first = links[0]["address"]
    return (
        f'<div class="tm-door" data-door="{door["door"]}" data-here="{str(inside).lower()}">'
        f'<a class="tm-door-name" href="{escape(_address(first, query))}" data-address="{first}"'
        f"{' aria-current=true' if inside else ''}>{escape(door['name'])}</a>"
        f'<div class="tm-door-links">{shown}</div></div>'
    )


def _address(address: str, query: Mapping[str, str]) -> str:
    """Where a link leads, with what is open (as ui/pages/place.ts writes it once scripts run)."""
    if address not in CARRYING:
        return f"./{address}"
    carried = [(name, query[name]) for name in ("scenario", "s", "own") if name in query][:1]
    if carried and "step" in query and address in (WALKTHROUGH, "compare"):
        carried.append(("step", query["step"]))
    return f"./{address}{'?' if carried else ''}{urlencode(carried)}"


@cache
def logo() -> str:
    """The address of the logo, which holds it."""
    return "data:image/svg+xml;base64," + base64.b64encode(theme.LOGO.read_bytes()).decode()
