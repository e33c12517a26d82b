"""Texts: in the language of the file, or one for each language."""

from typing import Any, Final

from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.format.kinds import (
    INVALID,
    Choice,
    JsonSchema,
    Kind,
    Leaf,
    Path,
    Reader,
    Text,
    found,
    shortened,
    wanted_words,
)
from tidemark.simulator.scenario.format.structs import Struct, described
from tidemark.simulator.scenario.languages import TRANSLATED_FROM, TemplateError, parts
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node
from tidemark.simulator.words import section
from tidemark.simulator.words.tags import TAG, is_tag

SOURCE: Final = Text()


class Translated(Kind):
    """A text in the file's language, or one for each language. ``template``: ``{names}`` are fields of an event."""

    def __init__(self, *, template: bool = False, one_line: bool = False) -> None:
        self.template = template
        self.text = Text(r"[^\S\n]*\S[^\n]*", "line") if one_line else Text()

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if isinstance(node, MappingNode):
            texts = self._by_language(reader, node, path)
            nodes = {language: entry.value for language, entry in node.entries.items()}
        else:
            text = self.text.read(reader, node, path)
            texts, nodes = text if text is INVALID else {reader.language: text}, {reader.language: node}
        if texts is not INVALID and self.template:
            for language, text in texts.items():
                try:
                    parts(text)
                except TemplateError as error:
                    texts = reader.wrong(nodes[language].at, "bad_template", found=shortened(error.text))
        return texts

    def _by_language(self, reader: Reader, node: MappingNode, path: Path) -> Any:
        texts = {}
        valid = True
        for name, entry in node.entries.items():
            if name == TRANSLATED_FROM:
                valid = self._sources(reader, entry.value, path) and valid
                continue
            if not is_tag(name):
                # A text without quotes ends at its comma; what is behind it reads as a key of its own.
                why = "text_cut_off" if " " in name else "no_language"
                valid = reader.wrong(entry.at, why, found=shortened(name)) is not INVALID
                continue
            texts[name] = self.text.read(reader, entry.value, (*path, name))
            reader.marks[(*path, name)] = reader.source.place(entry.value.at)
        if reader.language not in node.entries:
            valid = reader.wrong(node.at, "missing_key", key=reader.language) is not INVALID
        return texts if valid and INVALID not in texts.values() else INVALID

    def _sources(self, reader: Reader, node: Node, path: Path) -> bool:
        """Reads ``translated_from``; a language that is no longer there does no harm."""
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=found(node), wanted=wanted_words("mapping")) is not INVALID
        sources = {}
        for name, entry in node.entries.items():
            if not is_tag(name):
                return reader.wrong(entry.at, "no_language", found=shortened(name)) is not INVALID
            sources[name] = SOURCE.read(reader, entry.value, (*path, TRANSLATED_FROM, name))
        reader.translated_from[path] = sources
        return INVALID not in sources.values()

    def schema(self) -> JsonSchema:
        sources = {TRANSLATED_FROM: described(TRANSLATED_FROM, _of_languages(SOURCE))}
        return {"anyOf": [self.text.schema(), {**_of_languages(self.text), "properties": sources}]}


def _of_languages(text: Text) -> JsonSchema:
    texts = {"patternProperties": {f"^{TAG}$": text.schema()}, "minProperties": 1, "additionalProperties": False}
    return {"type": "object", **texts}


class Language(Leaf):
    """``language``: the one of every text that is not written by language."""

    wanted = "language"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str) or not is_tag(value):
            return self.refused(reader, node)
        reader.language = value
        return value

    def schema(self) -> JsonSchema:
        return {"type": "string", "pattern": f"^{TAG}$"}


class Answers(Kind):
    """A choice of a question: a text, or ``{text: …, reply: …, belief: …}``; each text may be one for each language."""

    def __init__(self, text: Translated) -> None:
        self.text = text
        self.whole = Struct(model.Choice, text=text, reply=text, belief=Choice(*section("beliefs")))

    def read(self, reader: Reader, node: Node, path: Path) -> Any:
        if isinstance(node, MappingNode) and not node.entries.keys().isdisjoint(self.whole.keys()):
            return self.whole.read(reader, node, path)
        text = self.text.read(reader, node, path)
        return text if text is INVALID else model.Choice(text)

    def schema(self) -> JsonSchema:
        return {"anyOf": [*self.text.schema()["anyOf"], self.whole.schema()]}


TITLE: Final = Translated(one_line=True)
TEXT: Final = Translated()
TEMPLATE: Final = Translated(template=True)
