"""The table of the faults, read from ``faults/*.toml``."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.finders import FINDERS

FOLDER: Final = Path(__file__).parent / "faults"
ROOT: Final = Path(__file__).parents[2]


class WrongTable(Exception):
    """The table does not fit the code, or itself. The message names the fault."""


@dataclass(frozen=True)
class Fault:
    """``old``, part of one line of ``file`` and there once, becomes ``new``; ``means`` is what goes wrong then.

    ``found_by`` are the finders asked first, the cheapest one in front: each a name of ``FINDERS``, or ``name: words``
    for those of its tests that pytest's ``-k words`` chooses. ``survives`` is why nothing can find the fault; empty for
    all but a few.
    """

    file: str
    old: str
    new: str
    means: str
    found_by: tuple[str, ...] = ()
    survives: str = ""

    def planted(self, text: str) -> str:
        """The file's ``text`` with the fault. Raises ``WrongTable`` unless the place is there once."""
        places = text.count(self.old)
        if places != 1:
            raise WrongTable(f"{self.file}: {'nowhere' if not places else f'{places} times'}: {self.old}")
        return text.replace(self.old, self.new)


def faults(folder: Path = FOLDER) -> list[Fault]:
    """All faults, by file of the table. Raises ``WrongTable`` for an entry that is not as ``Fault`` says."""
    return [each for path in sorted(folder.glob("*.toml")) for each in _of_file(path)]


def _of_file(path: Path) -> Iterator[Fault]:
    for given in tomllib.loads(path.read_text(encoding="utf-8")).get("fault", []):
        try:
            fault = Fault(**given | {"found_by": tuple(given.get("found_by", ()))})
        except TypeError as error:
            raise WrongTable(f"{path.name}: {given.get('means', given)}: {error}") from None
        unknown = [each for each in fault.found_by if each.partition(":")[0] not in FINDERS]
        if unknown or "\n" in fault.old + fault.new or bool(fault.found_by) == bool(fault.survives):
            raise WrongTable(f"{path.name}: {fault.means}: one line, known finders, and either found_by or survives")
        yield fault
