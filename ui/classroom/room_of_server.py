"""The rooms of this server: one for all sessions, in memory alone, gone with the process."""

from functools import cache

from ui.classroom.rooms import Rooms


@cache
def rooms() -> Rooms:
    """The same for every session."""
    return Rooms()
