"""The teacher's side of a room: requests of the player about it, by way of the desk (``ui/share/desk.py``).

The browser names only the step; the question and its answers come from the run itself. So nobody can show a class
words of their own, and the right answer is the one that the trace shows.
"""

import csv
import gzip
import io
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

import segno
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item, Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.questions import NEW_WATERMARK, STATE_ENTRIES, WINDOWS_THAT_FIRE, Examiner
from tidemark.simulator.explore.questions import Question as Prediction
from tidemark.simulator.explore.runs import FATE, Outcome, Parting, Ran, run_of, together
from tidemark.simulator.limits import BELIEVED_STEPS, DOOR_CHARACTERS, DRAGGED_ITEMS, ROOMS, VOTE_WINDOWS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.judgements import LOST
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import listed, words
from tidemark.ui.catalogue.walkable import shortened, walked
from tidemark.ui.learning.classroom.rooms import Count, rooms
from tidemark.ui.learning.classroom.votes import SHOWN, Answer, Drag, Enter, Question, Tally, Tap, Way
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.share.answers import text_cell

from tidemark import simulator

# The question at a step, as a class is asked it: texts from the page's facts, the way of answering from the run.

# A record that is dragged until it is dropped: where it would be lost is found by running the stream with it there.

MOST_PLACES: Final = 61
"""The most places that a record can be dragged to, its own included: each takes a run."""

NICE: Final = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))
"""Distances (ms) between places that people can read."""


def dragged(question: Question, run: Ran, item: int, style: TimeStyle) -> Question | None:
    """``question`` about the record ``item``, answered by moving it back in time; None if no place would lose it."""
    stream = list(items(run.scenario))[: item + 1]
    what = stream[item]
    if not isinstance(what, Record) or what.ts is None or len(stream) > DRAGGED_ITEMS:
        return None
    times = [each.ts for each in stream if isinstance(each, Record) and each.ts is not None]
    # Twice as far back as the stream reaches: a record behind everything must be among the places.
    reach = max(2 * (max(times) - min(times)), 1000)
    apart = next((each for each in NICE if reach // each < MOST_PLACES), NICE[-1])
    origin = min(MOST_PLACES - 1, -(-reach // apart))
    first = what.ts - origin * apart
    lost = tuple(_is_lost(run.scenario, stream, what, first + place * apart) for place in range(origin + 1))
    if lost[origin] or not any(lost):
        return None
    drag = Drag(first, apart, origin, lost, tuple(style.exact(first + place * apart) for place in range(origin + 1)))
    nearest = drag.places[drag.nearest]
    return Question(
        question.id,
        words("player.poll.drag.ask", key=str(what.key), ts=style.exact(what.ts)),
        (
            words("player.poll.drag.right", place=nearest),
            words("player.poll.drag.too_far"),
            words("player.poll.drag.counts"),
        ),
        0,
        words("player.poll.drag.because", place=nearest, next=drag.places[drag.nearest + 1]),
        ("", words("player.poll.drag.reply_too_far", place=nearest), words("player.poll.drag.reply_counts")),
        (),
        drag,
    )


def _is_lost(scenario: Scenario, stream: Sequence[Item], what: Record, ts: int) -> bool:
    """Whether the run loses the last record of ``stream`` with the timestamp ``ts``."""
    moved = replace(scenario, stream=(*stream[:-1], what._replace(ts=ts)), goals=(), walkthrough=())
    rows: list[Mapping[str, Any]] = list(simulator.run_rows(moved))
    return any(row["row"] in ("dropped", "late") and row["item"] == len(stream) - 1 for row in rows)


def question_at(facts: bytes, step: object, scenario: Scenario | None = None) -> Question | None:
    """The question that the player asks at ``step`` while presenting; None if it asks none.

    With the ``scenario`` it is asked in the way of its beat; without, and where the run allows no other, by choosing.
    """
    if type(step) is not int:
        return None
    payload = json.loads(gzip.decompress(facts))
    for beat in payload["beats"]:
        if beat["step"] == step and beat["choices"] and beat["answer"] is not None:
            question = Question(
                f"{payload['name']} {step}",
                beat["text"],
                tuple(beat["choices"]),
                beat["answer"],
                beat["because"],
                tuple(beat["replies"]),
                tuple(beat.get("beliefs", ())),
            )
            return question if scenario is None else _in_its_way(question, beat, scenario)
    return None


def _in_its_way(question: Question, beat: Mapping[str, Any], scenario: Scenario) -> Question:
    """``question`` with the way that its beat names; as it is where the beat is answered by choosing."""
    if beat["kind"] == "ask":
        return question
    way = beat.get("way", "choose")
    run = run_of(shortened(scenario))
    item = run.trace.steps[beat["step"]].item
    style = TimeStyle(time_format(run.scenario))
    if way == "drag":
        return dragged(question, run, item, style) or question
    asked = Examiner(run).question(beat["kind"], item)
    if asked is None:
        return question
    # The page names only beliefs that Compare can show; a class may hold any.
    beliefs = tuple(choice.belief or "" for choice in asked.choices)
    made = _entered(asked, style) if way == "enter" else _tapped(asked, run.facts, style) if way == "tap" else None
    if made is None:
        return replace(question, beliefs=beliefs)
    return Question(
        question.id,
        question.text,
        (*question.choices, words("player.poll.other_answer")),
        question.answer,
        question.because,
        (*question.replies, ""),
        (*beliefs, ""),
        made,
    )


def _entered(asked: Prediction, style: TimeStyle) -> Way | None:
    """A number is entered: a watermark in seconds, or how many values there are; not for times of a day."""
    values = [choice.value for choice in asked.choices]
    if asked.kind not in (NEW_WATERMARK, STATE_ENTRIES) or values[asked.right] in (None, MAX):
        return None
    if asked.kind == NEW_WATERMARK and not style.in_seconds:
        return None
    # "None yet" and the end of the input are no numbers: whoever thinks so cannot enter it.
    numbers = tuple(value if type(value) is int else MAX for value in values)
    return Enter(1000 if asked.kind == NEW_WATERMARK else 1, numbers)


def _tapped(asked: Prediction, facts: Any, style: TimeStyle) -> Way | None:
    """Windows are tapped: those that are open meanwhile, and those that a choice names."""
    if asked.kind != WINDOWS_THAT_FIRE:
        return None
    rows = [
        row
        for row in facts.tables["windows"]
        if row["from_step"] <= asked.until
        and (row["until_step"] is None or row["until_step"] > asked.step)
        and row["status"] in ("open", "fired")
    ]
    named = [window for choice in asked.choices for window in choice.value]
    found = {_place(each): each for each in [*rows, *named]}
    in_order = sorted(found.values(), key=lambda each: (each["start"] or 0, each["end"] or 0, str(each["key"])))
    if not 0 < len(in_order) <= VOTE_WINDOWS:
        return None
    index = {_place(each): number for number, each in enumerate(in_order)}
    return Tap(
        tuple((_text(each["key"]), each["start"], each["end"], _window(each, style)) for each in in_order),
        tuple(tuple(sorted(index[_place(window)] for window in choice.value)) for choice in asked.choices),
    )


def _place(window: Mapping[str, Any]) -> str:
    return json.dumps([window["key"], window["start"], window["end"]], sort_keys=True, default=str)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _window(each: Mapping[str, Any], style: TimeStyle) -> str:
    if each["start"] is None:
        return words("player.predict.answer.global", key=_text(each["key"]))
    return words(
        "player.predict.answer.window", key=_text(each["key"]), window=style.window(each["start"], each["end"])
    )


# A belief run beside the truth, for a class of which many hold it: where the two part, and what comes of it.


def beside(scenario: Scenario, belief: str) -> dict[str, Any]:
    """{name, claim, truth, rows, runs}: what is believed, what is so, and what both give on this stream, as ``rows`` of
    [of what, as believed, in fact]; no rows where the belief cannot be run or makes no difference. ``runs``: whether
    Compare can look for a stream on which it goes wrong.
    """
    said = {part: words(f"beliefs.{belief}.{part}") for part in ("claim", "truth")}
    runs = scenario.engine == "flink" and belief in {each.name for each in BELIEFS}
    return {"name": belief, **said, "rows": _rows_of_belief(scenario, belief), "runs": runs}


def _rows_of_belief(scenario: Scenario, belief: str) -> list[list[str]]:
    held = next((each for each in BELIEFS if each.name == belief), None)
    if held is None or scenario.engine == "spark":
        return []
    try:
        shown, trace = walked(scenario)
        if len(trace) > BELIEVED_STEPS:
            return []
        truth = run_of(shown)
        found = tour(truth, held)
    except ScenarioError:
        return []
    if found is None or found.compared.parting is None:
        return []
    believed = found.runs[0].outcome if len(found.runs) == 1 else together(found.runs)
    style = TimeStyle(time_format(shown))
    parting = found.compared.parting
    return [
        [_label(truth, parting), _told(parting, parting.right, style), _told(parting, parting.left, style)],
        [words("player.poll.belief.results"), str(_results_of(believed)), str(_results_of(truth.outcome))],
        [words("player.poll.belief.lost"), str(_lost(believed, truth)), str(_lost(truth.outcome, truth))],
    ]


def _label(truth: Ran, parting: Parting) -> str:
    if parting.moment < 0:
        return words("player.poll.belief.first")
    if parting.moment in truth.moments:
        item = truth.moments.index(parting.moment)
        return words("player.poll.belief.record" if parting.moment % 2 == 0 else "player.poll.belief.item", number=item)
    # Between two records, where only the believed run has something.
    after = next((item for item, moment in enumerate(truth.moments) if moment > parting.moment), None)
    if after is None:
        return words("player.poll.belief.item", number=len(truth.moments) - 1)
    return words("player.poll.belief.before", number=after)


def _told(parting: Parting, what: Any, style: TimeStyle) -> str:
    """A fate, or the results of a moment."""
    if parting.what == FATE:
        return words(f"player.predict.fate.{what or 'dropped'}")
    if not what:
        return words("player.poll.belief.nothing")
    return listed([_result(row, style) for row in what])


def _result(row: Any, style: TimeStyle) -> str:
    if row["row"] != "pane":
        return words("player.poll.belief.a_result")
    window = style.window(row["start"], row["end"])
    return words("player.poll.belief.result", key=str(row["key"]), window=window, value=str(row["value"]))


def _results_of(outcome: Outcome) -> int:
    return sum(len(each) for each in outcome.results.values())


def _lost(outcome: Outcome, truth: Ran) -> int:
    """How many records do not count; one that a believed run does not even have is lost there."""
    return sum(outcome.fates.get(moment, LOST[0]) in LOST for moment in truth.fates)


# What a class answered, as a file without names: JSON for a program, CSV for a spreadsheet.

FORMS: Final = {"json": "application/json", "csv": "text/csv"}

HEAD: Final = (
    "question",
    "number",
    "text",
    "way",
    "choice",
    "right",
    "belief",
    "first_vote",
    "second_vote",
    "moved_to",
)
"""The columns of the CSV file: one row for each choice. ``moved_to``: how many went from it to which choice."""


def written(tallies: Sequence[Tally], form: str) -> bytes:
    """The file of ``form``, one of ``FORMS``."""
    if form == "json":
        return json.dumps([as_json(each) for each in tallies], ensure_ascii=False, indent=1).encode(errors="replace")
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(HEAD)
    for tally in tallies:
        out.writerows([text_cell(each) if isinstance(each, str) else each for each in row] for row in _rows(tally))
    # Spreadsheets take a file without this mark for one in the encoding of their country.
    return text.getvalue().encode("utf-8-sig", errors="replace")


def as_json(tally: Tally) -> dict[str, Any]:
    """A question with the counts of its votes."""
    question = tally.question
    return {
        "question": question.id,
        "number": tally.number,
        "text": question.text,
        "way": question.answering.name,
        "choices": list(question.choices),
        "right": question.answer,
        "beliefs": [belief or None for belief in _beliefs(tally)],
        "votes": [list(counts) for counts in tally.counts],
        "given": [[{"answer": shown(tally, answer), "count": n} for answer, n in votes] for votes in tally.given],
        "moved": [list(row) for row in tally.moved],
    }


def shown(tally: Tally, answer: Answer) -> str | list[str]:
    """An answer in words: the windows, the place, or the number."""
    told = tally.question.answering.told()
    if isinstance(answer, tuple):
        return [told["windows"][index]["text"] for index in answer]
    if "places" in told:
        return str(told["places"][answer])
    scale = int(told.get("scale", 1))
    return str(answer) if scale == 1 else f"{answer / scale:.3f}"


def _beliefs(tally: Tally) -> tuple[str, ...]:
    return tally.question.beliefs or ("",) * len(tally.question.choices)


def _rows(tally: Tally) -> list[list[Any]]:
    question = tally.question
    rows: list[list[Any]] = []
    for choice, text in enumerate(question.choices):
        votes = [counts[choice] for counts in tally.counts]
        moved = [f"{to + 1}: {count}" for to, count in enumerate(tally.moved[choice] if tally.moved else ()) if count]
        rows.append(
            [question.id, tally.number, question.text, question.answering.name, f"{choice + 1}. {text}",
             int(choice == question.answer), _beliefs(tally)[choice], votes[0], votes[1] if len(votes) > 1 else "",
             ", ".join(moved)]
        )  # fmt: skip
    return rows


# The way into a room for phones: a QR code of the voting address, if phones can reach it.

QUIET: Final = 4
"""The white margin around the code in modules, as the standard requires."""

PIXELS: Final = 12
"""Pixels of the picture per module."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def reachable(address: str) -> bool:
    """Whether another machine can reach this one by ``address``: the host is not a name for the machine itself."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" and not host.endswith(".localhost")
    return not (number.is_loopback or number.is_unspecified)


def door_to(address: object, code: str) -> str | None:
    """The QR code of ``address`` with the room ``code``, as a data URI of a PNG picture, black on white.

    None if phones cannot reach it, or if ``address`` is not an address. The library writes the picture, so no part of
    the address becomes markup.
    """
    if not isinstance(address, str) or len(address) > DOOR_CHARACTERS or not _ADDRESS.fullmatch(address):
        return None
    try:
        if not reachable(address):
            return None
    except ValueError:
        return None
    picture = segno.make(f"{address}?room={code}", micro=False, error="m")
    return picture.png_data_uri(scale=PIXELS, border=QUIET, dark="#000000", light="#ffffff")


Said = tuple[dict[str, Any], bytes]


def answer_to(kind: str, asked: Mapping[str, Any], facts: bytes, scenario: Scenario | None = None) -> Said:
    """Answer ``ask``, ``count``, ``pause``, ``again``, ``show``, ``close`` and ``tally``.

    ``facts`` is the packed payload of the page, ``scenario`` what it shows. The answer is what ``_results`` returns
    with {code, token}; or {gone: true} if the room no longer exists, or {problem} if the visitor may not ask. An
    ``ask`` with the voting ``address`` also gets its QR code as ``door``, None if phones cannot reach that address. A
    ``tally`` has the file in a ``form`` beside it.
    """
    code, token = asked.get("code"), asked.get("token")
    door = {}
    match kind:
        case "ask" if not is_teacher():
            return {"problem": words("roles.asks")}, b""
        case "ask":
            question = question_at(facts, asked.get("step"), scenario)
            if question is None:
                return {"gone": True}, b""
            if not rooms().ask(code, token, question):
                ticket = rooms().open()
                if ticket is None:
                    return {"problem": words("roles.no_more_rooms", most=ROOMS)}, b""
                code, token = ticket.code, ticket.token
                rooms().ask(code, token, question)
            door = {"door": door_to(asked.get("address"), str(code))}
        case "pause":
            rooms().pause(code, token)
        case "again":
            rooms().again(code, token)
        case "show":
            rooms().close(code, token, show=True)
        case "close":
            rooms().close(code, token)
        case _:  # ``count`` and ``tally``: every answer has the counts
            pass
    count = rooms().count(code, token)
    if count is None:
        return {"gone": True}, b""
    form = asked.get("form")
    if kind == "tally" and isinstance(form, str) and form in FORMS:
        return {"code": code, "token": token, **_results(count, None), "type": FORMS[form]}, written(
            rooms().tallies(code, token), form
        )
    believed = scenario if kind == "show" else None
    return {"code": code, "token": token, **_results(count, believed), **door}, b""


def _results(count: Count, scenario: Scenario | None) -> dict[str, Any]:
    """{asked, stage, way, text, choices, answer, right, because, replies, answers, votes, given, moved}.

    With the ``scenario``, of a question that was just answered, also ``belief``: the one behind most wrong answers.
    """
    tally = count.tally
    if tally is None:
        return {"asked": "", "stage": count.stage, "answers": 0, "votes": [], "given": [], "moved": []}
    question = tally.question
    belief = tally.belief() if count.stage == SHOWN and scenario is not None else ""
    return {
        "asked": question.id,
        "stage": count.stage,
        "way": {"name": question.answering.name, **question.answering.told()},
        "text": question.text,
        "choices": list(question.choices),
        "answer": question.answer,
        "right": question.answering.standing_for(question.answer),
        "because": question.because,
        "replies": list(question.replies),
        "answers": tally.answers,
        "votes": [list(votes) for votes in tally.counts],
        "given": [[list(each) for each in votes] for votes in tally.given],
        "moved": [list(row) for row in tally.moved],
        **({"belief": beside(scenario, belief)} if belief and scenario is not None else {}),
    }
