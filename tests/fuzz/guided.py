"""``make fuzz-readers``: damaged scenarios, SQL and tables for an hour (``MINUTES=60``), led by what they reach.

An input that reaches code which none before it has reached is damaged further (atheris, libFuzzer). Such inputs stay
in build/fuzz/NAME, and the next call goes on from there; failures are kept in build/fuzz, as by ``make fuzz``.

Exit 0: nothing failed; 1: something did.
"""

import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Final

import atheris

with atheris.instrument_imports(include=["tidemark"]):
    from tests.fuzz import running
    from tests.fuzz.targets import TARGETS

    READERS: Final = [target for target in TARGETS if target.name in ("scenario", "sql", "table", "records")]
    for reader in READERS:
        for sound in reader.seeds():
            reader.enter(sound)  # imports what it imports only when that is needed: later it would report no branch

from tests.fuzz.damage import damaged_bytes, swapped_word

LONGEST_S: Final = 4 * running.LONGEST_S
"""Code that reports its branches is slower."""


def main() -> int:
    """A process for each reader, until the time is over."""
    seconds = int(60 * float(os.environ.get("MINUTES") or 60))
    before = set(running.OUT.glob("*.input"))
    running.LONGEST_S = LONGEST_S
    children = []
    for reader in READERS:
        children.append(os.fork())
        if not children[-1]:
            _fuzz(reader, seconds)
    died = [child for child in children if os.waitpid(child, 0)[1]]
    return 1 if died or set(running.OUT.glob("*.input")) - before else 0


def _fuzz(reader: running.Target, seconds: int) -> None:
    """Hand inputs to ``reader``; this process ends here."""
    corpus = running.OUT / reader.name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(reader.seeds()):
        Path(corpus, f"seed-{number}").write_bytes(seed)
    inputs = refused = 0
    failures: set[str] = set()
    report = time.monotonic() + 60

    def enter(data: bytes) -> None:
        nonlocal inputs, refused, report
        inputs += 1
        outcome = running.tried(reader, data)
        if isinstance(outcome, running.Failure):
            if outcome.sign not in failures:
                failures.add(outcome.sign)
                running.keep(outcome, inputs)
        elif not outcome:
            refused += 1
        if time.monotonic() > report:
            report += 60
            print(f"{reader.name}: {inputs:,} inputs, {refused:,} refused, {len(failures)} failures", flush=True)

    def mutated(data: bytes, longest: int, seed: int) -> bytes:
        chance = Random(seed)
        if not data or chance.random() < 0.3:
            return bytes(atheris.Mutate(data, longest))
        return (damaged_bytes if chance.random() < 0.6 else swapped_word)([data], chance)[:longest]

    # libFuzzer's own limits are for the moment when those of ``tried`` fail.
    options = [
        "-verbosity=0",
        "-timeout=600",
        "-rss_limit_mb=4096",
        "-report_slow_units=600",
        "-max_len=20000",
        f"-max_total_time={seconds}",
    ]
    atheris.Setup(
        [sys.argv[0], *options, f"-artifact_prefix={running.OUT}/", str(corpus)], enter, custom_mutator=mutated
    )
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
