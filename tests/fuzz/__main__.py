"""``make fuzz``: damaged input for an hour (``MINUTES=60``), reported each minute; failures are kept in build/fuzz.

Exit 0: nothing failed; 1: something did. ``SEED=N`` starts elsewhere.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.running import Failure, damaged, tried
from tests.fuzz.targets import TARGETS

OUT: Final = Path("build/fuzz")


def main() -> int:
    """Until the time is over."""
    minutes, seed = float(os.environ.get("MINUTES") or 60), int(os.environ.get("SEED", "1"))
    until, report = time.monotonic() + 60 * minutes, time.monotonic() + 60
    inputs: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    failures: dict[str, int] = {}
    seeds = {target.name: target.seeds() for target in TARGETS}
    number = seed * 1_000_000_000
    while time.monotonic() < until:
        target = TARGETS[number % len(TARGETS)]
        number += 1
        outcome = tried(target, damaged(seeds[target.name], Random(number)))
        inputs[target.name] += 1
        if isinstance(outcome, Failure):
            failures[outcome.sign] = failures.get(outcome.sign, 0) + 1
            if failures[outcome.sign] == 1:
                _keep(outcome, number)
        elif not outcome:
            refused[target.name] += 1
        if time.monotonic() > report:
            report += 60
            print(
                f"{sum(inputs.values()):,} inputs, {sum(refused.values()):,} refused, {len(failures)} failures",
                flush=True,
            )
    for name, count in inputs.items():
        print(f"  {name:14} {count:9,} inputs, {refused[name]:9,} refused")
    for sign, count in sorted(failures.items()):
        print(f"FAILED {count} times: {sign}")
    return 1 if failures else 0


def _keep(failure: Failure, number: int) -> None:
    """Write the input, and what happened."""
    OUT.mkdir(parents=True, exist_ok=True)
    given = failure.given
    name = f"{failure.target}-{number}"
    if isinstance(given, bytes):
        (OUT / f"{name}.input").write_bytes(given)
    else:
        (OUT / f"{name}.input").write_text(json.dumps(given, indent=1), encoding="utf-8")
    (OUT / f"{name}.txt").write_text(f"{failure.sign}\n\n{failure.details}", encoding="utf-8", errors="replace")
    print(f"FAILED: {failure.sign} ({OUT / name}.input)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
