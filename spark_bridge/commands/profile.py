"""``profile PATH…``: what a stream of one's own is like; exit 0 told, 2 refused."""

import argparse
from fractions import Fraction
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TextIO

from tidemark.simulator.console import complain
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.words import words
from tidemark.spark_bridge.commands.arguments import add_place, duration, place_of, positive
from tidemark.spark_bridge.commands.outcome import DONE, ended, show
from tidemark.spark_bridge.files.asked import add_files, files_of
from tidemark.spark_bridge.files.sample import described
from tidemark.spark_bridge.profile.profile import Asked
from tidemark.spark_bridge.profile.text import as_text
from tidemark.spark_bridge.stages import Stages

if TYPE_CHECKING:
    from tidemark.spark_bridge.commands.arguments import Subcommands


def add(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    about = words("own_profile.help.profile")
    command = commands.add_parser("profile", help=about, description=about)
    command.set_defaults(run=run)
    add_files(command)
    bounds = words("own_profile.help.bound")
    command.add_argument("--bound", type=duration, action="append", default=[], metavar="DUR", help=bounds)
    command.add_argument("--lateness", type=duration, default=0, metavar="DUR", help=words("own_profile.help.lateness"))
    command.add_argument("--window", type=_size, metavar="DUR", help=words("own_profile.help.window"))
    command.add_argument("--channels", type=positive, metavar="N", help=words("own_profile.help.channels"))
    target = words("own_profile.help.target")
    command.add_argument("--target", type=_share, default=Fraction(1, 1000), metavar="SHARE", help=target)
    command.add_argument("--report", type=Path, metavar="FILE.html", help=words("own_profile.help.report"))
    repaired = words("own_profile.help.repaired")
    command.add_argument("--repaired", type=Path, metavar="OUT", help=repaired)
    command.add_argument("--json", action="store_true", help=words("spark.help.json"))
    add_place(command)


def run(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Go through the stream with Spark and print what it is like. Returns the exit code."""
    return ended(" ".join(asked.paths), lambda: _profiled(asked, out, err), err)


def _profiled(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    # Imported here: without files to read, neither pyspark nor Java is needed.
    from tidemark.spark_bridge.profile.repaired import require_new
    from tidemark.spark_bridge.profile.report import require_place, write_report
    from tidemark.spark_bridge.profile.run import profile_files

    if asked.report is not None:
        require_place(asked.report)
    if asked.repaired is not None:
        require_new(asked.repaired)

    question = Asked(
        tuple(asked.bound), asked.lateness, asked.window, asked.channels, asked.target, course=asked.report is not None
    )
    files = files_of(asked)
    profile, stream, repaired = profile_files(files, question, Stages(None, Event()), place_of(asked), asked.repaired)
    if stream.guessed:
        complain(described(stream.columns, files.columns), err)
    if stream.source is not None:
        complain(words("own_profile.source", name=shown_in_message(stream.source)), err)
    if stream.other_times is not None:
        complain(words("own_profile.other_times", name=shown_in_message(stream.other_times)), err)
    if asked.report is not None:
        write_report(profile, " ".join(asked.paths), asked.report, stream.columns)
    if repaired is not None and asked.json:
        complain("\n".join(repaired.lines()), err)
    show(json_text(profile.as_json(), ensure_ascii=False) if asked.json else as_text(profile), out)
    if repaired is not None and not asked.json:
        show("\n".join(["", *repaired.lines()]), out)
    return DONE


def _size(text: str) -> int:
    size = duration(text)
    if not size:
        raise argparse.ArgumentTypeError(words("own_profile.problems.window"))
    return size


def _share(text: str) -> Fraction:
    """A share as people write it: ``0.001``, ``0.1%``. Exact."""
    number, percent = (text[:-1], 100) if text.endswith("%") else (text, 1)
    try:
        share = Fraction(number.strip()) / percent if len(text) < 30 and "e" not in text.lower() else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(words("own_profile.problems.share", asked=shown_in_message(text)))
    return share
