"""Templates: small sound scenarios to begin with, one of each kind, in ``templates/``."""

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from simulator.scenario import parse
from ui.catalogue import text_of

FOLDER: Final = Path(__file__).parent / "templates"

NAMES: Final = (
    "tumbling-windows",
    "sliding-windows",
    "session-windows",
    "late-to-the-side",
    "two-channels",
    "count-trigger",
    "early-and-late-results",
    "window-join",
    "interval-join",
    "spark-micro-batches",
)
"""Simple ones first."""


class Template(NamedTuple):
    """``name`` is the scenario's, ``title`` in the reader's language, ``text`` the YAML to begin with."""

    name: str
    title: str
    text: str


def templates() -> list[Template]:
    """All templates, simple ones first."""
    return [Template(name, text_of(title), text) for name, title, text in _read()]


@cache
def _read() -> list[tuple[str, object, str]]:
    texts = [(name, (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")) for name in NAMES]
    return [(name, parse(text, f"{name}.yaml").title, text) for name, text in texts]
