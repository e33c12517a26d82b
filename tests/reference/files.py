"""The files that are written from the schemas, whole or in part, and which of them are out of date."""

import re
from pathlib import Path

from tests.reference import scenarios, timeline, trace, typescript

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "docs" / "SCENARIOS.md"
TIMELINE = ROOT / "docs" / "TIMELINE.md"
TRACE = ROOT / "docs" / "TRACE.md"
DECLARATIONS = ROOT / "ui" / "player" / "types" / "payload.d.ts"


def written() -> dict[Path, str]:
    """Each file as it must be. In a document only what stands between the marks of a part is written."""
    return {
        SCENARIOS: _filled(SCENARIOS, triggers=scenarios.triggers_table()),
        TIMELINE: _filled(TIMELINE, tables=timeline.tables_text(), derived=timeline.derived_text()),
        TRACE: _filled(TRACE, events=trace.events_table(), rules=trace.rules_table()),
        DECLARATIONS: typescript.declarations(),
    }


def stale() -> dict[Path, str]:
    """Those that are not as they must be, each with its text."""
    return {path: text for path, text in written().items() if not path.exists() or path.read_text("utf-8") != text}


def _filled(document: Path, **parts: str) -> str:
    """``document`` with each part between ``<!-- NAME: … -->`` and ``<!-- end of NAME -->``."""
    text = document.read_text(encoding="utf-8")
    for name, part in parts.items():
        pattern = rf"(<!-- {name}: [^\n]*-->\n)(.*?)(<!-- end of {name} -->)"
        text, count = re.subn(
            pattern, lambda found, part=part: f"{found[1]}\n{part.strip()}\n\n{found[3]}", text, flags=re.DOTALL
        )
        if count != 1:
            raise ValueError(f"{document.name} has {count} parts called {name}")
    return text
