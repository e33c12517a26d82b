"""The failures of a run, each with what led to it, in build/monkey, and all that was done, in its actions.jsonl."""

import json
import re
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

MOST_KEPT: Final = 3
"""Of failures with the same sign only the first are written down."""

ACTIONS: Final = 100
"""How many of the last actions of a browser are written down."""


@dataclass
class Failures:
    """What has failed so far, by sign."""

    folder: Path
    counts: Counter[str] = field(default_factory=Counter)

    def tell(self, began: float, browser: int, done: dict[str, Any]) -> None:
        """Write down an action of a browser that ``began`` (s of the clock) and has ended."""
        line = {"time": round(began, 1), "took": round(time.time() - began, 1), "browser": browser, **done}
        with (self.folder / "actions.jsonl").open("a", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def add(self, sign: str, details: str, actions: "deque[dict[str, Any]]") -> Path | None:
        """Count a failure; returns the stem of the files that tell about it, None if there are enough of its sign."""
        self.counts[sign] += 1
        if self.counts[sign] > MOST_KEPT:
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^a-zA-Z0-9]+", "-", sign)[:60].strip("-").lower()
        stem = self.folder / f"{list(self.counts).index(sign) + 1:02}-{name}-{self.counts[sign]}"
        lines = [json.dumps(each, ensure_ascii=False) for each in actions]
        text = "\n".join((sign, "", details, "", "What was done, the last at the end:", *lines, ""))
        stem.with_suffix(".txt").write_text(text, encoding="utf-8", errors="replace")
        return stem
