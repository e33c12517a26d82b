"""Mappings with known keys, and lists: which keys exist, which are required, and what is built from them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from itertools import islice
from typing import Any

from tidemark.simulator.limits import SCENARIO_PROBLEMS
from tidemark.simulator.scenario.format.kinds import (
    INVALID,
    JsonSchema,
    Kind,
    Path,
    Reader,
    Text,
    found,
    is_text,
    listed,
    nearest,
    shortened,
    unknown_choice,
    wanted_words,
)
from tidemark.simulator.scenario.reading.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from tidemark.simulator.words import section

Outer = tuple[tuple[str, str], ...]
"""The keys that selected this variant of a mapping, with their values: (("type", "window"), ("api", "sql"))."""

Values = dict[str, Any]
Check = Callable[[Reader, MappingNode, Values], bool]
"""Checks the values of a mapping together. Reports a problem and returns ``False`` if they do not fit."""


class Members(Kind):
    """A mapping with known keys; ``Variant`` selects among several."""

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words("mapping"))
        return self.members(reader, node, path, ())

    def schema(self) -> JsonSchema:
        return self.schema_within(())

    def members(self, reader: Reader, node: MappingNode, path: Path, outer: Outer) -> Any:
        """As ``read``, for a mapping that ``outer`` selected."""
        raise NotImplementedError

    def schema_within(self, outer: tuple[str, ...]) -> JsonSchema:
        """As ``schema``, for a mapping that also has the keys ``outer``."""
        raise NotImplementedError

    def keys(self) -> Iterator[str]:
        """All keys that the mapping may have."""
        raise NotImplementedError

    def set_siblings(self, keys: frozenset[str]) -> None:
        """Set the keys of the other variants: one of those here gets a message of its own."""
        raise NotImplementedError


class Struct(Members):
    """A mapping from which ``build`` makes a part of the scenario.

    ``kinds`` (and ``more`` of them) are its keys, read in this order; ``renamed`` maps parameters of ``build`` to
    keys of another name. A key is required if its parameter has no default, unless ``required`` lists the required
    ones. ``fixed`` are further arguments for ``build``.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        kinds: Mapping[str, Kind] | None = None,
        *,
        required: tuple[str, ...] | None = None,
        check: Check | None = None,
        fixed: Values | None = None,
        renamed: dict[str, str] | None = None,
        **more: Kind,
    ) -> None:
        kinds = {**(kinds or {}), **more}
        self.build = build
        self.renamed = renamed or {}
        self.kinds = {self.renamed.get(name, name): kind for name, kind in kinds.items()}
        self.defaults = _defaults(build)
        if required is None:
            required = tuple(name for name in kinds if name not in self.defaults)
        self.required = tuple(self.renamed.get(name, name) for name in required)
        self.parameters = {self.renamed.get(name, name): name for name in kinds}
        self.check = check
        self.fixed = fixed or {}
        self.siblings: frozenset[str] = frozenset()

    def members(self, reader: Reader, node: MappingNode, path: Path, outer: Outer) -> Any:
        values, valid = self.values(reader, node, path, outer)
        if not valid or (self.check is not None and not self.check(reader, node, values)):
            return INVALID
        return self.build(**values, **self.fixed)

    def values(self, reader: Reader, node: MappingNode, path: Path, outer: Outer) -> tuple[Values, bool]:
        """The values that could be read, by the parameters of ``build``, and whether all could."""
        entries = node.entries
        values: Values = {}
        valid = True
        mistyped: set[str | None] | None = None
        for key, kind in self.kinds.items():
            entry = entries.get(key)
            if entry is None:
                if key in self.required:
                    if mistyped is None:
                        mistyped = self._mistyped(reader, entries, outer)
                    if key not in mistyped:
                        reader.wrong(node.at, "missing_key", key=key)
                    valid = False
                continue
            value = kind.read(reader, entry.value, (*path, key))
            if value is INVALID:
                valid = False
            else:
                values[self.parameters[key]] = value
                if path[:1] != ("stream",):
                    reader.marks[(*path, key)] = reader.source.place(entry.value.at)
        if len(entries) > len(values):
            self._report_unknown(reader, entries, outer)
        return values, valid

    def _mistyped(self, reader: Reader, entries: dict[str, Entry], outer: Outer) -> set[str | None]:
        """Keys that are here, but mistyped: they are reported as such, and not as missing too."""
        if reader.source.full:
            return set()
        known = (*dict(outer), *self.kinds)
        unknown = (key for key in entries if key not in known and key not in self.siblings)
        return {nearest(key, known) for key in islice(unknown, SCENARIO_PROBLEMS)}

    def _report_unknown(self, reader: Reader, entries: dict[str, Entry], outer: Outer) -> None:
        chosen_by = dict(outer)
        for key, entry in entries.items():
            if key in self.kinds or key in chosen_by:
                continue
            if key in self.siblings:
                chosen = ", ".join(f"`{name}: {value}`" for name, value in outer)
                word = "key_not_taken" if outer else "key_not_taken_by_record"
                reader.wrong(entry.at, word, key=key, chosen=chosen)
                continue
            report_unknown_key(reader, key, entry, (*chosen_by, *self.kinds))

    def schema_within(self, outer: tuple[str, ...]) -> JsonSchema:
        properties: JsonSchema = {name: {} for name in outer}
        for key, kind in self.kinds.items():
            default = self.defaults.get(self.parameters[key])
            properties[key] = described(key, kind.schema())
            if isinstance(default, str | int | float):
                properties[key]["default"] = default
        schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
        return schema | ({"required": list(self.required)} if self.required else {})

    def keys(self) -> Iterator[str]:
        yield from self.kinds

    def set_siblings(self, keys: frozenset[str]) -> None:
        self.siblings = keys - self.kinds.keys()


class Variant(Members):
    """A mapping whose key ``key`` says which of ``cases`` it is; ``default`` applies if it is not written."""

    def __init__(self, key: str, cases: dict[str, Members], default: str | None = None) -> None:
        self.key = key
        self.cases = cases
        self.default = default
        self.set_siblings(frozenset(self.keys()))

    def members(self, reader: Reader, node: MappingNode, path: Path, outer: Outer) -> Any:
        entry = node.entries.get(self.key)
        if entry is None:
            if self.default is None:
                if (meant := self._mistyped(reader, node)) is not None:
                    return report_mistyped(reader, meant, node.entries[meant], self.key)
                return reader.wrong(node.at, "missing_choice", key=self.key, names=listed(self.cases))
            name: object = self.default
        else:
            name = reader.scalar(entry.value, "text")
            if name is INVALID:
                return INVALID
            if name not in self.cases:
                return unknown_choice(reader, entry.value, self.cases)
        assert isinstance(name, str)
        return self.cases[name].members(reader, node, path, (*outer, (self.key, name)))

    def _mistyped(self, reader: Reader, node: MappingNode) -> str | None:
        """The key that is a mistyped ``self.key``; ``None`` if there is none."""
        if reader.source.full:
            return None
        known = tuple(dict.fromkeys(self.keys()))
        unknown = (key for key in node.entries if key not in known)
        return next((key for key in islice(unknown, SCENARIO_PROBLEMS) if nearest(key, known) == self.key), None)

    def schema_within(self, outer: tuple[str, ...]) -> JsonSchema:
        chosen = described(self.key, {"enum": list(self.cases)})
        schema: JsonSchema = {"type": "object", "properties": {self.key: chosen}}
        if self.default is None:
            schema["required"] = [self.key]
        else:
            chosen["default"] = self.default
        schema["allOf"] = [
            {
                "if": {"properties": {self.key: {"const": name}}}
                | ({} if name == self.default else {"required": [self.key]}),
                "then": case.schema_within((*outer, self.key)),
            }
            for name, case in self.cases.items()
        ]
        return schema

    def keys(self) -> Iterator[str]:
        yield self.key
        for case in self.cases.values():
            yield from case.keys()

    def set_siblings(self, keys: frozenset[str]) -> None:
        for case in self.cases.values():
            case.set_siblings(keys)


class Named(Kind):
    """A kind with a name in the JSON Schema's ``$defs``; it may contain itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kind: Kind | None = None

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        assert self.kind is not None
        return self.kind.read(reader, node, path)

    def schema(self) -> JsonSchema:
        return {"$ref": f"#/$defs/{self.name}"}


class ListOf(Kind):
    """A list of at least ``least`` items of one kind, as a tuple."""

    def __init__(self, kind: Kind, least: int = 0) -> None:
        self.kind = kind
        self.least = least

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if not isinstance(node, SequenceNode):
            return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words("list"))
        if len(node.items) < self.least:
            return reader.wrong(node.at, "list_too_short", least=self.least)
        values = []
        for number, item in enumerate(node.items):
            values.append(self.kind.read(reader, item, (*path, number)))
            reader.marks[(*path, number)] = reader.source.place(item.at)
        return INVALID if INVALID in values else tuple(values)

    def schema(self) -> JsonSchema:
        return {"type": "array", "items": self.kind.schema(), "minItems": self.least}


class Texts(Kind):
    """A mapping of names to texts, as pairs in the order of the file."""

    def __init__(self) -> None:
        self.text = Text()

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words("mapping"))
        pairs = []
        for name, entry in node.entries.items():
            if not is_text(name, entry) or not name.strip():
                return reader.wrong(entry.at, "key_not_text", key=shortened(name))
            pairs.append((name, self.text.read(reader, entry.value, (*path, name))))
            reader.marks[(*path, name)] = reader.source.place(entry.value.at)
        return INVALID if any(text is INVALID for _, text in pairs) else tuple(pairs)

    def schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.text.schema()}


def place_within(root: Node, *path: str | int) -> int:
    """The offset of the value at ``path``, or of the nearest value around it that is written."""
    node = root
    for step in path:
        if isinstance(node, MappingNode) and step in node.entries:
            node = node.entries[str(step)].value
        elif isinstance(node, SequenceNode) and isinstance(step, int):
            node = node.items[step]
        else:
            break
    return node.at


def exactly_one(reader: Reader, node: MappingNode, values: Values, names: tuple[str, ...]) -> bool:
    """Whether exactly one of ``names`` is written; reports it if not."""
    written = [name for name in names if name in values]
    if len(written) == 1:
        return True
    at = node.at if not written else node.entries[written[1]].at
    wanted = wanted_words("one_of", names=listed(names))
    reader.wrong(at, "exactly_one", wanted=wanted)
    return False


def report_unknown_key(reader: Reader, key: str, entry: Entry, known: tuple[str, ...]) -> Any:
    """Report an unknown key, with the nearest known one. Returns ``INVALID``."""
    close = None if reader.source.full else nearest(key, known)
    if close is not None:
        return report_mistyped(reader, key, entry, close)
    if known:
        return reader.wrong(entry.at, "unknown_key", key=key, known="" if reader.source.full else listed(known))
    return reader.wrong(entry.at, "no_keys_here", key=key)


def report_mistyped(reader: Reader, key: str, entry: Entry, near: str) -> Any:
    """Report a key that was meant to be ``near``. Returns ``INVALID``."""
    replacement = reader.source.instead(entry.at, key, near)
    return reader.wrong(entry.at, "unknown_key_near", replacement=replacement, key=key, near=near)


def described(key: str, schema: JsonSchema) -> JsonSchema:
    """``schema`` with the catalogue's description of ``key``, which editors show."""
    about = section("format.keys").get(key)
    return schema if about is None else {"description": about} | schema


def peek(node: Node, key: str) -> str | None:
    """The text of ``key`` in a mapping that has not been read yet."""
    if not isinstance(node, MappingNode) or key not in node.entries:
        return None
    value = node.entries[key].value
    return value.text if isinstance(value, ScalarNode) else None


def _defaults(build: Callable[..., Any]) -> Values:
    """The optional parameters of a dataclass or named tuple, with their defaults."""
    if hasattr(build, "__dataclass_fields__"):
        return {
            each.name: each.default
            for each in fields(build)  # type: ignore[arg-type]
            if each.default is not MISSING or each.default_factory is not MISSING
        }
    return dict(getattr(build, "_field_defaults", {}))
