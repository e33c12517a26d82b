"""The rooms of this server: shared by all sessions, in memory only, gone with the process."""

from functools import cache

from ui.classroom.rooms import Rooms


@cache
def rooms() -> Rooms:
    """The same object for every session."""
    return Rooms()
