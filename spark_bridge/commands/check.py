"""``check FILE``: exit 0 equal, 1 not equal, 2 refused, 3 not covered, 4 a planted fault changed nothing."""

import argparse
from typing import TYPE_CHECKING, TextIO

from tidemark.simulator.console import complain
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.limits import GENERATED_RECORDS, SAMPLED_KEYS
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.lengthened import with_events
from tidemark.simulator.scenario.model import Data
from tidemark.simulator.teaching.lint import require_accepted
from tidemark.simulator.words import listed, words
from tidemark.spark_bridge.check import NotCovered, check
from tidemark.spark_bridge.commands.arguments import add_place, add_skipping, files_for, place_of
from tidemark.spark_bridge.commands.outcome import DIFFERENT, DONE, NOT_COVERED, NOT_FOUND, ended, show
from tidemark.spark_bridge.coverage import ENGINES, engine_of
from tidemark.spark_bridge.faults import Fault
from tidemark.spark_bridge.files.asked import add_files

if TYPE_CHECKING:
    from tidemark.spark_bridge.commands.arguments import Subcommands


def add(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    command = commands.add_parser("check", help=words("spark.help.check"), description=words("spark.help.check"))
    command.set_defaults(run=run)
    command.add_argument("file", metavar="FILE", help=words("spark.help.file"))
    command.add_argument("--events", type=_count, metavar="N", help=words("spark.help.events"))
    command.add_argument("--engine", choices=ENGINES, help=words("spark.help.engine"))
    command.add_argument("--json", action="store_true", help=words("spark.help.json"))
    add_place(command)
    add_files(command, flag="--data")
    add_skipping(command)
    command.add_argument("--keys", type=_sample, default=1, metavar="1/N", help=words("spark.help.keys"))
    command.add_argument("--plant", type=_fault, choices=list(Fault), help=words("spark.help.plant"))


def run(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Run both sides and print the report. Returns the exit code."""

    def told(code: int, text: str) -> None:
        show(json_text({"equal": None, "exit": code, "problem": text}, ensure_ascii=False), out)

    return ended(asked.file, lambda: _checked(asked, out, err), err, told if asked.json else None)


def _checked(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    scenario = load(asked.file)
    engine = asked.engine or engine_of(scenario)
    files = files_for(asked)
    if files is None and not isinstance(scenario.stream, Data):
        require_accepted(scenario)
    try:
        report = check(
            scenario,
            asked.events,
            engine=engine,
            master=place_of(asked),
            fault=asked.plant,
            files=files,
            sample=asked.keys,
            skip_unreadable=asked.skip_unreadable,
        )
    except NotCovered as error:
        text = words("spark.not_covered", scenario=scenario.name, engine=engine, reasons=error)
        complain(text, err)
        if asked.json:
            show(json_text({"equal": None, "exit": NOT_COVERED, "problem": text}, ensure_ascii=False), out)
        return NOT_COVERED
    for note in report.notes:
        complain(note, err)
    if asked.plant is None and files is None and asked.keys == 1:
        spark_checks.remember(scenario if asked.events is None else with_events(scenario, asked.events), report)
    show(json_text(report.as_json(), ensure_ascii=False) if asked.json else report.as_text(), out)
    return NOT_FOUND if report.proves_nothing else DONE if report.equal else DIFFERENT


def _sample(text: str) -> int:
    """The N of ``1/N``."""
    one, _, number = text.partition("/")
    is_number = number.strip().isascii() and number.strip().isdigit() and len(number) <= 9
    if one.strip() != "1" or not is_number or not 1 <= int(number) <= SAMPLED_KEYS:
        limit = f"{SAMPLED_KEYS:,}"
        raise argparse.ArgumentTypeError(words("spark.no_sample", asked=shown_in_message(text), limit=limit))
    return int(number)


def _fault(text: str) -> Fault:
    try:
        return Fault(text)
    except ValueError:
        asked = shown_in_message(text)
        raise argparse.ArgumentTypeError(words("spark.no_fault", asked=asked, faults=listed(Fault))) from None


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= GENERATED_RECORDS:
        asked = shown_in_message(text)
        raise argparse.ArgumentTypeError(words("spark.events_out_of_range", asked=asked, most=f"{GENERATED_RECORDS:,}"))
    return number
