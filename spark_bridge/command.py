"""``python -m spark_bridge COMMAND …``: the parser of all subcommands, and what happens around each of them."""

import argparse
from typing import Final, NoReturn, TextIO

from tidemark.simulator import interrupts
from tidemark.simulator.console import CANNOT_PRINT, CannotPrint, complain, finish, forget
from tidemark.simulator.words import words
from tidemark.spark_bridge.commands import check, cut, profile, run
from tidemark.spark_bridge.commands.outcome import DONE

COMMANDS: Final = (check, profile, run, cut)
"""The modules of ``commands/`` that are subcommands, in the order of the help."""


def main(arguments: list[str] | None = None, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run the command line and return its exit code. It prints to ``out`` and ``err``, by default the standard ones."""
    try:
        interrupts.raise_again()
        asked = parser().parse_args(arguments)
        code: int = asked.run(asked, out, err)
    except SystemExit:  # help was asked for, or the arguments are wrong
        if finish(DONE):
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


class _Parser(argparse.ArgumentParser):
    """A parser, also of the subcommands, that says what is wrong in one line and not after the whole usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = _Parser(prog="python -m spark_bridge", description=words("spark.help.program"))
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return made
