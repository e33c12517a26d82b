"""``run SCENARIO --data PATH… --write DIR``: exit 0 written, 2 refused or failed, 3 not covered or unreadable."""

import argparse
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final, TextIO

from tidemark.simulator.console import complain
from tidemark.simulator.scenario import load
from tidemark.simulator.words import words
from tidemark.spark_bridge.commands.arguments import add_place, add_skipping, files_for, place_of
from tidemark.spark_bridge.commands.outcome import DONE, ended, show
from tidemark.spark_bridge.files.asked import add_files
from tidemark.spark_bridge.stages import Stages

if TYPE_CHECKING:
    from tidemark.spark_bridge.commands.arguments import Subcommands

FORMATS: Final = ("parquet", "csv", "jsonl")


def add(commands: "Subcommands") -> None:
    """Add the subcommand and its arguments."""
    command = commands.add_parser("run", help=words("own_run.help.run"), description=words("own_run.help.run"))
    command.set_defaults(run=run)
    command.add_argument("file", metavar="SCENARIO", help=words("spark.help.file"))
    add_files(command, flag="--data")
    add_skipping(command)
    command.add_argument("--write", type=Path, metavar="DIR", required=True, help=words("own_run.help.write"))
    command.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=words("own_run.help.format"))
    add_place(command)


def run(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    """Write the rows and print how many there are. Returns the exit code."""
    return ended(asked.file, lambda: _written(asked, out, err), err)


def _written(asked: argparse.Namespace, out: TextIO | None, err: TextIO | None) -> int:
    scenario, files = load(asked.file), files_for(asked)
    # Imported here: help needs neither pyspark nor Java.
    from tidemark.spark_bridge.own.running import run_over

    done = run_over(
        scenario,
        files,
        place_of(asked),
        Stages(None, Event()),
        asked.write,
        asked.format,
        skip_unreadable=asked.skip_unreadable,
    )
    for note in done.notes:
        complain(note, err)
    lines = [words("own_run.written", records=f"{done.records:,}", folder=asked.write)]
    lines += [
        words("own_run.outcome", number=f"{number:,}", outcome=name) for name, number in sorted(done.rows.items())
    ]
    show("\n".join(lines), out)
    return DONE
