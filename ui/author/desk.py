"""The server's side of the Author page: answers to what the browser asks about its draft.

The browser owns the draft, and every question carries its whole text. What is kept here of a text (``draft``, ``runs``)
only saves time: any server could answer any question. An answer is made in this order: a command or an edit turns the
text into another one, the text is checked, and if it is sound it is run and everything shown is made from that run.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import SCENARIO_BYTES, TABLE_PIECE_BYTES, TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import EditError, ScenarioText, replace, text_value
from tidemark.simulator.scenario.editing.beats import remove_beat
from tidemark.simulator.scenario.languages import languages_of, texts_of
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.teaching.lint import beats_in_doubt
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.words import DEFAULT_LANGUAGE, current_language, section, words
from tidemark.simulator.words.tags import suited
from tidemark.ui.author import store
from tidemark.ui.author.contents import facts_of, problems_as_json
from tidemark.ui.author.draft import Draft, draft_of, hints_of, run_of_draft
from tidemark.ui.author.edits import edit_of
from tidemark.ui.author.form import form
from tidemark.ui.author.from_sql import SQL_EXAMPLE, SqlRefused, scenario_of_sql
from tidemark.ui.author.importing import choices, looked, sifted, taken
from tidemark.ui.author.moves import ACTS, filed
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.author.store import blocks, digest_of, fork
from tidemark.ui.catalogue import find, library, text_of
from tidemark.ui.catalogue.walkable import shortened
from tidemark.ui.payload.brief import brief
from tidemark.ui.payload.packing import QUICK, pack
from tidemark.ui.server.memory import UNCOLLECTED
from tidemark.ui.server.orders import NotDone, heavily
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.share import links
from tidemark.ui.share import links as own
from tidemark.ui.share.answers import programs_of
from tidemark.ui.share.difference import difference
from tidemark.ui.share.links import LinkError, Text, editable

# The address of a draft. It leaves out the beats that the draft's run contradicts; the draft itself keeps them.


def address_of(command: Mapping[str, Any], text: str) -> Row:
    """{address, for, lost, carried}: what opens the draft with ``text``, and the text that it opens.

    ``lost`` are the numbers (from 0) of the beats that were left out, because the run never gets to their place or
    their texts name what its step does not have. Raises ``LinkError`` or ``ScenarioError`` for a draft that no address
    opens.
    """
    lost: list[int] = []
    try:
        opened = links.of_file(words("author.called"), text)
    except LinkError as refusal:
        text, lost = _without_doubtful_beats(text, refusal)
        opened = links.of_file(words("author.called"), text)
    return {"address": list(opened.address), "for": command.get("for", "copy"), "lost": lost, "carried": text}


def _without_doubtful_beats(text: str, refusal: LinkError) -> tuple[str, list[int]]:
    """``text`` without the beats that its run contradicts, and their numbers. Raises ``refusal`` if there are none."""
    draft = draft_of(text)
    try:
        doubtful = beats_in_doubt(shortened(draft.scenario)) if draft.scenario is not None and draft.whole else []
        rest = ScenarioText(draft.text)
        for number in reversed(doubtful):
            rest = remove_beat(rest, number)
    except (EditError, ScenarioError):
        raise refusal from None
    if not doubtful:
        raise refusal
    return rest.text, doubtful


# Templates: small sound scenarios to begin with, one of each kind, in ``templates/``.
#
# A draft begins with the texts of one language, the author's: others would stay as they are, and tell of the
# template, when the author writes a story of their own.

FOLDER: Final = Path(__file__).parent / "templates"

NAMES: Final = (
    "tumbling-windows",
    "sliding-windows",
    "session-windows",
    "late-to-the-side",
    "two-channels",
    "count-trigger",
    "early-and-late-results",
    "window-join",
    "interval-join",
    "window-table-function",
    "window-top-n",
    "over-window",
    "deduplication",
    "temporal-join",
    "spark-micro-batches",
)
"""Simple ones first."""


class Template(NamedTuple):
    """``name`` is the scenario's, ``title`` in the reader's language, ``text`` the YAML to begin with."""

    name: str
    title: str
    text: str


def templates() -> list[Template]:
    """All templates, simple ones first."""
    return [Template(name, text_of(title), text) for name, title, text in _read()]


@cache
def _read() -> list[tuple[str, object, str]]:
    texts = [(name, (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")) for name in NAMES]
    return [(name, parse(text, f"{name}.yaml").title, text) for name, text in texts]


def in_one_language(text: str) -> tuple[str, list[str]]:
    """A template's text with its texts in the author's language alone (else in English), and the languages left out."""
    scenario = parse(text)
    languages = languages_of(scenario)
    mine = suited(current_language(), languages) or DEFAULT_LANGUAGE
    only = replace(ScenarioText(text), {path: text_value(each[mine].strip()) for path, each in texts_of(scenario)}).text
    if mine != scenario.language:
        line = f"\nname: {scenario.name}\n"
        only = only.replace(line, f"{line}language: {mine}\n", 1)
    return only, [each for each in languages if each != mine]


CALLED: Final = 120
"""How many characters of a file's name a message shows."""

LARGE: Final = 64 * 1024
"""Characters of a text that takes long to read, up to half a second. Such texts are read one after another: several at
once would take the processor, and 30 MB each, from everybody else."""

_one_at_a_time = Lock()


def first(start: Mapping[str, Any] | None) -> bytes:
    """What the page needs before the first question. ``start``: {origin, text} of what the address names."""
    return pack({
        "kind": "first",
        "start": None if start is None else dict(start),
        "words": section("author"),
        "player": section("player"),
        "templates": [_template_card(each) for each in templates()],
        "library": [{"name": each.name, "title": each.title} for each in library() if each.scenario],
        "saving": store.folder() is not None,
        "no_folder": words("author.doors.no_folder" if is_teacher() else "author.doors.teacher_saves"),
        "most_bytes": SCENARIO_BYTES,
        "sql_example": SQL_EXAMPLE,
        "wizard": {"piece": TABLE_PIECE_BYTES, "rows": TABLE_PIECE_ROWS, "most": TABLE_RECORDS, **choices()},
    })  # fmt: skip


def reply(question: Mapping[str, Any]) -> bytes:
    """The answer to a question {number, text, edit, before, hints, command, only_text}, packed."""
    is_large = len(str(question.get("text", ""))) > LARGE
    with _one_at_a_time if is_large else nullcontext(), UNCOLLECTED.answering():
        return pack({"kind": "reply", "number": question.get("number"), **_answer(question)}, level=QUICK)


def _answer(question: Mapping[str, Any]) -> Row:
    text = str(question.get("text", "")).encode("utf-8", "replace").decode()
    answer: Row = {}
    if isinstance(command := question.get("command"), Mapping):
        try:
            outcome = _command(command, text)
        except (EditRefused, store.StoreError, LinkError, ScenarioError, EditError) as error:
            outcome = {"problem": str(error)}
            if isinstance(error, SqlRefused) and error.place is not None:
                outcome["place"] = list(error.place)
        answer["told"] = outcome
        if "text" not in outcome:
            return answer
        text = outcome.pop("text")
    if question.get("hints"):
        return {**answer, "hints": _hints(text)}
    before = question.get("before")
    if question.get("only_text"):
        _, made = _made(text, question.get("edit"))
        return {**answer, **made, "only_text": True}
    return {**answer, **_shown(text, question.get("edit"), before if isinstance(before, str) else None)}


def _hints(text: str) -> list[Row]:
    draft = draft_of(text)
    if draft.scenario is None:
        return []
    try:
        return hints_of(draft, run_of_draft(draft.text, draft.scenario))
    except ScenarioError:
        return []


def _shown(text: str, edit: Any, before: str | None) -> Row:
    """The draft after the edit; without facts if it does not run."""
    draft, reply = _made(text, edit)
    problems = problems_as_json(draft.problems)
    try:
        facts = facts_of(draft, before)
    except ScenarioError as error:
        facts = None
        problems += problems_as_json(error.problems)
    reply |= {"problems": problems, "sound": facts is not None, "form": form(draft)}
    if facts is None:
        return reply
    picture = facts.pop("plane")
    drawn, steps = picture.pop("sources"), facts.pop("steps")
    return {**reply, "facts": {**facts, "plane": picture}, "sources": drawn, "tables": {"steps": steps}}


def _made(text: str, edit: Any) -> tuple[Draft, Row]:
    """The draft after the edit, and {refused, chosen, said, text}. That much of an answer takes no run."""
    draft = draft_of(text)
    made: Row = {"refused": "", "chosen": None, "said": ""}
    if isinstance(edit, Mapping):
        try:
            draft, made["chosen"], made["said"] = edit_of(draft, edit)
        except EditRefused as error:
            made["refused"] = str(error)
    return draft, {**made, "text": draft.text}


# --- commands ------------------------------------------------------------------------------------------------------


def _command(command: Mapping[str, Any], text: str) -> Row:
    """The result of a command: ``text`` is a new draft, everything else is for the part of the page that asked."""
    commands: Mapping[str, Callable[[Mapping[str, Any], str], Row]] = {
        "template": _template, "fork": _fork, "upload": _upload, "names": _names, "open": _open, "save": _save,
        "link": address_of, "look": looked, "sift": sifted, "records": taken, "sql": _sql,
        "programs": _programs, "matters": _matters,
        **dict.fromkeys(ACTS, _filed),
    }  # fmt: skip
    name = command.get("name")
    if not isinstance(name, str) or name not in commands:
        raise EditRefused(words("author.refused.unknown"))
    return commands[name](command, text)


def _template_card(template: Template) -> Row:
    """What a template shows of itself before it is chosen."""
    pieces = ("".join(text for text, _ in piece) for piece in brief(scenarios.parse(template.text)))
    return {"name": template.name, "title": template.title, "about": " · ".join(pieces)}


def _template(command: Mapping[str, Any], text: str) -> Row:
    wanted = next((each for each in templates() if each.name == command.get("template")), None)
    if wanted is None:
        raise EditRefused(words("author.refused.unknown"))
    taken = [*store.names(), wanted.name]
    only, left_out = in_one_language(wanted.text)
    return {"text": fork(only, taken), "whole": fork(wanted.text, taken), "left_out": left_out}


def _fork(command: Mapping[str, Any], text: str) -> Row:
    return {"text": forked(str(command.get("scenario", "")))}


def forked(name: str) -> str:
    """The text of a scenario of the library under a name of its own. Raises ``EditRefused``."""
    entry = find(name)
    if entry is None:
        raise EditRefused(words("author.refused.no_scenario", scenario=name[:CALLED]))
    taken = [*store.names(), *(each.name for each in library())]
    return fork(as_lines(links.whole_of(entry), entry.path.name), taken)


def _upload(command: Mapping[str, Any], text: str) -> Row:
    """The text of a file. JSON that is no scenario stays as it is, so that its author sees where it is wrong."""
    content = _given(command)
    try:
        return {"text": as_lines(content, str(command.get("file", "")))}
    except ScenarioError:
        return {"text": content}


def _sql(command: Mapping[str, Any], text: str) -> Row:
    return {"text": scenario_of_sql(command)}


def _programs(command: Mapping[str, Any], text: str) -> Row:
    draft = draft_of(text)
    if draft.scenario is None:
        raise EditRefused("\n".join(map(str, draft.problems)))
    return programs_of(draft.scenario)


def _matters(command: Mapping[str, Any], text: str) -> Row:
    """The smallest stream on which the draft and the text {before} differ."""
    both = [draft_of(each) for each in (_given(command, "before"), text)]
    left, right = (each.scenario if each.whole else None for each in both)
    if left is None or right is None:
        raise EditRefused(words("author.matters.unsound"))
    try:
        return {"found": heavily(difference, left, right)}
    except NotDone as reason:
        raise EditRefused(str(reason)) from None


def _given(command: Mapping[str, Any], name: str = "content") -> str:
    given = command.get(name)
    if not isinstance(given, str) or len(given) > SCENARIO_BYTES:
        raise EditRefused(words("author.refused.too_large", limit=SCENARIO_BYTES // 1024))
    return given


def as_lines(text: str, file: str) -> str:
    """``text``; a JSON file is turned into YAML, which has a line for each item. Raises ``ScenarioError``.

    One with several operators stays as it is, which is YAML too.
    """
    if not file.lower().endswith(".json"):
        return text
    scenario = scenarios.parse(text, file[:CALLED], json=True)
    return as_yaml(scenario) if scenario.chain is None else text


def _names(command: Mapping[str, Any], text: str) -> Row:
    return {"names": store.names()}


def _open(command: Mapping[str, Any], text: str) -> Row:
    name = str(command.get("file", ""))
    opened, digest = store.open_file(name)
    return {"text": opened, "file": name, "digest": digest}


def _save(command: Mapping[str, Any], text: str) -> Row:
    name = str(command.get("file", ""))
    expected = command.get("expected")
    saved = store.named(text, name)
    try:
        digest = store.save(name, saved, expected if isinstance(expected, str) else None)
    except store.Conflict as error:
        base = command.get("base")  # the text that the author began with, if it is that one
        began = base if isinstance(base, str) and digest_of(base.encode("utf-8", "replace")) == expected else None
        pieces = blocks(saved, error.their_text, began)
        return {"conflict": {"digest": error.their_digest, "text": error.their_text, "blocks": pieces}, "file": name}
    return {"saved": True, "file": name, "digest": digest, **({"text": saved} if saved != text else {})}


def _filed(command: Mapping[str, Any], text: str) -> Row:
    return filed(command)


# What the Author page begins with: the scenario that its address names, as text.


def start_of(query: Mapping[str, str]) -> dict[str, Any] | None:
    """{origin, text} of what the address names, with the ``problem`` if it cannot be opened; None if it names nothing.

    ``file`` is {name, digest} of a file that can be saved over; ``fresh``: the address asks for a new scenario.
    """
    try:
        if "file" in query:
            text, digest = store.open_file(query["file"])
            file = {"name": query["file"], "digest": digest}
            return {"origin": f"file:{query['file']}", "text": text, "file": file}
        if "scenario" in query:
            return {"origin": f"scenario:{query['scenario']}", "text": forked(query["scenario"])}
        if "s" in query:
            return {"origin": f"s:{query['s']}", "text": _text(links.text_of(query["s"]))}
        if "own" in query:
            return {"origin": f"own:{query['own']}", "text": _text(own.shelf().find(query["own"]))}
    except (EditRefused, LinkError, ScenarioError, store.StoreError) as error:
        return {"origin": "", "text": None, "problem": str(error)}
    return {"origin": "", "text": None, "fresh": True} if "new" in query else None


def _text(text: Text | None) -> str:
    if text is None:
        raise LinkError(words("share.link.gone"))
    text = editable(text)
    return as_lines(text.text, "draft.json" if text.json else "draft.yaml")
