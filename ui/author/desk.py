"""The server's side of the Author page: answers to what the browser asks about its draft.

The browser owns the draft, and every question carries its whole text. What is kept here of a text (``draft``, ``runs``)
only saves time: any server could answer any question. An answer is made in this order: a command or an edit turns the
text into another one, the text is checked, and if it is sound it is run and everything shown is made from that run.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from threading import Lock
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.limits import SCENARIO_BYTES, TABLE_PIECE_BYTES, TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario.editing import EditError
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import section, words
from tidemark.ui.author import store
from tidemark.ui.author.checks import hints_of
from tidemark.ui.author.contents import facts_of, problems_as_json
from tidemark.ui.author.differences import blocks
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import edit_of
from tidemark.ui.author.files import digest_of
from tidemark.ui.author.filing import ACTS, filed
from tidemark.ui.author.form.fields import form
from tidemark.ui.author.from_sql import SQL_EXAMPLE, SqlRefused, scenario_of_sql
from tidemark.ui.author.importing import choices, looked, sifted, taken
from tidemark.ui.author.names import fork
from tidemark.ui.author.refusing import EditRefused
from tidemark.ui.author.runs import run_of_draft
from tidemark.ui.author.sharing import address_of
from tidemark.ui.author.templates import Template, in_one_language, templates
from tidemark.ui.catalogue import find, library
from tidemark.ui.memory import UNCOLLECTED
from tidemark.ui.payload.brief import brief
from tidemark.ui.payload.packing import QUICK, pack
from tidemark.ui.roles import is_teacher
from tidemark.ui.share.links import LinkError
from tidemark.ui.share.programs import programs_of

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
        "programs": _programs,
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
    return fork(as_lines(entry.path.read_text(encoding="utf-8"), entry.path.name), taken)


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


def _given(command: Mapping[str, Any]) -> str:
    given = command.get("content")
    if not isinstance(given, str) or len(given) > SCENARIO_BYTES:
        raise EditRefused(words("author.refused.too_large", limit=SCENARIO_BYTES // 1024))
    return given


def as_lines(text: str, file: str) -> str:
    """``text``; a JSON file is turned into YAML, which has a line for each item. Raises ``ScenarioError``."""
    if not file.lower().endswith(".json"):
        return text
    return as_yaml(scenarios.parse(text, file[:CALLED], json=True))


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
