"""Arguments that several subcommands have."""

import argparse
from typing import TYPE_CHECKING, Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.words import words
from tidemark.spark_bridge.files.asked import Files, files_of
from tidemark.spark_bridge.files.columns import Columns

MOST_MS: Final = 10**15
"""The longest duration, more than 30,000 years: sums of it with any time stay within 64 bits or are far outside."""

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]
    """What ``add`` of a subcommand adds itself to."""


def add_place(command: argparse.ArgumentParser) -> None:
    """Add ``--master`` and ``--remote``: where Spark runs. ``place_of`` says which of them was given."""
    place = command.add_mutually_exclusive_group()
    place.add_argument("--master", metavar="URL", help=words("spark.help.master"))
    place.add_argument("--remote", metavar="URL", help=words("spark.help.remote"))


def place_of(asked: argparse.Namespace) -> str | None:
    """The place that was asked for, as ``session.open_session`` wants it."""
    place: str | None = asked.remote or asked.master
    return place


def add_skipping(command: argparse.ArgumentParser) -> None:
    """Add ``--skip-unreadable``: records without a readable time are left out, and not refused."""
    command.add_argument("--skip-unreadable", action="store_true", help=words("commands.skip_unreadable"))


def duration(text: str) -> int:
    """The ms of a duration on the command line: whole ms, or a text such as ``1m30s``; never below 0."""
    ms = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else parse_duration(text)
    if ms is None or not 0 <= ms <= MOST_MS:
        raise argparse.ArgumentTypeError(words("own_cut.fails.duration", asked=shown_in_message(text)))
    return ms


def positive(text: str) -> int:
    """A whole number from 1 on the command line."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(words("own_cut.fails.number", asked=shown_in_message(text), least=1))
    return int(text)


def files_for(asked: argparse.Namespace) -> Files | None:
    """The files of ``--data``; None without it. Raises ``ValueError`` for columns alone."""
    files = files_of(asked)
    if files.paths:
        return files
    if files.columns != Columns() or files.format is not None or files.options:
        raise ValueError(words("own_run.columns_without_data"))
    return None
