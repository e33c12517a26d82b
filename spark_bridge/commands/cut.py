"""``cut PATH… --around WHAT``: prints a scenario of the few records that show it; exit 0 printed, 2 there is none."""

import argparse
from threading import Event
from typing import TYPE_CHECKING, TextIO

from tidemark.simulator.console import complain
from tidemark.simulator.scenario.data.described import rows_left_out
from tidemark.simulator.words import words
from tidemark.spark_bridge.commands.arguments import add_place, duration, place_of, positive
from tidemark.spark_bridge.commands.outcome import DONE, ended, show
from tidemark.spark_bridge.cut.around import Around, CutFails, around_of
from tidemark.spark_bridge.cut.cut import MOST, Asked
from tidemark.spark_bridge.cut.rules import Rules
from tidemark.spark_bridge.files.asked import add_files, files_of
from tidemark.spark_bridge.files.sample import described
from tidemark.spark_bridge.stages import Stages

if TYPE_CHECKING:
    from tidemark.spark_bridge.commands.arguments import Subcommands


def add(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    about = words("own_cut.help.cut")
    command = commands.add_parser("cut", help=about, description=about)
    command.set_defaults(run=run)
    add_files(command)
    command.add_argument("--around", type=_around, required=True, metavar="WHAT", help=words("own_cut.help.around"))
    command.add_argument(
        "--records", type=positive, default=MOST, metavar="N", help=words("own_cut.help.records", most=MOST)
    )
    command.add_argument("--anonymous", action="store_true", help=words("own_cut.help.anonymous"))
    defaults = Rules()
    for name, default, kind in (
        ("bound", None, duration),
        ("lateness", defaults.lateness, duration),
        ("window", defaults.size, _size),
    ):
        command.add_argument(f"--{name}", type=kind, default=default, metavar="DUR", help=words(f"own_cut.help.{name}"))
    command.add_argument("--channels", type=positive, metavar="N", help=words("own_cut.help.channels"))
    add_place(command)


def run(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Look for it with Spark and print the scenario. Returns the exit code."""
    return ended(" ".join(asked.paths), lambda: _cut(asked, out, err), err)


def _cut(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    # Imported here: without files to read, neither pyspark nor Java is needed.
    from tidemark.spark_bridge.cut.run import cut_files
    from tidemark.spark_bridge.profile.findings.records import Asked as AskedOfFindings

    rules = Rules(asked.channels or 1, asked.window, asked.bound or 0, asked.lateness)
    asked_of = files_of(asked)
    made = cut_files(
        asked_of,
        Asked(asked.around, rules, asked.records, asked.anonymous),
        Stages(None, Event()),
        place_of(asked),
        judged_by=AskedOfFindings(asked.bound, asked.channels),
    )
    if made.stream.guessed:
        complain(described(made.stream.columns, asked_of.columns), err)
    if left_out := rows_left_out(made.unreadable):
        complain(left_out, err)
    show(made.text.removesuffix("\n"), out)
    return DONE


def _size(text: str) -> int:
    size = duration(text)
    if not size:
        raise argparse.ArgumentTypeError(words("own_cut.fails.window"))
    return size


def _around(text: str) -> Around:
    try:
        return around_of(text)
    except CutFails as error:
        raise argparse.ArgumentTypeError(str(error)) from None
