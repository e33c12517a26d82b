"""The inner join of two streams: a record is kept until no partner can come any more that is not late."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.trace.events import (
    JoinMatched,
    JoinRowEvicted,
    JoinRowStored,
    Rule,
)
from tidemark.simulator.engine.values.items import Element, Key, Record, key_of
from tidemark.simulator.engine.values.rows import batch_joined_row, paired_record
from tidemark.simulator.spark_rules.micro_batches import Batch, BatchOutput, StatefulOperator, filter_out

PLACE: Final = "StreamingSymmetricHashJoinExec"
SIDES: Final = ("left", "right")


@dataclass(frozen=True, slots=True)
class Bounds:
    """``right.ts`` lies in [left.ts + lower, left.ts + upper] (ms, both included)."""

    lower: int
    upper: int


class StreamJoin(StatefulOperator):
    """``left.join(right, …)``.

    ``filtered`` are the inputs that have a watermark. Without ``bounds`` all records of a key are joined. A side is
    evicted only where there are bounds and both inputs have a watermark.
    Source: ``StreamingSymmetricHashJoinExec``, ``StreamingSymmetricHashJoinHelper``.
    """

    def __init__(self, bounds: Bounds | None, filtered: frozenset[str]) -> None:
        self.bounds = bounds
        self.filtered = filtered
        self.evicts = bounds is not None and filtered == frozenset(SIDES)
        self.stores: dict[str, dict[Key, list[Record]]] = {side: {} for side in SIDES}

    @property
    def waits_for_watermark(self) -> bool:
        """Whether records may be evicted."""
        return self.evicts

    def state_rows(self) -> int:
        """One for each record kept."""
        return sum(len(held) for store in self.stores.values() for held in store.values())

    def snapshot(self) -> Mapping[str, Any]:
        """The records of each side by (key, no window), in order of arrival."""
        return {
            side: {(key, None): [(each.ts, each.value) for each in held] for key, held in store.items()}
            for side, store in self.stores.items()
            if store
        }

    def run(self, batch: Batch, output: BatchOutput, read: Callable[[Record], None]) -> None:
        """Join all records of the left side, then those of the right, each with what the other side keeps by then."""
        # One side after the other, as Spark iterates over them: a pair within one batch is found by its right record.
        for side in SIDES:
            for item, record in batch.records:
                if record.input == side:
                    output.at_record(item)
                    read(record)
                    self._take(record, batch, output)
        output.at_batch()
        # Eviction comes last: a record that expires in its own batch still meets the others of that batch.
        if self.evicts:
            for side in SIDES:
                self._evict(side, batch, output)

    def _take(self, record: Record, batch: Batch, output: BatchOutput) -> None:
        assert record.ts is not None
        side, key, trace = record.input, key_of(record.key), output.trace
        if side in self.filtered and record.ts <= batch.late_watermark:
            filter_out(record, key, None, batch, output)
            return
        other = self.stores["right" if side == "left" else "left"]
        for partner in other.get(key, ()):
            left, right = (record, partner) if side == "left" else (partner, record)
            self._match(key, left, right, batch, output)
        self.stores[side].setdefault(key, []).append(record)
        if trace is not None:
            until = None
            if self.evicts and self.bounds is not None:
                until = record.ts + (self.bounds.upper if side == "left" else -self.bounds.lower) + 1
            trace.add(JoinRowStored("SymmetricHashJoinStateManager.append", side, key, record.ts, record.value, until))

    def _match(self, key: Key, left: Record, right: Record, batch: Batch, output: BatchOutput) -> None:
        assert left.ts is not None
        assert right.ts is not None
        bounds, rule = self.bounds, None
        if bounds is not None:
            if not left.ts + bounds.lower <= right.ts <= left.ts + bounds.upper:
                return
            if output.trace is not None:
                numbers = (("left", left.ts), ("lower", bounds.lower), ("right", right.ts), ("upper", bounds.upper))
                rule = Rule("within-interval", "left + lower <= right <= left + upper", numbers, True)
        if output.trace is not None:
            one, other = (Element(each.ts, each.value, each.input) for each in (left, right))
            place = f"{PLACE}.process_partitions"
            output.trace.add(JoinMatched(place, key, one, other, max(left.ts, right.ts), None, rule))
        sides = paired_record(left.ts, left.value), paired_record(right.ts, right.value)
        output.emit_result(batch_joined_row(key, *sides, batch.number, batch.watermark))

    def _is_over(self, side: str, record: Record, batch: Batch) -> bool:
        """Whether every partner would lie before the watermark, so that it would be late."""
        if not self.evicts or self.bounds is None or record.ts is None:
            return False
        if side == "left":
            return record.ts + self.bounds.upper < batch.watermark
        return record.ts - self.bounds.lower < batch.watermark

    def _over(self, side: str, record: Record, batch: Batch) -> Rule:
        assert self.bounds is not None
        assert record.ts is not None
        is_left = side == "left"
        formula = "ts + upper < watermark" if is_left else "ts - lower < watermark"
        bound = ("upper", self.bounds.upper) if is_left else ("lower", self.bounds.lower)
        return Rule("join-row-over", formula, (("ts", record.ts), bound, ("watermark", batch.watermark)), True)

    def _evict(self, side: str, batch: Batch, output: BatchOutput) -> None:
        store = self.stores[side]
        for key in list(store):
            held = store[key]
            over = [record for record in held if self._is_over(side, record, batch)]
            if not over:
                continue
            left = [record for record in held if not self._is_over(side, record, batch)]
            if left:
                store[key] = left
            else:
                del store[key]
            for record in over:
                assert record.ts is not None
                if output.trace is not None:
                    rule = self._over(side, record, batch)
                    place = "SymmetricHashJoinStateManager.remove_by_value_condition"
                    output.trace.add(JoinRowEvicted(place, side, key, record.ts, record.value, rule))
