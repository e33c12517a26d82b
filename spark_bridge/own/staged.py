"""The simulator's side of a check over files: the records that Spark has read, streamed from Parquet piece by piece."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.spark_bridge.simulating.share import Share

COLUMNS: Final = ("item", "key", "ts", "whole", "fraction", "text", "channel", "at")
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
        from tidemark.spark_bridge.simulating.chosen import Chosen  # numpy takes a while to be loaded

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
                yield from pq.ParquetFile(file).iter_batches(_BATCH, columns=list(COLUMNS))

    def _records(self, batch: pa.RecordBatch) -> Iterator[tuple[int, Record]]:
        with_clock = self.known.at is not None
        columns = [batch.column(name).to_pylist() for name in COLUMNS]
        for item, key, ts, whole, fraction, text, channel, at in zip(*columns, strict=True):
            value = _value(text) if whole is None and fraction is None else fraction if whole is None else whole
            yield item, Record(_key(key), ts, value, self.input, channel, at if with_clock else None)


@lru_cache(maxsize=65_536)
def _key(text: str) -> str:
    key: str = json.loads(text)
    return key


def _value(text: str) -> Any:
    return None if text == "null" else json.loads(text)
