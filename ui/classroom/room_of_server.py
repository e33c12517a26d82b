"""The rooms of this server, and the tries at their codes: shared by all sessions, in memory, gone with the process."""

from functools import cache

from tidemark.ui.classroom.rooms import Rooms
from tidemark.ui.classroom.tries import Tries


@cache
def rooms() -> Rooms:
    """The same object for every session."""
    return Rooms()


@cache
def tries() -> Tries:
    """The same object for every session."""
    return Tries()
