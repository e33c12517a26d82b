"""Several operators: the strip above the picture, and a result that is followed downstream."""

from typing import Any

from tests.browser.player import OpenPage

SHOWN = ".tm-chain [aria-current] b"


def shows(page: Any, operator: str) -> None:
    page.wait_for_function(
        "([shown, name]) => document.querySelector(shown)?.textContent === name", arg=[SHOWN, operator]
    )


def test_operators_open_at_the_same_moment_and_results_are_followed(open_page: OpenPage) -> None:
    page = open_page("/?scenario=what-becomes-of-a-correction.counts&step=60")
    shows(page, "counts")
    assert page.locator(".tm-chain-operator").all_inner_texts()[1].endswith("out")
    page.locator(".tm-output-table a").first.click()
    shows(page, "totals")
    assert "scenario=what-becomes-of-a-correction&" in page.url
    page.locator("a.tm-chain-operator").click()
    shows(page, "counts")
    assert page.locator(".tidemark-player").get_attribute("data-step") != "0"
