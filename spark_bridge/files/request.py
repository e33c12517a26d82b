"""The columns of a table that a stream is made of.

The files and columns that a command line names: the same arguments for every subcommand.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.scenario.tables.times import zone_of
from tidemark.simulator.words import words

UNITS: Final = ("s", "ms", "us", "ns", "iso", "date")
"""How a time may be written: a number since 1970 in one of four units, ISO 8601, or a date without a time of day."""

DATES: Final = ("dmy", "mdy", "named")
"""Other ways to write a date, which are guessed and cannot be asked for; see ``tables.times.FORMATS``."""

DEFAULT_ZONE: Final = "UTC"

SECONDS_TODAY: Final = (1_200_000_000, 2_300_000_000)
"""Seconds since 1970, from 2008 to 2042: what records of today have. As ms they would all be in January 1970."""

ROLES: Final = ("ts", "at", "key", "value", "channel")


@dataclass(frozen=True)
class Columns:
    """The name of the column for each role; None: there is none, or it is to be guessed.

    ``ts_unit``, ``at_unit``: of ``UNITS`` (or ``DATES``); None: to be guessed, or the column's own type says it.
    ``zone``: of times that are written without one, None for UTC. ``at_unit`` has no option: it is always guessed.
    """

    ts: str | None = None
    ts_unit: str | None = None
    zone: str | None = None
    at: str | None = None
    key: str | None = None
    value: str | None = None
    channel: str | None = None
    at_unit: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """The columns that there are, by role."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}


@dataclass(frozen=True)
class Files:
    """``paths``: files, folders, globs or addresses. ``format``: what they are, None to see by itself.

    ``options``: those of Spark's own reader for that format.
    """

    paths: tuple[str, ...]
    columns: Columns = field(default_factory=Columns)
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


def add_files(parser: argparse.ArgumentParser, *, flag: str | None = None) -> None:
    """Add PATH… and the options for columns. ``flag`` (``--data``): an option that takes the paths instead."""
    about = words("own_files.help.path")
    if flag is None:
        parser.add_argument("paths", metavar="PATH", nargs="*", help=about)
    else:
        parser.add_argument(flag, dest="paths", metavar="PATH", nargs="+", help=about)
    columns = parser.add_argument_group(words("own_files.help.columns"))
    columns.add_argument("--ts", metavar="NAME", help=words("own_files.help.ts"))
    columns.add_argument("--ts-unit", choices=UNITS, help=words("own_files.help.ts_unit"))
    columns.add_argument("--zone", type=_zone, metavar="ZONE", help=words("own_files.help.zone"))
    columns.add_argument("--at", metavar="NAME", help=words("own_files.help.at"))
    columns.add_argument("--key", metavar="NAME", help=words("own_files.help.key"))
    columns.add_argument("--value", metavar="NAME", help=words("own_files.help.value"))
    columns.add_argument("--channel", metavar="NAME", help=words("own_files.help.channel"))
    columns.add_argument(
        "--format" if flag is None else "--data-format",
        dest="data_format",
        metavar="FORMAT",
        help=words("own_files.help.format"),
    )
    columns.add_argument(
        "--option",
        dest="data_options",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=words("own_files.help.option"),
    )


def files_of(asked: argparse.Namespace) -> Files:
    """What was asked for with the arguments of ``add_files``."""
    columns = Columns(
        ts=asked.ts, ts_unit=asked.ts_unit, zone=asked.zone, at=asked.at,
        key=asked.key, value=asked.value, channel=asked.channel,
    )  # fmt: skip
    return Files(tuple(asked.paths or ()), columns, asked.data_format, dict(asked.data_options))


def _zone(text: str) -> str:
    if zone_of(text) is None:
        raise argparse.ArgumentTypeError(words("own_files.problems.zone", zone=shown_in_message(text)))
    return text


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(words("own_files.problems.option", text=shown_in_message(text)))
    return name, value
