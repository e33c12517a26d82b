"""Nothing covers anything: no text of a picture lies on another one, on a mark that it does not name, or outside."""

from collections.abc import Iterator
from typing import Any

import pytest
from tidemark.ui.catalogue import library

from tests.browser.pictures.found import Found, worst
from tests.browser.pictures.walks import VIEWS, Comparer, Looker

pytestmark = pytest.mark.alone

RUNS = {entry.name: entry.scenario for entry in library() if entry.scenario}
KINDS = {(run.engine, type(run.operator), type(getattr(run.operator, "assigner", None))): run for run in RUNS.values()}
"""A scenario for each kind of picture. The whole library takes five minutes."""
COMPARED = 3
"""Of the comparisons, the tests look at every third of these."""


@pytest.fixture(scope="module")
def looker(chromium: Any) -> Iterator[Looker]:
    found = Looker(chromium)
    yield found
    found.page.context.close()


@pytest.fixture(scope="module")
def comparer(chromium: Any) -> Iterator[Comparer]:
    found = Comparer(chromium)
    yield found
    found.page.context.close()


def test_the_check_sees_a_text_that_lies_on_another_one(looker: Looker) -> None:
    """The check itself: it must notice what it is there for."""
    looker.walk(RUNS["late-but-allowed"], views=VIEWS[:1], languages=["en"])
    covered = looker.page.evaluate(
        """() => {
          const [label] = document.querySelectorAll(".tm-plane-card svg text[data-label=record]");
          const other = label.cloneNode(true);
          other.removeAttribute("data-names");
          other.textContent = "over it";
          label.parentElement.append(other);
          return tidemarkLook().faults.map(({ kind, a, b }) => [kind, a, b]);
        }"""
    )
    assert any(kind == "text on text" and "over it" in texts for kind, *texts in covered)


def test_no_text_lies_on_anything_in_a_scenario(looker: Looker) -> None:
    """At beats, firings and late records, with a Why card, a question, a try-out; in all languages.

    The four sizes and the languages take turns. ``make pictures-check`` looks at every step of every scenario at every
    size.
    """
    found = Found()
    for turn, run in enumerate(KINDS.values()):
        found += looker.walk(run, turn=turn)
    assert looker.errors == []
    assert found.counts["pairs"] > 100_000
    assert not found.faults, "\n".join([str(found), *worst(found.faults)])


def test_no_text_lies_on_anything_in_a_comparison(comparer: Comparer) -> None:
    """Two runs beside each other and laid over each other, as the page opens them."""
    found = Found()
    for turn, run in enumerate(list(KINDS.values())[::COMPARED]):
        found += comparer.walk(run, turn=turn)
    assert comparer.errors == []
    assert found.counts["pairs"] > 50_000
    assert not found.faults, "\n".join([str(found), *worst(found.faults)])
