"""The *notable* records of a stream from files: those that can matter to its windows. Found without sorting any record.

The files hold the records in order, so a task that goes through a part of them knows the watermark before and after
each, if it knows the largest timestamp of every channel before the part: a prefix maximum by parts. What can matter to
windows is little: a record that moves the watermark past the end of one, and a record that is behind such an end when
it comes. The sieve keeps these, and perhaps some more.

It is what ``execution.notable`` does with the blocks of a generated stream, whose records are in no file and no order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import WatermarkSpec
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Longs, Maxima, Name, Piece

NOTABLE: Final = {"item": "bigint", "at": "bigint", "ts": "bigint", "before": "bigint", "after": "bigint"}
"""Of a notable record, with Spark's types: its number, the clock, its timestamp, the combined watermark before and
after it. Its key (text) and value follow."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What may matter: moves of the watermark that reach any of the times ``phase`` + n × ``step``, and records at most
    ``slack`` above the watermark before them. All in ms.
    """

    step: int
    phase: int
    slack: int

    def passes(self, before: Longs, after: Longs) -> Any:
        """Which moves pass one of the times; the first of all may pass any."""
        lower, upper = ((each - self.phase) // self.step for each in (np.maximum(before, MIN // 2), after))
        return (before == MIN) | (upper > lower)


@dataclass(frozen=True, slots=True)
class Sieve:
    """``before``, ``starts``: of each part the channels' largest timestamps (ms) and the number of its first record.

    ``channels``: how many there are; no watermark before all of them have brought a record. ``origin``: the clock at
    the start (ms). ``value``: the type of the values.
    """

    watermark: WatermarkSpec
    channels: int
    before: Mapping[Name, Longs]
    starts: Mapping[Name, int]
    origin: int
    value: pa.DataType
    grid: Grid

    def rows(self, pieces: Iterable[Piece]) -> Iterator[tuple[Any, ...]]:
        """The notable records of whole parts, in columns: ``NOTABLE``, key, value."""
        part, item, maxima = None, 0, Maxima(np.zeros(1, np.int64))
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, item = piece.part, self.starts[piece.part]
                maxima = Maxima(self.before[part], self.channels)
            places, before, after = self._notable(piece, maxima)
            clock = np.full(len(places), self.origin)
            if piece.ats is not None:
                clock = np.maximum(piece.ats[places], self.origin)
            own = item + places, clock, piece.timestamps[places], before, after
            yield *own, _taken(piece.keys, places, pa.string()), _taken(piece.values, places, self.value)
            item += len(piece.timestamps)

    def combined(self, lowest: Longs) -> Longs:
        """The watermark where the smallest of the channels' largest timestamps is ``lowest`` (ms)."""
        bound = self.watermark.bound
        match self.watermark.type:
            case "none":
                return np.full(len(lowest), MIN)
            case "punctuated":
                return lowest - bound
            case "sql":  # starts at 0, which is never sent
                return np.where(lowest - bound > 0, lowest - bound, MIN)
            case _:  # Flink's generator starts from a timestamp that keeps the subtraction within a long
                return np.maximum(lowest, MIN + bound + 1) - (bound + 1)

    def _notable(self, piece: Piece, maxima: Maxima) -> tuple[Longs, Longs, Longs]:
        """The places of the notable records, with the watermark before and after each."""
        block = maxima.block(piece.timestamps, piece.channels)
        around = np.append(self.combined(block.lowest), self._now(maxima))
        around[: block.whole_from] = MIN
        before, after = around[:-1], around[1:]
        is_notable = piece.timestamps <= before + self.grid.slack
        moves = np.flatnonzero(after > before)
        is_notable[moves[self.grid.passes(before[moves], after[moves])]] = True
        places = np.flatnonzero(is_notable)
        return places, before[places], after[places]

    def _now(self, maxima: Maxima) -> int:
        lowest = maxima.whole
        return MIN if lowest == UNSEEN else int(self.combined(np.array([lowest]))[0])

    def at_the_end(self, highest: Mapping[int, int]) -> list[tuple[int, int]]:
        """How the combined watermark moves when the channels end, one after another: before and after each move (ms).

        ``highest``: the largest timestamp of each channel, by its number; others have brought nothing.
        """
        own = np.full(self.channels, MIN)
        for channel, largest in highest.items():
            own[channel] = self.combined(np.array([largest]))[0]
        moves, now = [], int(own.min())
        for channel in range(self.channels):
            own[channel] = MAX
            before, now = now, int(own.min())
            if now > before:
                moves.append((before, now))
        return moves


def _taken(column: Any, places: Longs, type: pa.DataType) -> Any:
    if column is None:
        return pa.nulls(len(places), type)
    taken = column.take(pa.array(places))
    return (taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken).cast(type)
