"""What must not happen: on a page, in the browser's console, in what the server says."""

import re
from collections.abc import Iterator
from typing import Final

from tidemark.simulator.words import LANGUAGES, speaking, words

NOISE: Final = (
    re.compile(r"WebSocket connection to .* failed"),  # the page was left while it was connecting
    re.compile(r"net::ERR_(ABORTED|NETWORK_CHANGED|CONNECTION_RESET)"),
    re.compile(r"status of 403 .*[?&]teacher="),  # a wrong secret is refused
    re.compile(r"status of 404 .*/_stcore/"),  # Streamlit looks for its server below a page before it looks above
)
"""What a browser puts into its console though nothing is wrong with the page."""

SHOWN: Final = """(titles) => {
  const seen = [...document.querySelectorAll("[data-testid=stException]")].map((each) => each.innerText);
  const text = document.querySelector(".st-key-tm_notice")?.innerText ?? "";
  if (titles.some((each) => text.includes(each))) seen.push(text);
  if (window.hacked) seen.push("what somebody typed was run");
  return seen;
}"""
"""The errors that a page shows."""

_NUMBERS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ |].*\n|\n)*\S.*")
_PLACE = re.compile(r'File "([^"]+)", line \d+, in (\S+)')


def titles() -> list[str]:
    """What a page that failed begins with, in each language."""
    found = []
    for language in LANGUAGES:
        with speaking(language):
            found.append(words("trouble.title"))
    return found


def is_noise(said: str) -> bool:
    """Whether a message of the console may be there."""
    return any(each.search(said) for each in NOISE)


def sign(text: str) -> str:
    """Equal for failures with the same cause: the first line without its numbers."""
    return _NUMBERS.sub("#", text.strip().partition("\n")[0])[:160]


def tracebacks(said: str) -> Iterator[tuple[str, str]]:
    """The exceptions in what the server said: what was raised and where, and the whole of it."""
    for found in _TRACEBACK.findall(said):
        places = _PLACE.findall(found)
        ours = [each for each in places if "site-packages" not in each[0] and "/lib/python" not in each[0]] or places
        where = f" in {ours[-1][0].rpartition('/')[2]} {ours[-1][1]}" if ours else ""
        yield sign(found.strip().splitlines()[-1]) + where, found
