"""The simulator's side of a check over files: the records that Spark has read, streamed from Parquet piece by piece."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from simulator.scenario.model import Data
from simulator.values.items import End, Item, Record

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
        with_clock = self.known.at is not None
        for folder in sorted(Path(self.staging).glob(f"{PIECE}=*"), key=lambda each: int(each.name.partition("=")[2])):
            for file in folder.glob("*.parquet"):  # there is one: a task has the whole piece
                for batch in pq.ParquetFile(file).iter_batches(_BATCH, columns=list(COLUMNS)):
                    columns = [batch.column(name).to_pylist() for name in COLUMNS]
                    for _, key, ts, whole, fraction, text, channel, at in zip(*columns, strict=True):
                        value = (
                            _value(text) if whole is None and fraction is None else fraction if whole is None else whole
                        )
                        yield Record(_key(key), ts, value, self.input, channel, at if with_clock else None)
        if self.end:
            yield End()


@lru_cache(maxsize=65_536)
def _key(text: str) -> str:
    key: str = json.loads(text)
    return key


def _value(text: str) -> Any:
    return None if text == "null" else json.loads(text)
