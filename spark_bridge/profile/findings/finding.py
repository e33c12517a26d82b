"""What a finding is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from tidemark.simulator.words import words
from tidemark.spark_bridge.profile.findings.repairs import Rule

CODES: Final = (
    "no-timestamps",
    "wrong-unit",
    "zone-offset",
    "future-timestamps",
    "empty-channel",
    "idle-channel",
    "skewed-source",
    "replay",
    "backfill",
    "duplicates",
    "bound-too-small",
)
"""What can be found; of two findings that concern as many records, the one that comes first here goes first."""


@dataclass(frozen=True)
class Where:
    """Which records a finding is about; None where it is no matter of that.

    ``channel`` and ``key`` are numbers of a column until the stream's own names are put in; ``more`` are further ones
    of the same column, if one cause is at work in several. ``at``: the arrival, or without arrivals the timestamp, of
    the first record, in ms. ``first`` and ``last``: their numbers in the stream.
    """

    channel: Any = None
    key: Any = None
    at: int | None = None
    first: int | None = None
    last: int | None = None
    more: tuple[Any, ...] = ()

    @property
    def column(self) -> str | None:
        """The column whose values ``more`` has: ``channel`` or ``key``; None where neither is known."""
        return "channel" if self.channel is not None else None if self.key is None else "key"

    @property
    def names(self) -> tuple[Any, ...]:
        """All channels, or all keys."""
        return () if self.column is None else (getattr(self, self.column), *self.more)

    @property
    def keys(self) -> tuple[Any, ...]:
        """All keys."""
        return () if self.key is None else (self.key, *(() if self.column == "channel" else self.more))

    def called(self, names: Sequence[Any]) -> "Where":
        """The same channels or keys by other names; the first of ``names`` stands for all of them."""
        return self if self.column is None else replace(self, **{self.column: names[0]}, more=tuple(names[1:]))

    def as_json(self) -> dict[str, Any]:
        """The members that are known, as the JSON of a profile has them; ``channels`` or ``keys`` names several."""
        named = {"channel": self.channel, "key": self.key}
        named |= {f"{self.column}s": list(self.names)} if self.more else {}
        named |= {"at": self.at, "from": self.first, "to": self.last}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class Cause:
    """A cause as the rules find it: no words yet.

    ``records``: how many come late because of it, or cannot be right. ``numbers``: what its sentences say, by name;
    durations in ms. ``sort`` tells apart the sentences of one code. ``sign``: how its records are found in a stream
    that was not looked at as a whole; None for a cause that is counted in another way.
    ``rules`` put its records right.
    """

    code: str
    records: int
    where: Where = field(default_factory=Where)
    sort: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    sign: Any = field(default=None, repr=False, compare=False)
    rules: tuple[Rule, ...] = field(default=(), compare=False)


def titled(cures: Mapping[str, str]) -> str:
    """The code of all engines as one text."""
    titles = {"flink_java": "Flink (Java)", "flink_sql": "Flink SQL", "spark": "Spark"}
    return "\n\n".join(f"{titles[name]}:\n{text}" for name, text in cures.items())


@dataclass(frozen=True)
class Proof:
    """How many records of a finding there are ``before`` its cure is applied to the stream, and ``after``."""

    before: int
    after: int

    @property
    def helps(self) -> bool:
        """Whether the cure leaves fewer."""
        return self.after < self.before


@dataclass(frozen=True)
class Finding:
    """A cause in words.

    ``cures``: what to configure, by ``flink_java``, ``flink_sql`` and ``spark``; {} if nothing helps. ``before``:
    causes whose rules these cures begin with. ``price``: what the cures cost, one sentence or several. ``proof``: None
    without a cure.
    """

    code: str
    records: int
    where: dict[str, Any]
    text: str
    cures: dict[str, str]
    cause: Cause
    before: Sequence[Cause] = ()
    price: str = ""
    proof: Proof | None = None

    @property
    def cure(self) -> str:
        """All cures as one text; that there is none, if no rule tells the records of the cause from others."""
        if not self.cures:
            return words("own_findings.no_cure" if self.proof is None else "own_findings.no_help")
        return titled(self.cures)

    def as_json(self) -> dict[str, Any]:
        """The members that the contract of the profile names."""
        return {
            "code": self.code,
            "records": self.records,
            "where": self.where,
            "text": self.text,
            "cure": self.cure,
            **({"price": self.price} if self.cures else {}),
            **({} if self.proof is None else {"proof": asdict(self.proof)}),
        }
