"""Edits that cannot be made: whatever stands in the way becomes one message for the author."""

from collections.abc import Iterator
from contextlib import contextmanager

from tidemark.simulator.scenario.editing import EditError
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError
from tidemark.ui.author.pasting import PasteError


class EditRefused(Exception):
    """The text stays as it is; the message is for the author."""


@contextmanager
def refusing() -> Iterator[None]:
    """Turns what an edit raises into ``EditRefused``."""
    try:
        yield
    except CellError as error:
        raise EditRefused(words(f"author.cells.{error}")) from None
    except PasteError as error:
        raise EditRefused(str(error)) from None
    except ScenarioError as error:
        raise EditRefused(error.problems[0].text) from None
    except (EditError, LookupError, TypeError, ValueError, OverflowError):  # nothing that the page itself asks
        raise EditRefused(words("author.refused.not_simple")) from None
