"""``make fuzz``: damaged input for an hour (``MINUTES=60``), reported each minute; failures are kept in build/fuzz.

Exit 0: nothing failed; 1: something did. ``SEED=N`` starts elsewhere.
"""

import os
import sys
import time
from collections import Counter
from random import Random

from tests.fuzz.running import Failure, damaged, keep, tried
from tests.fuzz.targets import TARGETS


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
                keep(outcome, number)
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


if __name__ == "__main__":
    sys.exit(main())
