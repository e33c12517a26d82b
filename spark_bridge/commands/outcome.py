"""How a subcommand ends: its exit code, and what it says on stderr when something went wrong."""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TextIO

from tidemark.simulator import interrupts
from tidemark.simulator.console import complain, put
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario.data.described import UNREADABLE, UnreadableRecords
from tidemark.simulator.words import words
from tidemark.spark_bridge.check import Cancelled, NotCovered
from tidemark.spark_bridge.failures import CheckFails
from tidemark.spark_bridge.java import NoJava
from tidemark.spark_bridge.stages import EngineFails

DONE: Final = 0
"""Done; of a check: both sides are equal."""

DIFFERENT: Final = 1
"""Only of a check: the sides differ."""

REFUSED: Final = 2
"""The input is refused, or the work could not be carried out."""

NOT_COVERED: Final = 3
"""The bridge does not cover the scenario."""

NOT_FOUND: Final = 4
"""Only of a check with a planted fault: it changed no row, so the check has shown nothing."""


def ended(
    subject: str, command: Callable[[], int], err: TextIO | None, told: Callable[[int, str], None] | None = None
) -> int:
    """Carry out ``command`` and return its exit code, or that of what it raised, which is told on ``err``.

    ``subject``: what the command works on, for messages that do not name it: the path that was given. ``told`` is
    called with the exit code and the message as well.
    """

    def complained(text: str, code: int) -> int:
        complain(text, err)
        if told is not None:
            told(code, text)
        return code

    try:
        return command()
    except (KeyboardInterrupt, Cancelled):
        return complained(f"{subject}: {words('spark.failures.interrupted')}", interrupts.INTERRUPTED)
    except UnreadableRecords as error:
        return complained(str(error), UNREADABLE)
    except (ScenarioError, NoJava, CheckFails) as error:
        return complained(str(error), REFUSED)
    except ValueError as error:
        return complained(f"{subject}: {error}", REFUSED)
    except (NotCovered, EngineFails) as error:
        return complained(f"{subject}: {error}", NOT_COVERED)


def show(text: str, out: TextIO | None) -> None:
    """Print ``text`` and a line end. A reader that has gone away changes nothing: the exit code still tells."""
    with suppress(BrokenPipeError):
        put(text + "\n", out)
