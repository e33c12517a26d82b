"""``python -m spark_bridge check FILE``: exit 0 equal, 1 not equal, 2 refused, 3 not covered."""

import argparse
from contextlib import suppress
from typing import TextIO

from simulator import interrupts
from simulator.console import CANNOT_PRINT, CannotPrint, complain, finish, forget, put
from simulator.proof import spark_checks
from simulator.scenario import load
from simulator.teaching.lint import require_accepted
from simulator.values.errors import ScenarioError, shown_in_message
from simulator.values.json_text import json_text
from simulator.words import words
from spark_bridge.check import NotCovered, check
from spark_bridge.coverage import ENGINES, engine_of
from spark_bridge.failures import CheckFails
from spark_bridge.faults import Fault
from spark_bridge.java import NoJava
from spark_bridge.stages import EngineFails

EQUAL, DIFFERENT, REFUSED, NOT_COVERED = 0, 1, 2, 3
MOST_EVENTS = 10**9


def main(arguments: list[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run the command line and return its exit code. It prints to ``out`` and ``err``, by default the standard ones."""
    try:
        interrupts.raise_again()
        code = _checked(_parser().parse_args(arguments), out, err)
    except SystemExit:  # help was asked for, or the arguments are wrong
        if finish(EQUAL):
            return CANNOT_PRINT
        raise
    except KeyboardInterrupt:
        return interrupts.INTERRUPTED
    except CannotPrint as error:
        complain(str(error), err)
        if out is None:
            forget()
        return CANNOT_PRINT
    return finish(code)


def _checked(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    try:
        scenario = load(asked.file)
        engine = asked.engine or engine_of(scenario)
        require_accepted(scenario)
        report = check(
            scenario,
            asked.events,
            engine=engine,
            master=asked.remote or asked.master,
            fault=asked.plant,
        )
    except KeyboardInterrupt:
        complain(f"{asked.file}: {words('spark.failures.interrupted')}", err)
        return interrupts.INTERRUPTED
    except (ScenarioError, NoJava, CheckFails) as error:
        complain(str(error), err)
        return REFUSED
    except ValueError as error:
        complain(f"{asked.file}: {error}", err)
        return REFUSED
    except NotCovered as error:
        complain(words("spark.not_covered", scenario=scenario.name, engine=engine, reasons=error), err)
        return NOT_COVERED
    except EngineFails as error:
        complain(f"{asked.file}: {error}", err)
        return NOT_COVERED
    if asked.plant is None:
        spark_checks.remember(scenario, report)
    text = json_text(report.as_json(), ensure_ascii=False) if asked.json else report.as_text()
    with suppress(BrokenPipeError):  # the exit code still says whether the sides are equal
        put(text + "\n", out)
    return EQUAL if report.equal else DIFFERENT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m spark_bridge", description=words("spark.help.program"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("check", help=words("spark.help.check"), description=words("spark.help.check"))
    command.add_argument("file", metavar="FILE", help=words("spark.help.file"))
    command.add_argument("--events", type=_count, metavar="N", help=words("spark.help.events"))
    command.add_argument("--engine", choices=ENGINES, help=words("spark.help.engine"))
    command.add_argument("--json", action="store_true", help=words("spark.help.json"))
    place = command.add_mutually_exclusive_group()
    place.add_argument("--master", metavar="URL", help=words("spark.help.master"))
    place.add_argument("--remote", metavar="URL", help=words("spark.help.remote"))
    command.add_argument("--plant", type=Fault, choices=list(Fault), help=words("spark.help.plant"))
    return parser


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= MOST_EVENTS:
        asked = shown_in_message(text)
        raise argparse.ArgumentTypeError(words("spark.events_out_of_range", asked=asked, most=f"{MOST_EVENTS:,}"))
    return number
