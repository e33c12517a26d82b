"""Looks at every step of every scenario of the library, at all sizes and in all languages, alone and compared.

``make pictures-check`` runs it; ``python -m tests.browser.pictures [NAME …]`` looks at some of them. On two quiet
cores the whole library takes about an hour. It prints its progress, and fails if anything lies on anything.
"""

import argparse
import sys
import time
from dataclasses import replace

import hypothesis
from playwright.sync_api import sync_playwright
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.ui.catalogue import library
from tidemark.ui.site.chromium import CHROMIUM

from tests.browser.conftest import ROOT
from tests.browser.pictures.found import Found, worst
from tests.browser.pictures.walks import Comparer, Looker
from tests.random_scenarios.flink import scenarios as random_scenarios


def main() -> int:
    """Print what was found; 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios of the library; all without one")
    parser.add_argument("--usual", action="store_true", help="only the steps that the tests look at, but at every size")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    parser.add_argument("--golden", action="store_true", help="the recorded scenarios of tests/golden instead")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random scenarios instead")
    parser.add_argument("--alone", action="store_true", help="no comparisons")
    options = parser.parse_args()
    if options.golden:
        runs = [load(path) for path in sorted((ROOT / "tests" / "golden").glob("*.yaml"))]
    elif options.random:
        runs = _drawn(options.random)
    else:
        runs = [each.scenario for each in library() if each.scenario]
    runs = [each for each in runs if not options.names or each.name in options.names]
    return 1 if _look(runs, usual=options.usual, dark=options.dark, alone=options.alone).faults else 0


def _look(runs: list[Scenario], *, usual: bool, dark: bool, alone: bool) -> Found:
    total = Found()
    began = time.monotonic()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for kind in (Looker,) if alone else (Looker, Comparer):
            looker = kind(browser, dark=dark)
            for number, run in enumerate(runs, 1):
                found = looker.walk(run, every_step=not usual)
                total += found
                spent = time.monotonic() - began
                print(f"{spent:.0f} s, {kind.__name__} {number}/{len(runs)} {run.name}: {found}", flush=True)
                for line in worst(found.faults, 3):
                    print(f"    {line}", flush=True)
            if looker.errors:
                print(*looker.errors, sep="\n")
        browser.close()
    print(total, *worst(total.faults), sep="\n")
    return total


LEAST_ITEMS = 6


def _drawn(number: int) -> list[Scenario]:
    """The same random scenarios each time, none of them nearly empty."""
    found: list[Scenario] = []

    @hypothesis.seed(1)
    @hypothesis.settings(max_examples=10 * number, database=None, phases=[hypothesis.Phase.generate], deadline=None)
    @hypothesis.given(random_scenarios())
    def keep(scenario: Scenario) -> None:
        if sum(1 for _ in items(scenario)) >= LEAST_ITEMS:
            found.append(replace(scenario, name=f"random-{len(found)}"))

    keep()
    return found[:number]


if __name__ == "__main__":
    sys.exit(main())
