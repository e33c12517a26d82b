"""The files that are generated from the schemas, whole or in part, and which of them are out of date.

The types of what Python sends to the browser are never committed: whatever checks types writes them first.
"""

import re
from pathlib import Path

from tidemark.simulator.scenario import schema

from tests.reference import browser_words, limits, scenarios, timeline, trace, typescript, versions

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "docs" / "users" / "SCENARIOS.md"
LIMITS = ROOT / "docs" / "users" / "LIMITS.md"
RECORDINGS = ROOT / "docs" / "maintainers" / "RECORDINGS.md"
TIMELINE = ROOT / "docs" / "maintainers" / "TIMELINE.md"
TRACE = ROOT / "docs" / "users" / "TRACE.md"
TYPES = ROOT / "build" / "types"


def written() -> dict[Path, str]:
    """The up-to-date text of each file. In a document, only the parts between their marks are generated."""
    return {
        LIMITS: limits.document(),
        RECORDINGS: _filled(RECORDINGS, versions=versions.changes_table()),
        SCENARIOS: _filled(SCENARIOS, triggers=scenarios.triggers_table()),
        TIMELINE: _filled(TIMELINE, tables=timeline.tables_text(), derived=timeline.derived_text()),
        TRACE: _filled(TRACE, events=trace.events_table()),
        schema.FILE: schema.text(),
    }


def types() -> dict[Path, str]:
    """The types of what the browser is sent, which TypeScript imports from ``#types``."""
    return {
        TYPES / "payload.d.ts": typescript.declarations(),
        TYPES / "words.d.ts": browser_words.declaration(),
    }


def write(files: dict[Path, str]) -> None:
    """Write each file, whose folder need not be there."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def stale() -> dict[Path, str]:
    """The files that are out of date, each with its up-to-date text."""
    return {path: text for path, text in written().items() if not path.exists() or path.read_text("utf-8") != text}


def _filled(document: Path, **parts: str) -> str:
    """The text of ``document`` with each part placed between ``<!-- NAME: … -->`` and ``<!-- end of NAME -->``."""
    text = document.read_text(encoding="utf-8")
    for name, part in parts.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n)(.*?)(<!-- end of {name} -->)"
        text, count = re.subn(
            pattern, lambda found, part=part: f"{found[1]}\n{part.strip()}\n\n{found[3]}", text, flags=re.DOTALL
        )
        if count != 1:
            raise ValueError(f"{document.name} has {count} parts called {name}")
    return text
