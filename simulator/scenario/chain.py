"""``operators:``: a file with several operators as a chain of ordinary scenarios, of which one is shown.

Theory of operation. The operators are read from the top, each as a scenario of its own: its inputs are those of the
file, or what an operator above it emits, which has run by then (``emissions``). A row is a record downstream, at the
item that brought it about and before the watermark that follows it. So everything that is done with a scenario is done
with one operator of a chain as well; ``Scenario.chain`` knows the others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, NoReturn

from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.limits import CHAIN_OPERATORS, SCENARIO_ITEMS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.emissions import LOST, Emission, Structs, emissions
from tidemark.simulator.scenario.format import kinds
from tidemark.simulator.scenario.format.document import CHAIN_KEYS, NAME
from tidemark.simulator.scenario.format.kinds import Reader, found, listed, shortened, wanted_words
from tidemark.simulator.scenario.format.operators import JOINS, VERSIONED
from tidemark.simulator.scenario.format.stream import SIDES, plain_value
from tidemark.simulator.scenario.format.structs import peek, report_unknown_key
from tidemark.simulator.scenario.reading.nodes import (
    Entry,
    MappingNode,
    Node,
    Refused,
    ScalarNode,
    SequenceNode,
    Source,
)

ReadStage = Callable[[MappingNode], model.Scenario]

CALC: Final = ("columns", "where", "select", "key")
FEED_KEYS: Final = ("of", "watermark", *CALC)
OF_THE_CHAIN: Final = ("operators", "shown", "inputs", "stream")
OF_THE_SHOWN: Final = ("goals", "walkthrough", "look_for", "takeaway")
FOR_ALL: Final = ("advance", "end")
"""The items that every operator gets, by their keys."""


@dataclass
class _Feed:
    """What comes in by one input: rows of ``sources``; ``calc`` stands in front of the operator; ``at``: its place."""

    sources: tuple[str, ...]
    at: int
    calc: dict[str, Entry] = field(default_factory=dict)


class _Raw(NamedTuple):
    """An item as the file has it: its number, the input that it is of ("" for all), and itself."""

    seq: int
    input: str
    node: MappingNode


class _Piece(NamedTuple):
    """An item of the stream of one operator; ``origin``: the operator and the number of the row that it was."""

    seq: int
    clock: int
    rank: int
    node: Node
    origin: model.Origin | None = None

    @property
    def order(self) -> tuple[int, int, int]:
        """By the item of the file that brings it, then by the clock, then by input."""
        return self.seq, self.clock, self.rank


def read_chain(source: Source, root: MappingNode, read: ReadStage) -> model.Scenario:
    """The operator of ``root`` that is shown, as a scenario. Raises ``Refused`` after it has reported what is wrong.

    ``read``: the scenario of a file with one operator.
    """
    found = _Chain(source, root, read)
    found.check()
    for name, entry in found.operators.items():
        found.add(name, entry)
    if source.failed:
        raise Refused
    return model.Chain(tuple(found.parts.values()), found.shown).part(found.shown)


class _Chain:
    def __init__(self, source: Source, root: MappingNode, read: ReadStage) -> None:
        self.source, self.root, self.read = source, root, read
        self.reader = Reader(source)
        node = root.entries["operators"].value
        if not isinstance(node, MappingNode):
            self._refuse(node.at, "wrong_kind", found=found(node), wanted=wanted_words("mapping"))
        self.operators = node.entries
        written = root.entries["inputs"].value if "inputs" in root.entries else None
        self.inputs = written.entries if isinstance(written, MappingNode) else {}
        self.names = tuple(self.inputs) or ("events",)
        self.shown = peek(root, "shown") or next(reversed(self.operators), "")
        self.parts: dict[str, model.ChainPart] = {}
        self.emitted: dict[str, list[tuple[Emission, int]]] = {}
        self.clocks: list[int] = []
        """Where the clock is (ms) after each item."""

    def check(self) -> None:
        """Report what is wrong with the file as a whole; raises ``Refused`` if it is."""
        if "operator" in self.root.entries:
            self._refuse(self.root.entries["operator"].at, "chain_and_operator")
        if peek(self.root, "engine") not in (None, "flink"):
            self._refuse(self.root.entries["engine"].value.at, "chain_of_spark")
        for key, entry in self.root.entries.items():
            if key not in CHAIN_KEYS:
                report_unknown_key(self.reader, key, entry, CHAIN_KEYS)
        for key in ("name", "stream"):
            if key not in self.root.entries:
                self.source.report(self.root.at, "missing_key", key=key)
        if not 1 <= len(self.operators) <= CHAIN_OPERATORS:
            at = self.root.entries["operators"].at
            self._refuse(at, "chain_length", count=len(self.operators), limit=CHAIN_OPERATORS)
        for name, entry in self.operators.items():
            if not NAME.fullmatch(name) or name in self.names:
                self._refuse(entry.at, "chain_name", called=shortened(name))
        if self.shown not in self.operators:
            place = self.root.entries["shown"].value
            self._refuse(place.at, "unknown_choice", found=found(place), names=listed(self.operators))
        if self.source.failed:
            raise Refused
        self.stream = list(self._raw_items())
        self._set_clock()

    def _refuse(self, at: int, word: str, **fields: Any) -> NoReturn:
        self.source.refuse(at, word, **fields)

    def _raw_items(self) -> Iterator[_Raw]:
        stream = self.root.entries["stream"].value
        if not isinstance(stream, SequenceNode):
            self._refuse(stream.at, "chain_of_no_list")
        for seq, node in enumerate(stream.items):
            if not isinstance(node, MappingNode):
                self._refuse(node.at, "wrong_kind", found=found(node), wanted=wanted_words("item"))
            if "checkpoint" in node.entries or "restore" in node.entries:
                self._refuse(node.at, "chain_checkpoint")
            name = peek(node, "in")
            if name is None and not any(key in node.entries for key in FOR_ALL):
                if len(self.names) > 1:
                    self._refuse(node.at, "missing_key", key="in")
                name = self.names[0]
            elif name is not None and name not in self.names:
                self._refuse(
                    node.entries["in"].value.at, "unknown_choice", found=shortened(name), names=listed(self.names)
                )
            yield _Raw(seq, name or "", node)

    def _set_clock(self) -> None:
        """The clock by what is written: each item may say when it comes, or how far it moves the clock."""
        origin = self.root.entries.get("origin")
        if origin is not None:
            self.reader.origin = self._ms(kinds.Timestamp(), origin)
        clock = self.reader.origin
        for each in self.stream:
            entries = each.node.entries
            if "at" in entries:
                clock = max(clock, self._ms(kinds.Timestamp(), entries["at"]))
            if "advance" in entries:
                clock += self._ms(kinds.Duration(low=0), entries["advance"])
            self.clocks.append(clock)

    def _ms(self, kind: kinds.Kind, entry: Entry) -> int:
        value = kind.read(self.reader, entry.value, ())
        if value is kinds.INVALID:
            raise Refused
        return int(value)

    # One operator.

    def add(self, name: str, entry: Entry) -> None:
        """Read the operator ``name``, and run it for those that it feeds."""
        node = entry.value
        if not isinstance(node, MappingNode):
            self._refuse(node.at, "wrong_kind", found=found(node), wanted=wanted_words("mapping"))
        kind = peek(node, "type")
        feeds = self._feeds(node, entry.at, joins=kind in JOINS)
        minds_clock = self._minds_clock(feeds, node)
        pieces = sorted(
            self._pieces(feeds, versions=kind == VERSIONED, minds_clock=minds_clock), key=lambda each: each.order
        )
        if len(pieces) > SCENARIO_ITEMS:
            self._refuse(entry.at, "chain_too_long", called=name, limit=SCENARIO_ITEMS)
        stage = MappingNode(entry.at)
        for key, each in self.root.entries.items():
            if key not in OF_THE_CHAIN and (name == self.shown or key not in OF_THE_SHOWN):
                stage.entries[key] = each
        operator = MappingNode(node.at)
        operator.entries.update({key: each for key, each in node.entries.items() if key != "from"})
        stream = SequenceNode(self.root.entries["stream"].value.at)
        stream.items = [each.node for each in pieces]
        inputs = MappingNode(entry.at)
        inputs.entries.update({side: Entry(each.at, True, self._input(each)) for side, each in feeds.items()})
        for key, value in (("operator", operator), ("inputs", inputs), ("stream", stream)):
            stage.entries[key] = Entry(entry.at, True, value)
        scenario = self.read(stage)
        scenario = scenario if name == self.shown else replace(scenario, name=f"{scenario.name}.{name}")
        seqs = tuple(each.seq for each in pieces)
        self.parts[name] = self._run(name, entry, scenario, seqs, feeds, tuple(each.origin for each in pieces))

    def _run(
        self,
        name: str,
        entry: Entry,
        scenario: model.Scenario,
        seqs: tuple[int, ...],
        feeds: Mapping[str, _Feed],
        origins: tuple[model.Origin | None, ...],
    ) -> model.ChainPart:
        rows: list[tuple[Emission, int]] = []
        results: list[int] = []
        watermarks: list[tuple[int, int]] = []
        for each in emissions(scenario, seqs):
            if each.row is not None and each.row["row"] == "error":
                self._refuse(entry.at, "chain_fails", called=name, why=each.row["message"])
            if each.row is not None and each.row["row"] in LOST:
                continue
            rows.append((each, len(results)))
            if each.row is not None:
                results.append(each.seq)
            elif not each.status:
                watermarks.append((each.seq, each.ts or 0))
            if len(results) > SCENARIO_ITEMS:
                self._refuse(entry.at, "chain_too_long", called=name, limit=SCENARIO_ITEMS)
        self.emitted[name] = rows
        sources = tuple(dict.fromkeys(source for feed in feeds.values() for source in feed.sources))
        return model.ChainPart(name, scenario, sources, origins, seqs, tuple(results), tuple(watermarks))

    # What it is fed by.

    def _feeds(self, node: MappingNode, at: int, *, joins: bool) -> dict[str, _Feed]:
        """By the names of the inputs of the scenario that the operator is."""
        entry = node.entries.get("from")
        if entry is None:
            before = next(reversed(self.parts), None)
            if joins or (before is None and len(self.names) > 1):
                self._refuse(at, "missing_key", key="from")
            source = before or self.names[0]
            return {source: _Feed((source,), at)}
        if not joins:
            feed = self._feed(entry.value)
            return {" + ".join(feed.sources): feed}
        sides = entry.value
        if not isinstance(sides, MappingNode) or tuple(sorted(sides.entries)) != SIDES:
            self._refuse(sides.at, "chain_sides")
        return {side: self._feed(sides.entries[side].value) for side in SIDES}

    def _feed(self, node: Node) -> _Feed:
        if isinstance(node, MappingNode):
            for key, entry in node.entries.items():
                if key not in FEED_KEYS:
                    report_unknown_key(self.reader, key, entry, FEED_KEYS)
            if "of" not in node.entries:
                self.source.report(node.at, "missing_key", key="of")
            if self.source.failed:
                raise Refused
            feed = self._feed(node.entries["of"].value)
            feed.calc = {key: entry for key, entry in node.entries.items() if key != "of"}
            return feed
        names = node.items if isinstance(node, SequenceNode) else [node]
        known = (*self.names, *self.parts)
        for each in names:
            if not isinstance(each, ScalarNode) or each.text not in known:
                self._refuse(each.at, "unknown_choice", found=found(each), names=listed(known))
        sources = tuple(each.text for each in names if isinstance(each, ScalarNode))
        if not sources or len(set(sources)) < len(sources):
            self._refuse(node.at, "chain_union")
        return _Feed(sources, node.at)

    def _input(self, feed: _Feed) -> Node:
        """The input of the scenario as a file has it."""
        node = MappingNode(feed.at)
        raw = [self._written(each) for each in feed.sources if each in self.names]
        if "watermark" in feed.calc:
            node.entries["watermark"] = feed.calc["watermark"]
        elif raw and self._makes_watermarks(feed) and "watermark" in raw[0]:
            node.entries["watermark"] = raw[0]["watermark"]
        channels = sum(self._channels(each) for each in feed.sources)
        if channels > 1:
            node.entries["channels"] = Entry(feed.at, True, ScalarNode(str(channels), feed.at, True))
        for key in CALC:
            entry = feed.calc.get(key) or (raw[0].get(key) if raw and not feed.calc else None)
            if entry is not None:
                node.entries[key] = entry
        if raw:
            node.entries.update(
                {key: each for key, each in raw[0].items() if key not in (*CALC, "watermark", "channels")}
            )
        return node

    def _written(self, name: str) -> dict[str, Entry]:
        value = self.inputs[name].value if name in self.inputs else None
        return value.entries if isinstance(value, MappingNode) else {}

    def _channels(self, name: str) -> int:
        text = (peek(self.inputs[name].value, "channels") if name in self.inputs else None) or "1"
        return int(text) if text.isdecimal() and name in self.names else 1

    def _makes_watermarks(self, feed: _Feed) -> bool:
        """Whether the scenario's own generators do: the feed has a strategy, or all of it are inputs with the same."""
        if "watermark" in feed.calc:
            return True
        specs = []
        for name in feed.sources:
            if name not in self.names:
                return False
            entry = self._written(name).get("watermark")
            specs.append(None if entry is None else plain_value(self.reader, entry.value))
        return all(each == specs[0] for each in specs)

    # Its stream.

    def _pieces(self, feeds: Mapping[str, _Feed], *, versions: bool, minds_clock: bool) -> Iterator[_Piece]:
        several = len(feeds) > 1
        for rank, (side, feed) in enumerate(feeds.items()):
            first, own = 0, self._makes_watermarks(feed)
            for name in feed.sources:
                where = {"in": side} if several else {}
                if name in self.names:
                    yield from self._records(name, where, first, rank)
                    if not own:
                        yield from self._watermarks(name, where, first, rank)
                else:
                    yield from self._results(name, feed, where, first, rank, versions=versions and side == "right")
                first += self._channels(name)
        yield from self._for_all(feeds)
        if minds_clock:
            fed_by = {name for feed in feeds.values() for name in feed.sources}
            for seq, input, item in self.stream:
                if input and input not in fed_by and "at" in item.entries:
                    passing = _node({"advance": 0}, item.at)
                    passing.entries["at"] = item.entries["at"]
                    yield _Piece(seq, self.clocks[seq], -1, passing)

    def _minds_clock(self, feeds: Mapping[str, _Feed], operator: MappingNode) -> bool:
        """Whether something happens when only time passes, and so at the items of other inputs too."""
        specs = [self._written(name).get("watermark") for feed in feeds.values() for name in feed.sources]
        specs += [feed.calc.get("watermark") for feed in feeds.values()]
        written = [each.value for each in specs if each is not None]
        return bool(operator.entries.keys() & {"time", "trigger"}) or any(
            peek(each, key) is not None for each in written for key in ("emit", "idle_timeout")
        )

    def _records(self, name: str, where: Mapping[str, Any], first: int, rank: int) -> Iterator[_Piece]:
        for seq, input, item in self.stream:
            if input != name:
                continue
            node = MappingNode(item.at)
            node.entries.update({key: each for key, each in item.entries.items() if key != "in"})
            channel = peek(node, "channel") or "0"
            moved = {"channel": int(channel) + first} if first and channel.isdecimal() else {}
            node.entries.update(_node({**where, **moved}, item.at).entries)
            yield _Piece(seq, self.clocks[seq], rank, node)

    def _watermarks(self, name: str, where: Mapping[str, Any], channel: int, rank: int) -> Iterator[_Piece]:
        """The watermarks of an input of the file that is united with something else, from a run of it alone."""
        at = self.root.at
        stage, inputs, stream = MappingNode(at), MappingNode(at), SequenceNode(at)
        for key in ("scenario", "name", "origin"):
            if key in self.root.entries:
                stage.entries[key] = self.root.entries[key]
        spec = MappingNode(at)
        written = self._written(name)
        conditional = "watermark" in written and peek(written["watermark"].value, "when") is not None
        kept = ("watermark", "channels", *(("columns",) if conditional else ()))
        spec.entries.update({key: each for key, each in written.items() if key in kept})
        inputs.entries[name] = Entry(at, True, spec)
        pieces = sorted((*self._records(name, {}, 0, rank), *self._for_all({})), key=lambda each: each.order)
        stream.items = [_bare(each.node, with_value=conditional) for each in pieces]
        passing = _node({"type": "process", "function": {"call": "event-sort"}}, at)
        for key, value in (("inputs", inputs), ("operator", passing), ("stream", stream)):
            stage.entries[key] = Entry(at, True, value)
        for each in emissions(self.read(stage), [piece.seq for piece in pieces]):
            if each.row is None and each.ts != MAX:
                yield _Piece(each.seq, each.at, rank, _node(self._signal(each, where, channel), at))

    def _signal(self, each: Emission, where: Mapping[str, Any], channel: int) -> dict[str, Any]:
        said = {"status": each.status} if each.status else {"watermark": each.ts}
        return {**where, **said, **({"channel": channel} if channel else {}), **self._at(each)}

    def _results(
        self, name: str, feed: _Feed, where: Mapping[str, Any], channel: int, rank: int, *, versions: bool
    ) -> Iterator[_Piece]:
        structs = Structs(self.parts[name].scenario)
        columns = feed.calc.get("columns")
        wanted = columns.value.entries if columns and isinstance(columns.value, MappingNode) else None
        for each, number in self.emitted[name]:
            if each.row is None:
                # The end of the stream brings the last one, and a strategy of the feed its own.
                if each.ts != MAX and "watermark" not in feed.calc:
                    yield _Piece(each.seq, each.at, rank, _node(self._signal(each, where, channel), feed.at))
                continue
            change = each.row.get("change") or "+I"
            if change != "+I" and not versions:
                self._refuse(feed.at, "chain_of_updates", called=name)
            if change == "-U":
                continue
            item: dict[str, Any] = {**where, "ts": each.ts}
            if "key" not in feed.calc:
                item["key"] = each.row["key"]
            if wanted is None:
                item["value"] = structs.plain(each.row)
            else:
                struct = structs.of(each.row, each.ts)
                item["value"] = {column: struct[column] for column in wanted if column in struct}
                missing = next((column for column in wanted if column not in struct), None)
                if missing is not None and each.row["row"] != "joined":
                    self._refuse(
                        wanted[missing].at, "no_such_column", column=shortened(missing), columns=listed(struct)
                    )
            item |= ({"channel": channel} if channel else {}) | self._at(each)
            yield _Piece(each.seq, each.at, rank, _node(item, feed.at), model.Origin(name, number))

    def _at(self, each: Emission) -> dict[str, int]:
        return {"at": each.at} if self._clocked else {}

    @property
    def _clocked(self) -> bool:
        return any("at" in each.node.entries or "advance" in each.node.entries for each in self.stream)

    def _for_all(self, feeds: Mapping[str, _Feed]) -> Iterator[_Piece]:
        """The items that are for every operator, behind what they bring about upstream: of an ``advance``, what
        remains of it then."""
        last: dict[int, int] = {}
        for feed in feeds.values():
            for name in feed.sources:
                for each, _ in self.emitted.get(name, ()):
                    last[each.seq] = max(each.at, last.get(each.seq, each.at))
        for seq, input, node in self.stream:
            if input:
                continue
            if "advance" in node.entries and seq in last:
                node = _node({"advance": self.clocks[seq] - last[seq]}, node.at)
            yield _Piece(seq, self.clocks[seq], len(SIDES), node)


def _bare(node: Node, *, with_value: bool) -> Node:
    """A record without what its watermark does not look at."""
    assert isinstance(node, MappingNode)
    bare = MappingNode(node.at)
    left_out = ("op",) if with_value else ("value", "op")
    bare.entries.update({key: each for key, each in node.entries.items() if key not in left_out})
    if "ts" in bare.entries and "key" not in bare.entries:
        bare.entries["key"] = Entry(node.at, True, ScalarNode("all", node.at, False))
    return bare


def _node(value: Any, at: int) -> Any:
    """``value`` as the reader of a file would find it, at the offset ``at``."""
    if isinstance(value, Mapping):
        node = MappingNode(at)
        node.entries.update({name: Entry(at, False, _node(each, at)) for name, each in value.items()})
        return node
    if isinstance(value, list | tuple):
        items = SequenceNode(at)
        items.items = [_node(each, at) for each in value]
        return items
    if isinstance(value, str):
        return ScalarNode(value, at, False)
    return ScalarNode(
        "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value), at, True
    )
