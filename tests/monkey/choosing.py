"""What a monkey does next: drawn from a seed, without looking at the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final
from urllib.parse import quote

from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.words import LANGUAGES
from tidemark.ui.share.links import fits, token_of

from tests.fuzz.damage import PIECES

KINDS: Final = {
    "click": 40, "key": 22, "type": 9, "drag": 6, "point": 4, "wheel": 4, "open": 6, "back": 4, "forward": 1,
    "reload": 2, "size": 1, "close": 1,
}  # fmt: skip
"""What can be done, with relative frequencies."""

KEYS: Final = (
    *["ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Escape", "Enter", "Tab", "Space"] * 3,
    "Shift+ArrowRight", "Shift+ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End", "Shift+Tab", "Delete", "Backspace",
    "/", ".", ",", "?", "Control+z", "Control+y", "Control+Enter", "Alt+Enter", "Control+a", "Shift+F", "Shift+L",
    *"abcdefghijklmnopqrstuvwxyz0123456789",
)  # fmt: skip

TEXTS: Final = (
    "0", "1", "-1", "5s", "10", "1.5", "1e9", "99999999999999999999", "window", "late", "key = a and event = PaneFired",
    "<img src=x onerror=\"window.hacked=1\">", "'; drop table x; --", "水位线", "\u202eabc", "a" * 300, "{en: x",
    "ts,key,value\n1,a,2\n3,b,4\n", "- {ts: 5s, key: a, value: 1}", "../../etc/passwd", "BCDFG",
    "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start",
)  # fmt: skip

PAGES: Final = {
    "": 10, "library": 3, "symptoms": 2, "compare": 5, "author": 6, "your-stream": 1, "spark": 1, "inventory": 2,
    "practice": 2, "lessons": 1, "vote": 2, "sql": 2,
}  # fmt: skip
"""The pages, with relative frequencies."""

SIZES: Final = ((1440, 900), (1280, 720), (390, 844))
PHONE: Final = 500
"""A window that is narrower (px) is a phone's: it is tapped, not clicked."""


@dataclass(frozen=True)
class Persona:
    """Who sits at a browser, until the next one does."""

    size: tuple[int, int]
    language: str
    teacher: bool
    dark: bool

    @property
    def phone(self) -> bool:
        """Whether it is tapped."""
        return self.size[0] < PHONE


@dataclass(frozen=True)
class Action:
    """What is done, and with what: ``share`` chooses among the things on the page (0 the first, below 1 the last)."""

    kind: str
    share: float = 0.0
    text: str = ""
    to: tuple[float, float] = (0.0, 0.0)


def persona(chance: Random) -> Persona:
    """Anybody of a class, its teacher one time in three."""
    return Persona(
        chance.choice(SIZES), chance.choice(LANGUAGES), teacher=chance.random() < 1 / 3, dark=chance.random() < 0.4
    )


def action(chance: Random, addresses: "Addresses") -> Action:
    """The next action."""
    kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
    text = {
        "key": lambda: chance.choice(KEYS),
        "type": lambda: chance.choice(TEXTS) if chance.random() < 0.8 else " ".join(chance.choices(PIECES, k=6)),
        "open": lambda: addresses.some(chance),
    }.get(kind, str)()
    return Action(kind, chance.random(), text, (chance.random(), chance.random()))


class Addresses:
    """What can be typed into the address line: each page, with what its links may hold and with what they may not.

    ``texts``: scenario files by name. ``code``: a room that was seen last.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        self._texts = texts
        self._names: Sequence[str] = [*texts, "no-such-scenario", "../x", ""]
        self.code = "BCDFG"

    def some(self, chance: Random) -> str:
        """A path with a query."""
        page = chance.choices(list(PAGES), list(PAGES.values()))[0]
        asked = dict(chance.sample(self._parts(chance), chance.randrange(5)))
        if page == "vote" and chance.random() < 0.8:
            asked["room"] = self.code
        elif page in ("", "compare", "author", "spark") and chance.random() < 0.85:
            asked |= self._scenario(chance)
        return f"/{page}?" + "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())

    def _scenario(self, chance: Random) -> dict[str, str]:
        name = chance.choice(self._names)
        token = token_of(self._texts[name], json=False) if name in self._texts and chance.random() < 0.2 else ""
        return {"s": token} if token and fits(token) else {"scenario": name}

    def _parts(self, chance: Random) -> list[tuple[str, Any]]:
        number = chance.choice((0, 1, 5, 20, 60, 120, -1, 10**9, "x"))
        return [
            ("lang", chance.choice((*LANGUAGES, "de", "xx"))),
            ("step", number),
            ("present", 1),
            ("embed", "true"),
            ("visit", 1),
            ("new", 1),
            ("open", chance.choice(("state", "why", "code", "diff", "timers", "laws", "nothing"))),
            ("words", chance.choice(("novice", "practitioner", "source"))),
            ("spark", chance.choice((1, 3, 0, "x"))),
            ("belief", chance.choice([each.name for each in BELIEFS])),
            ("b.bound", chance.choice(("0", "5000", "5s", "-1", "x"))),
            ("a.lateness", chance.choice(("0", "10000", "x"))),
            ("b.gap", chance.choice(("0", "1", "10000"))),
            ("other", chance.choice(self._names)),
            ("symptom", chance.choice(("late", "x"))),
            ("own", "0" * 24),
            ("s", chance.choice(("y", "yAAAA", "q!", "x" * 9_000))),
            (chance.choice(("x", "teacher", "a.", "b.b", "__proto__")), chance.choice(("", "x", "[]"))),
        ]
