"""No page's style reaches another page: every rule is kept below a root, or is about the frame of all pages."""

import re
from collections.abc import Iterator

import pytest
from tidemark.ui.pages import theme
from tidemark.ui.pages.theme import scoped, selectors
from tidemark.ui.player.styles import ROOTS, STYLES, style

AROUND = {
    ":root.tm-presenting",
    ':root.tm-presenting [data-testid="stMain"]',
    ":root:not(.tm-presenting) .tm-notes-notice",
    ":root.tm-embedded",
    ":root.tm-notes-page",
    ":root.tm-notes-page .st-key-tidemark_language",
}
"""What a page changes around it while it presents, is embedded, begins with the first visit, or shows notes."""


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The blocks of ``text``: what stands before each, and what is in it."""
    depth = begin = opened = 0
    for place, sign in enumerate(text):
        if sign == "{":
            depth += 1
            opened = place if depth == 1 else opened
        elif sign == "}":
            depth -= 1
            if not depth:
                yield text[begin:opened].strip(), text[opened + 1 : place]
                begin = place + 1


def unscoped(sheet: str) -> set[str]:
    """The selectors of a built sheet that may reach anything on any page."""
    found = set()
    for head, body in blocks(re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)):
        if head.startswith(":where(."):
            found |= loose(body)
        elif not head.startswith("@keyframes tm-"):
            found |= set(selectors(head))
    return found


def loose(text: str) -> set[str]:
    """The selectors within the block for a root of which not the subject has to match it."""
    found = set()
    for head, body in blocks(text):
        if head.startswith(("@media", "@container")):
            found |= loose(body)
        else:
            found |= {each for each in selectors(head) if not re.search(r"\S&(::[\w-]+(\(.*\))?(:[\w-]+)*)?$", each)}
    return found


@pytest.mark.parametrize("component", STYLES)
def test_every_rule_of_a_page_is_kept_below_its_root(component: str) -> None:
    assert unscoped(style(*STYLES[component])) <= AROUND


def test_the_roots_of_a_page_are_those_of_its_own_and_of_pages_that_show_parts_of_it() -> None:
    shown = {name: {root for each in sources for root in ROOTS[each]} for name, sources in STYLES.items()}
    assert ".tidemark-library" not in {root for name in shown.keys() - {"library"} for root in shown[name]}
    assert shown["vote"] == {".tidemark-vote"}


def test_the_frame_styles_no_page_of_streamlit_elements_from_outside() -> None:
    everywhere = unscoped(theme.sheet())
    assert not {each for each in everywhere if "tm-page" in each and each != ".tm-page-name"}
    assert not {each for each in everywhere if re.search(r"\.tm-(verdict|hist|legend|fate|said|square|own)\b", each)}


def test_a_sheet_is_nested_with_its_subjects() -> None:
    sheet = "/* { */ .a, .b:is(.c, .d) > e::before { f: g; } @media (x) { .h { i: j; } }"
    nested = ":where(.page, .page *) { .a&, .b:is(.c, .d) > e&::before { f: g; } @media (x) { .h& { i: j; } } }"
    assert scoped(sheet, ".page").split() == nested.split()


def test_what_is_about_the_page_around_stays_outside() -> None:
    sheet = ":root.x .y {\n  z: 1;\n}\n@keyframes tm-k {\n  to {\n    z: 2;\n  }\n}\n.a {\n  z: 3;\n}\n"
    built = scoped(sheet, ".page")
    assert unscoped(built) == {":root.x .y"}
    assert built.index("@keyframes") < built.index(":where(")


@pytest.mark.parametrize("planted", [".a { b: c; }", ":where(.page, .page *) { .a { b: c; } }"])
def test_a_rule_without_a_root_is_found(planted: str) -> None:
    assert unscoped(planted) == {".a"}
