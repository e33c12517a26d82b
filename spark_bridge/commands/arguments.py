"""Arguments that several subcommands have."""

import argparse
from typing import TYPE_CHECKING

from simulator.words import words

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
