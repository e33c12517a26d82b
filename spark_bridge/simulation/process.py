"""The simulator's side of a check over files: the records that Spark has read, streamed from Parquet piece by piece.

A process of the simulator: it writes the digests of its rows, and on request those rows that lie in certain buckets;
by Spark's rules it writes all rows, to a file of JSON lines.

It holds one chunk of rows at a time. ``python -m spark_bridge.simulation.process FOLDER`` takes a pickled ``Order`` on
stdin, and reports the item that it has reached, now and then, as a line on stdout. Where the engine fails, the last of
these lines is the item at which it did. The folder is read by the process that started this one, never by Spark.
"""

import json
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.words import speak, words
from tidemark.spark_bridge.results.boundaries import boundaries_of
from tidemark.spark_bridge.results.canonical import COLUMNS, COMPARED, TEXTS, Columns, columns_of
from tidemark.spark_bridge.results.digests import Digests
from tidemark.spark_bridge.simulation.blocks import Share, keys_are_apart
from tidemark.spark_bridge.spark.stages import EngineFails

STAGED: Final = ("item", "key", "ts", "whole", "fraction", "text", "channel", "at")
"""What is written of a record; key and text as JSON."""

PIECE: Final = "piece"
"""The column by whose number the records are in folders of their own, and the pieces in order."""

_BATCH: Final = 50_000


@dataclass(frozen=True, slots=True)
class Staged(Data):
    """A stream that lies in ``staging``, as Spark has written it there; otherwise as ``Data``."""

    staging: str = ""

    def __iter__(self) -> Iterator[Item]:
        for batch in self._batches():
            for _, record in self._records(batch):
                yield record
        if self.end:
            yield End()

    def numbered(self, scenario: Scenario, share: Share) -> Iterator[tuple[int, Item]]:
        """The items that ``share`` has to see, with their indexes; ``scenario`` has this stream."""
        from tidemark.spark_bridge.simulation.blocks import Chosen  # numpy takes a while to be loaded

        chosen, takes = Chosen(scenario), share.takes
        for batch in self._batches():
            keys = batch.column("key").dictionary_encode()
            own = pa.array([takes(_key(text)) for text in keys.dictionary.to_pylist()], pa.bool_()).take(keys.indices)
            channel, ts, at = (batch.column(name).to_numpy() for name in ("channel", "ts", "at"))
            taken = chosen.among(own.to_numpy(zero_copy_only=False), channel, ts, None if self.known.at is None else at)
            yield from self._records(batch.filter(pa.array(taken)))
        if self.end:
            yield self.known.records, End(None if self.known.at is None else self.known.at[1])  # for the clock

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for folder in sorted(Path(self.staging).glob(f"{PIECE}=*"), key=lambda each: int(each.name.partition("=")[2])):
            for file in folder.glob("*.parquet"):  # there is one: a task has the whole piece
                yield from pq.ParquetFile(file).iter_batches(_BATCH, columns=list(STAGED))

    def _records(self, batch: pa.RecordBatch) -> Iterator[tuple[int, Record]]:
        with_clock = self.known.at is not None
        columns = [batch.column(name).to_pylist() for name in STAGED]
        for item, key, ts, whole, fraction, text, channel, at in zip(*columns, strict=True):
            value = _value(text) if whole is None and fraction is None else fraction if whole is None else whole
            yield item, Record(_key(key), ts, value, self.input, channel, at if with_clock else None)


@lru_cache(maxsize=65_536)
def _key(text: str) -> str:
    key: str = json.loads(text)
    return key


def _value(text: str) -> Any:
    return None if text == "null" else json.loads(text)


CHUNK: Final = 50_000
"""The most rows in memory, and in one file."""

SCHEMA: Final = pa.schema(
    [
        (name, pa.string() if name in TEXTS else pa.float64() if name == "value_number" else pa.int64())
        for name in COLUMNS
    ]
)

LINES: Final = "rows.jsonl"
"""The file of a scenario by Spark's rules: its rows as the contract writes them, batch after batch."""

BOUNDARIES: Final = "boundaries"
"""The file of the boundaries that the run has met, written by the first process."""

DIGESTS: Final = "digests"
"""What the files of digests are called, in front of the number of the process."""

ENGINE_FAILS: Final = 3
"""The exit code that says so."""

_TELL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is to do. ``wanted``: the buckets whose rows it writes out. ``language``: of its messages."""

    scenario: Scenario
    share: Share
    wanted: frozenset[int]
    language: str


class Writer:
    """A sink for the simulator's rows: digests those that are compared.

    Rows in the buckets ``wanted`` are written out, chunk by chunk. ``number``: of the process, in the names of files.
    """

    def __init__(self, folder: Path, progress: Callable[[int], None], wanted: frozenset[int], number: int) -> None:
        self._folder = folder
        self._progress = progress
        self._wanted = wanted
        self._number = number
        self._digests = Digests()
        self._rows: list[Columns] = []
        self._files = 0
        self._tell_at = monotonic()

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Take one row. Raises ``EngineFails`` for the row with which a failing engine ends."""
        if row["row"] == "error":
            self._progress(row["item"])
            raise EngineFails(words("spark.engine_fails", item=row["item"], type=row["type"], text=row["message"]))
        if row["row"] in COMPARED:
            columns = columns_of(row)
            if self._digests.add(columns) in self._wanted:
                self._rows.append(columns)
                if len(self._rows) == CHUNK:
                    self._write()
        if monotonic() > self._tell_at:
            self._tell_at = monotonic() + _TELL_SECONDS
            self._progress(row["item"])

    def flush(self) -> None:
        """The run is over: write what is left."""
        if self._wanted:
            self._write()
        with (self._folder / f"{DIGESTS}-{self._number}").open("wb") as file:
            pickle.dump(self._digests.found(), file)

    def _write(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(COLUMNS)
        arrays = [pa.array(values, type=each.type) for values, each in zip(columns, SCHEMA, strict=True)]
        file = self._folder / f"{self._number}-{self._files:06}.parquet"
        pq.write_table(pa.table(arrays, schema=SCHEMA), file)
        self._files += 1
        self._rows.clear()


class LineWriter:
    """A sink for the rows of a scenario by Spark's rules: writes them all, and reports each batch that is done."""

    def __init__(self, folder: Path, progress: Callable[[int], None]) -> None:
        self._file = (folder / LINES).open("w", encoding="utf-8")
        self._progress = progress
        self._tell_at = monotonic()

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Take one row, also an error row, since Spark's query fails in the same batch."""
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if row["row"] == "batch" and monotonic() > self._tell_at:
            self._tell_at = monotonic() + _TELL_SECONDS
            self._progress(row["batch"])

    def flush(self) -> None:
        """The run is over: close the file."""
        self._file.close()


def _of_keys(share: Share, writer: Callable[[Mapping[str, Any]], None]) -> Callable[[Mapping[str, Any]], None]:
    """``writer`` for the rows of the keys of ``share``, and for what has no key."""
    takes = share.takes

    def write(row: Mapping[str, Any]) -> None:
        if "key" not in row or takes(row["key"]):
            writer(row)

    return write


def _items(scenario: Scenario, share: Share) -> Iterable[tuple[int, Item]] | None:
    """The items that the share has to see; None for all of them."""
    stream = scenario.stream
    if isinstance(stream, Generated):
        from tidemark.spark_bridge.simulation.blocks import numbered  # numpy takes a while to be loaded

        return numbered(scenario, share)
    return stream.numbered(scenario, share) if isinstance(stream, Staged) else None


def _main() -> None:
    from tidemark.simulator import run, run_keys

    order: Order = pickle.load(sys.stdin.buffer)
    speak(order.language)
    folder, scenario, share = Path(sys.argv[1]), order.scenario, order.share

    def progress(done: int) -> None:
        print(done, flush=True)

    writer: Writer | LineWriter
    if scenario.engine == "spark":
        writer = LineWriter(folder, progress)
    else:
        writer = Writer(folder, progress, order.wanted, share.number)
    try:
        if share.is_everything:
            run(scenario, writer)
        elif not keys_are_apart(scenario):
            run(scenario, _of_keys(share, writer))
        else:
            run_keys(scenario, writer, share.takes, _items(scenario, share))
    except EngineFails as failure:
        print(failure, file=sys.stderr)
        sys.exit(ENGINE_FAILS)
    writer.flush()
    if share.number == 0 and not order.wanted:
        (folder / BOUNDARIES).write_bytes(pickle.dumps(boundaries_of(scenario)))


if __name__ == "__main__":
    _main()
