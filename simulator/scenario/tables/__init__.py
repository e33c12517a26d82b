"""Records from tables of any make: CSV with any separator, JSON Lines, JSON arrays, in many encodings.

``look(data)`` guesses what a table is made of and returns a ``Choice`` with its reasons. ``read(data, choice)`` returns
the records and names the lines that give none. Both take bytes, a whole table or a piece of one, and neither needs a
file, a clock or a library: a server, a browser with Pyodide and a command can all use them.

    >>> found = look(b"when;who;degrees\\n01.02.2024 13:05;a;1,5\\n")
    >>> [column.role for column in found.choice.columns]
    ['ts', 'key', 'value']
    >>> read(b"when;who;degrees\\n01.02.2024 13:05;a;1,5\\n", found.choice).records
    [{'ts': '2024-02-01T13:05:00Z', 'key': 'a', 'value': 1.5}]
"""

from tidemark.simulator.scenario.tables.columns import Choice, Column, Filter, with_given
from tidemark.simulator.scenario.tables.guess import Guess, Look, look, problem_of
from tidemark.simulator.scenario.tables.reading import Reading, Record, read
from tidemark.simulator.scenario.tables.rows import Unreadable

__all__ = [
    "Choice", "Column", "Filter", "Guess", "Look", "Reading", "Record", "Unreadable", "look",
    "problem_of", "read", "with_given",
]  # fmt: skip
