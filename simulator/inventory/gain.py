"""What a class has learned: its files of answers, graded, paired and summed up.

The normalized gain is Hake's: (after - before) / (most - before), the part of what could be gained. For the class it is
taken from the sums over all pairs. For a belief, "right" is every answer that is not by this belief, so it is the part
of the answers by it that is gone.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.inventory.choices import HELD, Answers, Graded, answers_by, asked_about, grade, key_of
from tidemark.simulator.inventory.items import FORMS, edition, inventory
from tidemark.simulator.limits import ANSWERS_BYTES, ANSWERS_FILES
from tidemark.simulator.words import words

# The files in which learners hand in their answers. They hold choices and no score: that is computed here.
#
# A file is JSON: ``{"tidemark": "inventory", "edition": …, "id": …, "forms": {"A": {"answers": [0, 2, null,
# …]}}}``. Whatever else is in it is ignored. The id is random; it pairs the two forms of one learner and names
# nobody.

MARK: Final = "inventory"

ID: Final = re.compile(r"[a-z2-9]{4}-[a-z2-9]{4}")
"""What an id looks like."""


class AnswersError(ValueError):
    """A file cannot be taken in; the message says why."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What one file says."""

    id: str
    forms: Mapping[str, Answers]


def read_answers(text: str) -> Handed:
    """The answers in ``text``. Raises ``AnswersError``."""
    if len(text.encode("utf-8", "replace")) > ANSWERS_BYTES:
        raise _wrong("large", limit=ANSWERS_BYTES // 1024)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong("not_json") from None
    if not isinstance(read, dict) or read.get("tidemark") != MARK:
        raise _wrong("not_ours")
    id, forms = read.get("id"), read.get("forms")
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise _wrong("id")
    if read.get("edition") != edition():
        raise _wrong("edition")
    if not isinstance(forms, dict) or not forms or not set(forms) <= set(FORMS):
        raise _wrong("forms")
    return Handed(id, {form: _answers(form, forms[form]) for form in FORMS if form in forms})


def _answers(form: str, table: Any) -> Answers:
    answers = table.get("answers") if isinstance(table, dict) else None
    key = key_of(form)
    if not isinstance(answers, list) or len(answers) != len(key):
        raise _wrong("count", form=form, count=len(key))
    for number, (answer, choices) in enumerate(zip(answers, key, strict=True), 1):
        if answer is not None and (type(answer) is not int or not 0 <= answer < len(choices)):
            raise _wrong("answer", form=form, number=number)
    return answers


def written(id: str, forms: Mapping[str, Answers]) -> str:
    """A file of these answers, as the page writes it."""
    said = {
        "tidemark": MARK,
        "edition": edition(),
        "id": id,
        "forms": {f: {"answers": list(a)} for f, a in forms.items()},
    }
    return json.dumps(said, indent=1) + "\n"


def _wrong(why: str, **fields: str | int) -> AnswersError:
    return AnswersError(words(f"inventory.refused.{why}", language=None, **fields))


BEFORE, AFTER = FORMS


@dataclass(frozen=True, slots=True)
class Learner:
    """Whoever handed in answers under one id, by form."""

    id: str
    answers: Mapping[str, Answers]
    graded: Mapping[str, Graded]

    @property
    def is_pair(self) -> bool:
        """Whether both forms are there."""
        return len(self.graded) == len(FORMS)

    @property
    def gain(self) -> float | None:
        """The normalized gain; None without both forms, or if nothing could be gained."""
        if not self.is_pair:
            return None
        before, after = (self.graded[form] for form in FORMS)
        return gain(before.right, after.right, before.items)


@dataclass(frozen=True, slots=True)
class OfBelief:
    """One belief in a class of pairs, before and after.

    ``held``: by how many; ``picked``: how many answers are by it.
    """

    belief: str
    held: tuple[int, int]
    picked: tuple[int, int]

    @property
    def gain(self) -> float | None:
        """The part of its answers that is gone; None if there were none."""
        before, after = self.picked
        return (before - after) / before if before else None


@dataclass(frozen=True, slots=True)
class Report:
    """``learners`` in order of their ids; ``refused``: (file, why)."""

    learners: tuple[Learner, ...]
    refused: tuple[tuple[str, str], ...]

    @property
    def pairs(self) -> tuple[Learner, ...]:
        """Those with both forms."""
        return tuple(each for each in self.learners if each.is_pair)

    def mean(self, form: str) -> float | None:
        """The mean score of the pairs in a form; None without pairs."""
        return sum(each.graded[form].right for each in self.pairs) / len(self.pairs) if self.pairs else None

    @property
    def gain(self) -> float | None:
        """The normalized gain of the class, from its pairs."""
        sums = [sum(each.graded[form].right for each in self.pairs) for form in FORMS]
        return gain(sums[0], sums[1], len(inventory()) * len(self.pairs))

    @property
    def beliefs(self) -> tuple[OfBelief, ...]:
        """Every belief, from the pairs."""
        return tuple(self._belief(each) for each in HELD)

    def _belief(self, belief: str) -> OfBelief:
        held = [sum(belief in each.graded[form].held for each in self.pairs) for form in FORMS]
        picked = [sum(each.graded[form].picked[belief] for each in self.pairs) for form in FORMS]
        return OfBelief(belief, (held[0], held[1]), (picked[0], picked[1]))

    def chosen(self, form: str) -> list[list[int]]:
        """For each item how many chose each of its choices, and last how many gave no answer; pairs or not."""
        counts: list[list[int]] = []
        for number, choices in enumerate(key_of(form)):
            given = Counter(each.answers[form][number] for each in self.learners if form in each.answers)
            counts.append([*(given[index] for index in range(len(choices))), given[None]])
        return counts


def gain(before: float, after: float, most: float) -> float | None:
    """(after - before) / (most - before); None where nothing could be gained."""
    return None if before >= most else (after - before) / (most - before)


def report_of(files: Iterable[tuple[str, str]]) -> Report:
    """The report on ``files`` (name, text). The forms of one id may come in several files; the same answers may come
    twice, other answers to the same form are refused."""
    found: dict[str, dict[str, Answers]] = {}
    refused: list[tuple[str, str]] = []
    for number, (name, text) in enumerate(files):
        try:
            if number >= ANSWERS_FILES:
                raise AnswersError(words("inventory.refused.many", limit=ANSWERS_FILES))
            handed = read_answers(text)
            mine = found.get(handed.id, {})
            if any(list(mine.get(form, answers)) != list(answers) for form, answers in handed.forms.items()):
                raise AnswersError(words("inventory.refused.twice", id=handed.id))
        except AnswersError as error:
            refused.append((name, str(error)))
        else:
            found[handed.id] = mine | dict(handed.forms)
    learners = tuple(
        Learner(id, answers, {form: grade(form, each) for form, each in answers.items()})
        for id, answers in sorted(found.items())
    )
    return Report(learners, tuple(refused))


def learners_csv(report: Report) -> str:
    """One line for each learner: id, both scores, the gain, and for each belief its answers before and after."""
    head = ["id", *(f"score_{form}" for form in FORMS), "gain"]
    head += [f"{belief}_{form}" for belief in HELD for form in FORMS]
    return _csv([head, *(_line(each) for each in report.learners)])


def _line(learner: Learner) -> list[str]:
    graded = [learner.graded.get(form) for form in FORMS]
    scores = ["" if each is None else str(each.right) for each in graded]
    picked = ["" if each is None else str(each.picked[belief]) for belief in HELD for each in graded]
    return [learner.id, *scores, in_figures(learner.gain), *picked]


def beliefs_csv(report: Report) -> str:
    """One line for each belief: its items in a form, who held it before and after, its answers, the gain."""
    head = ["belief", "items", "pairs", "held_A", "held_B", "answers_A", "answers_B", "gain"]
    lines = [
        [each.belief, str(asked_about()[each.belief]), str(len(report.pairs)),
         *map(str, (*each.held, *each.picked)), in_figures(each.gain)]
        for each in report.beliefs
    ]  # fmt: skip
    return _csv([head, *lines])


def in_figures(number: float | None) -> str:
    """A gain with two decimals; "" for none."""
    return "" if number is None else f"{number:.2f}"


def _csv(lines: Sequence[Sequence[str]]) -> str:
    # Ids and names of beliefs are letters, digits and hyphens: nothing needs quotes, nothing is a formula.
    return "".join(",".join(line) + "\r\n" for line in lines)


# A simulated class: learners who each hold one belief, answer form A by it, and lose it or keep it before form B.

RUNNABLE: Final = HELD[:13]
"""The beliefs that have runs of their own; the last two of ``HELD`` are about a number alone."""


def simulated_class(beliefs: Sequence[str] = HELD, keeping: Collection[str] = ()) -> list[tuple[str, str]]:
    """The files (name, text) of a class in which learner n holds ``beliefs[n]``; after it those in ``keeping`` stay."""
    files = []
    for number, belief in enumerate(beliefs):
        id = f"{'bcdefghjkmnpqrstvwx'[number]}{number % 8 + 2}aa-aaaa"
        after = [belief] if belief in keeping else []
        answers = {BEFORE: answers_by(BEFORE, belief), AFTER: answers_by(AFTER, *after)}
        files.append((f"{belief}.json", written(id, answers)))
    return files
