"""What an address compares: a scenario, and what is on the other side.

``/compare?scenario=NAME`` (or ``s=TEXT``, ``own=DIGEST`` for a scenario of the reader's own) with ``b.bound=5000``
(settings of side B in ms, ``a.`` for side A), ``flink=1.18`` (the rules of this version), ``belief=NAME``, ``spark=N``
(Spark's rules, N records a micro-batch) or ``with=NAME`` (another scenario; ``with.s=TEXT`` or ``with.own=DIGEST`` one
of the reader's own). The browser reads the rest: ``moment=N`` or ``step=N`` (of side A) for the cursor,
``view=overlay``, and ``tab`` for the card under both.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tidemark.simulator.engine.values.duration import UNITS, format_duration, parse_duration
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.settings import goes, settings_of, shapes_of
from tidemark.simulator.explore.upgrades import by_version
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import listed, words

SIDES = ("a", "b")

OWN = ("s", "own")
"""The parts of an address that open a scenario of the reader's own; those of side B begin with ``with.``."""

MOST_DIGITS = 12
"""The most digits of a number in an address (ms): about 30 years."""

SPAN = re.compile(r"(\d{1,12})(?:[.,](\d{1,9}))? ?(ms|s|m|h|d)", re.ASCII)
"""A length of time as readers type it: ``0.5 s``, ``1,5s``, ``250 ms``."""

PARTS_OF_SECOND = 10**9

MOST_SAID = 200
"""The most characters of an address in a message."""


def span_of(text: str) -> int | None:
    """The ms of a number in an address: of plain digits, or of a length with its unit; None for anything else.

    What is finer than a ms is no length.
    """
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return int(text)
    match = SPAN.fullmatch(text.strip())
    if match is None:
        return parse_duration(text) if text.isascii() and not text.startswith("-") else None
    whole, fraction, unit = match.groups()
    parts = int(whole) * PARTS_OF_SECOND + int((fraction or "").ljust(9, "0"))
    ms, finer = divmod(parts * dict(UNITS)[unit], PARTS_OF_SECOND)
    return None if finer or len(str(ms)) > MOST_DIGITS else ms


class ChoiceError(Exception):
    """The address names something that does not exist: ``text``, in the part of the address called ``member``."""

    def __init__(self, what: str, text: str, member: str = "") -> None:
        super().__init__(text)
        self.what = what
        self.text = text
        self.member = member

    @property
    def message(self) -> str:
        """What is wrong, for the reader."""
        return words(f"compare.refused.{self.what}", text=self.text[:MOST_SAID], known=listed(VERSIONS))


@dataclass(frozen=True)
class Choice:
    """Side B is the scenario called ``other``, a ``belief``, or Spark with ``spark`` records in a micro-batch; without
    any of them it is the same scenario, by the rules of version ``flink`` if there is one. ``settings``: numbers by
    side and name (ms). ``own``: the part of the address that opens side A, a scenario of the reader's own;
    ``scenario`` is then only what it is called. ``other_own`` is the same for side B, in place of ``other``.
    """

    scenario: str
    other: str | None = None
    belief: str | None = None
    settings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    spark: int | None = None
    own: tuple[str, str] | None = None
    other_own: tuple[str, str] | None = None
    flink: str | None = None

    @property
    def open(self) -> dict[str, str]:
        """The part of the address that opens side A."""
        return dict([self.own or ("scenario", self.scenario)])

    @property
    def open_other(self) -> dict[str, str]:
        """The part of the address that opens side B, as it would open side A; {} if B is no other scenario."""
        if self.other_own:
            return dict([self.other_own])
        return {"scenario": self.other} if self.other else {}

    def address(self) -> dict[str, str]:
        """The query parameters that stand for this choice."""
        said = self.open
        if self.other:
            said["with"] = self.other
        if self.other_own:
            said[f"with.{self.other_own[0]}"] = self.other_own[1]
        if self.belief:
            said["belief"] = self.belief
        if self.spark:
            said["spark"] = str(self.spark)
        if self.flink:
            said["flink"] = self.flink
        for side, values in self.settings.items():
            said |= {f"{side}.{name}": str(value) for name, value in values.items()}
        return said


def choice_of(query: Mapping[str, str], default: str) -> Choice:
    """Read an address. Raises ``ChoiceError`` for a malformed number, an unknown belief or version."""
    belief = query.get("belief")
    if belief is not None and belief not in {each.name for each in BELIEFS}:
        raise ChoiceError("belief", belief, "belief")
    batch = query.get("spark")
    if batch is not None and (not _is_number(batch) or int(batch) < 1):
        raise ChoiceError("batch", batch, "spark")
    flink = query.get("flink")
    if flink is not None and flink not in VERSIONS:
        raise ChoiceError("version", flink, "flink")
    settings: dict[str, dict[str, int]] = {}
    for side in SIDES:
        for name, text in query.items():
            if name.startswith(f"{side}."):
                span = span_of(text)
                if span is None:
                    raise ChoiceError("number", f"{name}={text}", name)
                settings.setdefault(side, {})[name.removeprefix(f"{side}.")] = span
    own = None if "scenario" in query else next(((name, query[name]) for name in OWN if name in query), None)
    scenario = "" if own else query.get("scenario", default)
    others = ((name, query[f"with.{name}"]) for name in OWN if f"with.{name}" in query)
    other_own = None if "with" in query else next(others, None)
    return Choice(scenario, query.get("with"), belief, settings, int(batch) if batch else None, own, other_own, flink)


def names_side_b(query: Mapping[str, str]) -> bool:
    """Whether an address says anything about side B, however wrong."""
    return any(name in ("with", "belief", "spark", "flink") or name.startswith(("b.", "with.")) for name in query)


def readable(query: Mapping[str, str], default: str) -> tuple[Choice, list[ChoiceError]]:
    """The address without its malformed numbers, unknown beliefs and versions, and an error for each of those."""
    left, wrong = dict(query), list[ChoiceError]()
    while True:
        try:
            return choice_of(left, default), wrong
        except ChoiceError as error:
            wrong.append(error)
            del left[error.member]


def with_known(choice: Choice, sides: Mapping[str, Scenario]) -> tuple[Choice, list[ChoiceError]]:
    """The choice without what its side's scenario does not allow, settings or a version, and an error for each."""
    kept: dict[str, dict[str, int]] = {}
    wrong: list[ChoiceError] = []
    for side, values in choice.settings.items():
        for name, value in values.items():
            try:
                configured(sides[side], {name: value})
            except ChoiceError as error:
                wrong.append(error)
            else:
                kept.setdefault(side, {})[name] = value
    flink = choice.flink if choice.flink != sides["b"].flink else None
    if flink is not None:
        try:
            by_version(sides["b"], flink)
        except ScenarioError as error:
            wrong.append(ChoiceError("lacks", f"{flink}: {' '.join(each.text for each in error.problems)}"))
            flink = None
    return replace(choice, settings=kept, flink=flink), wrong


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def configured(scenario: Scenario, values: Mapping[str, int]) -> Scenario:
    """The scenario with these settings (ms). Raises ``ChoiceError`` for one that it does not have or does not allow."""
    shapes = {each.name: each for each in shapes_of(scenario)}
    known = {each.name: each for each in settings_of(scenario)} | shapes
    for name, value in values.items():
        if name not in known:
            raise ChoiceError("setting", name)
        if value < known[name].least:
            raise ChoiceError("too_small", f"{name}={value} < {known[name].least}")
        scenario = known[name].write(scenario, value)
    if not shapes.keys().isdisjoint(values) and not goes(scenario):
        raise ChoiceError("together", ", ".join(f"{name}={format_duration(values[name])}" for name in values))
    return scenario
