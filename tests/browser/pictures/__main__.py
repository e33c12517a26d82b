"""Looks at every step of every scenario of the library, at all sizes, light and dark, in all languages.

``make pictures-check`` runs it; ``python -m tests.browser.pictures [NAME …]`` looks at some of them. The whole
library takes hours. It prints its progress, and fails if anything lies on anything.
"""

import argparse
import sys

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.browser.pictures.check import Found, Looker, worst
from ui.catalogue import library


def main() -> int:
    """Print what was found; 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios of the library; all without one")
    parser.add_argument("--usual", action="store_true", help="only the steps that the tests look at")
    options = parser.parse_args()
    entries = [each for each in library() if each.scenario and (not options.names or each.name in options.names)]
    total = Found()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for dark in (False, True):
            looker = Looker(browser, dark=dark)
            for number, entry in enumerate(entries, 1):
                assert entry.scenario is not None
                found = looker.walk(entry.scenario, every_step=not options.usual)
                total += found
                print(f"{'dark' if dark else 'light'} {number}/{len(entries)} {entry.name}: {found}", flush=True)
            if looker.errors:
                print(*looker.errors, sep="\n")
        browser.close()
    print(total, *worst(total.faults), sep="\n")
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main())
