"""What a room sees: text that grows with the screen, nothing cut off, nothing on anything, at every beat.

``python -m tests.browser.test_projector`` looks at all beats of the library, the usual run at some of each scenario.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import sync_playwright
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.catalogue import library
from tidemark.ui.payload.contents import payload
from tidemark.ui.site.chromium import CHROMIUM

from tests.browser.pictures.found import View
from tests.browser.pictures.walks import MOUNT, Looker, packed

LEAST: Final = {View(1280, 720): 20, View(1920, 1080): 28}
"""The size in px of the smallest text that the last row reads, on each screen."""

PRESENT = "([step, revealed]) => tidemarkPresent(step, revealed)"
SCRIPT = Path(__file__).parent / "pictures" / "projector.js"
RUNS = [entry.scenario for entry in library() if entry.scenario]


@pytest.fixture(scope="module")
def looker(chromium: Any) -> Iterator[Looker]:
    found = Looker(chromium)
    found.page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    yield found
    found.page.context.close()


def wrong(looker: Looker, runs: list[Any], view: View, language: str, *, every: int) -> list[str]:
    """What is too small, cut off or covered at every ``every``-th beat, before and after the answer of a question."""
    found = []
    looker.resize(view)
    for number, run in enumerate(runs):
        with speaking(language):
            shown = payload(run)
        looker.page.evaluate(MOUNT, [packed(shown), False])
        for beat in shown["beats"][number % every :: every]:
            for revealed in (False, True) if beat["choices"] else (False,):
                seen = looker.page.evaluate(PRESENT, [beat["step"], revealed])
                small = [f"{px:.1f} px {text}" for px, text in seen["texts"] if px < LEAST[view]]
                where = f"{run.name} step {beat['step']} at {view} {language}:"
                found += [f"{where} {each}" for each in [*small[:3], *seen["cut"], *seen["faults"][:3]]]
                assert seen["texts"], where
    return found


@pytest.mark.parametrize("view", LEAST, ids=str)
def test_every_text_can_be_read_from_the_last_row(looker: Looker, view: View) -> None:
    language = LANGUAGES[list(LEAST).index(view) % len(LANGUAGES)]
    found = wrong(looker, RUNS[list(LEAST).index(view) :: 6], view, language, every=4)
    assert not found, "\n".join(found)
    assert looker.errors == []


def main() -> int:
    """Look at every beat on both screens and in all languages; 1 if something is wrong."""
    with sync_playwright() as driver:
        looker = Looker(driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]))
        looker.page.evaluate(SCRIPT.read_text(encoding="utf-8"))
        found = [
            each for view in LEAST for language in LANGUAGES for each in wrong(looker, RUNS, view, language, every=1)
        ]
    print(*found, f"{len(found)} faults", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
