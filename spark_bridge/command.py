"""``python -m spark_bridge check FILE``: exit 0 equal, 1 not equal, 2 refused, 3 not covered."""

import argparse
import json
import sys
from typing import TextIO

from simulator.proof import spark_checks
from simulator.scenario import load
from simulator.scenario.lint import require_accepted
from simulator.values.errors import ScenarioError
from simulator.words import words
from spark_bridge.check import NotCovered, check
from spark_bridge.coverage import ENGINES, engine_of, gaps_of
from spark_bridge.failures import CheckFails
from spark_bridge.faults import Fault
from spark_bridge.java import NoJava
from spark_bridge.stages import EngineFails

EQUAL, DIFFERENT, REFUSED, NOT_COVERED = 0, 1, 2, 3
INTERRUPTED = 130
"""Ended by Ctrl-C, as shells tell it."""


def main(arguments: list[str] | None = None, out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    """Run the command line and return its exit code."""
    asked = _parser().parse_args(arguments)
    try:
        scenario = load(asked.file)
        engine = asked.engine or engine_of(scenario)
        if not gaps_of(scenario, engine):
            require_accepted(scenario)
        report = check(
            scenario,
            asked.events,
            engine=engine,
            master=asked.remote or asked.master,
            fault=asked.plant,
        )
    except KeyboardInterrupt:
        print(f"{asked.file}: {words('spark.failures.interrupted')}", file=err)
        return INTERRUPTED
    except (ScenarioError, NoJava, CheckFails) as error:
        print(error, file=err)
        return REFUSED
    except ValueError as error:
        print(f"{asked.file}: {error}", file=err)
        return REFUSED
    except NotCovered as error:
        print(words("spark.not_covered", scenario=scenario.name, engine=engine, reasons=error), file=err)
        return NOT_COVERED
    except EngineFails as error:
        print(f"{asked.file}: {error}", file=err)
        return NOT_COVERED
    if asked.plant is None:
        spark_checks.remember(scenario, report)
    print(json.dumps(report.as_json(), ensure_ascii=False) if asked.json else report.as_text(), file=out)
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
    number = int(text)
    if not 0 <= number <= 10**9:
        raise ValueError(text)
    return number
