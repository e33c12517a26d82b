"""``python -m simulator.inventory [FILE…]``: the report on a class, from its files of answers.

Without files it reports on a simulated class: each learner holds one belief, and every other one loses it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tidemark.simulator.inventory.choices import HELD
from tidemark.simulator.inventory.gain import Report, report_of, simulated_class
from tidemark.simulator.inventory.items import FORMS, inventory
from tidemark.simulator.words import words

WIDE = 22


def main(given: Sequence[str]) -> int:
    """The command; returns its exit code: 2 if no file could be taken in."""
    parser = argparse.ArgumentParser("python -m simulator.inventory", description=words("inventory.report.about"))
    parser.add_argument("files", nargs="*", metavar="FILE", help=words("inventory.report.files"))
    arguments = parser.parse_args(given).files
    files = list(_read(arguments)) if arguments else simulated_class(HELD, keeping=HELD[::2])
    report = report_of(files)
    sys.stdout.write("\n".join(lines(report)) + "\n")
    if not arguments:
        exact = sum(each.graded[FORMS[0]].held == (HELD[number],) for number, each in enumerate(report.learners))
        sys.stdout.write(words("inventory.report.diagnosed", right=exact, all=len(report.learners)) + "\n")
    return 0 if report.learners else 2


def _read(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        try:
            yield path, Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            sys.stderr.write(words("inventory.report.cannot_read", file=path, why=error) + "\n")


def lines(report: Report) -> Iterator[str]:
    """The report as text: the class, then each belief."""
    yield words("inventory.report.class", learners=len(report.learners), pairs=len(report.pairs))
    before, after = (report.mean(form) for form in FORMS)
    if before is not None and after is not None:
        yield words("inventory.report.mean", before=f"{before:.1f}", after=f"{after:.1f}", items=len(inventory()))
        yield words("inventory.report.gain", gain=_gain(report.gain))
        head = [words(f"inventory.report.{each}") for each in ("held", "answers", "gain_short")]
        yield f"{words('inventory.report.head'):<{WIDE}}" + "".join(f"{each:>12}" for each in head)
        for each in report.beliefs:
            told = [f"{each.held[0]} → {each.held[1]}", f"{each.picked[0]} → {each.picked[1]}", _gain(each.gain)]
            yield f"{each.belief:<{WIDE}}" + "".join(f"{part:>12}" for part in told)
    for file, why in report.refused:
        yield words("inventory.report.refused", file=file, why=why)


def _gain(gain: float | None) -> str:
    return words("inventory.report.none") if gain is None else f"{gain:.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
