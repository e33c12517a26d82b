"""What a class has learned: its files of answers, graded, paired and summed up.

The normalized gain is Hake's: (after - before) / (most - before), the part of what could be gained. For the class it is
taken from the sums over all pairs. For a belief, "right" is every answer that is not by this belief, so it is the part
of the answers by it that is gone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tidemark.simulator.inventory.choices import HELD, asked_about, key_of
from tidemark.simulator.inventory.files import AnswersError, read_answers
from tidemark.simulator.inventory.grading import Answers, Graded, grade
from tidemark.simulator.inventory.items import FORMS, inventory
from tidemark.simulator.limits import ANSWERS_FILES
from tidemark.simulator.words import words

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
