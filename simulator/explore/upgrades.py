"""What another version of Flink changes in a scenario: the rules that can show, and which of them make rows differ."""

from dataclasses import dataclass, replace

from tidemark.simulator.engine.values.versions import CHANGES, VERSIONS
from tidemark.simulator.explore.differ.sides import Rows, sides_of
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.versions import differing_names
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import words


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A rule between two versions that can show in a scenario.

    ``rows``: how many results and lost records of the scenario's own stream are not the same in the first version with
    it as in the last one before. Of ``others`` the contents differ, of the rest only the moment.
    """

    rule: str
    rows: int
    others: int

    @property
    def ticket(self) -> str:
        """The ticket in Flink's tracker, such as ``FLINK-34252``."""
        return CHANGES[self.rule].ticket

    @property
    def text(self) -> str:
        """The rule in a sentence."""
        return words(f"versions.rules.{self.rule}", since=CHANGES[self.rule].since)


def by_version(scenario: Scenario, flink: str) -> Scenario:
    """``scenario`` by the rules of version ``flink``.

    Raises ``ScenarioError`` for an unknown version, and for one that lacks something that the scenario has.
    """
    if flink == scenario.flink:
        return scenario
    bare = replace(scenario, flink=flink, stream=(), goals=(), walkthrough=())
    read_text(as_yaml(bare), scenario.file or scenario.name, flink=flink)
    return replace(scenario, flink=flink)


def upgrades(scenario: Scenario, other: str) -> tuple[Upgrade, ...]:
    """The rules by which ``scenario`` may differ from itself in version ``other``, those that change most rows first.

    Raises ``ValueError`` for an unknown version.
    """
    names = differing_names(scenario, other)
    changed = {since: _changed(scenario, since) for since in {CHANGES[name].since for name in names}}
    found = (Upgrade(name, *changed[CHANGES[name].since]) for name in names)
    return tuple(sorted(found, key=lambda each: -each.rows))


def _changed(scenario: Scenario, since: str) -> tuple[int, int]:
    """``rows`` and ``others`` between version ``since`` and the one before it."""
    before = VERSIONS[VERSIONS.index(since) - 1]
    sides = sides_of(*(replace(scenario, flink=each, chain=None) for each in (before, since)))
    stream = tuple(items(scenario))
    old, new = (side.rows(stream) or Rows() for side in sides)
    return _differing(old, new), _differing(*map(_contents, (old, new)))


def _contents(rows: Rows) -> Rows:
    """The rows whenever they came."""
    found = Rows()
    for (kind, _, _, contents), count in rows.items():
        found[kind, contents] += count
    return found


def _differing(old: Rows, new: Rows) -> int:
    """A row that is another on both sides is one."""
    return max((old - new).total(), (new - old).total())
