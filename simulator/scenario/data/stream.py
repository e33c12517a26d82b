"""The stream of a scenario that lies in a file: a sequence of items that is read whenever it is gone through."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import overload

from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import End, Item
from tidemark.simulator.scenario.data.described import Columns, DataError, Found, rows_left_out, unreadable_records
from tidemark.simulator.scenario.data.reading import records_of


@dataclass(frozen=True, slots=True)
class Data(Sequence[Item]):
    """``stream: {data: …}``. ``path``: the name of a file in ``folder``, that of the scenario.

    As a sequence it has the items of the stream: the records, by arrival if ``columns.at`` is there, else in the order
    of the file, and an end of input if ``end``. ``found`` is None for a file that only Spark can read (``Parquet``);
    going through it then raises ``ScenarioError``, as it does when the file has changed since it was looked at.
    """

    path: str
    columns: Columns
    end: bool = False
    input: str = "events"
    found: Found | None = None
    folder: str = field(default="", compare=False)

    @property
    def file(self) -> Path:
        """Where the file is."""
        return Path(self.folder, self.path)

    @property
    def known(self) -> Found:
        """What was found in the file. Raises ``ScenarioError`` if only Spark can read it."""
        if self.found is None:
            raise self.refused(DataError("data_needs_spark"))
        return self.found

    def require_readable(self) -> None:
        """Raise ``UnreadableRecords`` if some rows of the file are no records."""
        found = self.known
        if found.first_unreadable is not None:
            line, why = found.first_unreadable
            raise unreadable_records(str(self.file), found.unreadable, found.records + found.unreadable, why, line)

    @property
    def left_out(self) -> str:
        """How many rows of the file are no records, in words; "" if all are."""
        return rows_left_out(self.known.unreadable)

    def refused(self, error: DataError) -> ScenarioError:
        """The same as a refusal of the scenario, at the place in the file."""
        return ScenarioError([Problem(str(self.file), error.line, error.line and 1, error.text)])

    def __len__(self) -> int:
        return self.known.records + self.end

    def __iter__(self) -> Iterator[Item]:
        found = self.known
        try:
            yield from records_of(self.file, self.columns, found, self.input)
        except DataError as error:
            raise self.refused(error) from None
        if self.end:
            yield End()

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, place: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(place, slice):
            first, last, step = place.indices(len(self))
            return tuple(islice(self, first, last, step))
        return next(islice(self, range(len(self))[place], None))
