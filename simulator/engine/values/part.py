"""Parts, which a scenario configures by naming their type; and what a column holds, said beside its type."""

from dataclasses import Field, dataclass
from typing import Annotated, Any, ClassVar, Final


class Part:
    """Frozen configuration, a dataclass whose fields are keys of the format.

    ``family`` and ``type`` say where the catalogue has its words: ``triggers.count``. ``type`` is its name in a
    scenario file as well.
    """

    __slots__ = ()

    family: ClassVar[str]
    type: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


# What a column holds, said beside its type: the vocabulary of the schemas of rows, facts and the payload.
#
# ``Annotated[Time, "when it arrived"]`` is a time in ms that means "when it arrived". Types cost nothing at run
# time; ``tests/reference`` reads them to write ``docs/maintainers/TIMELINE.md`` and the declarations for TypeScript.


@dataclass(frozen=True, slots=True)
class Kind:
    """The name under which a declaration for TypeScript knows a type, and its unit, "" for none."""

    name: str
    unit: str = ""


JSON: Final = Kind("Json")
TIME: Final = Kind("Time", "ms")
DURATION: Final = Kind("Duration", "ms")
STEP: Final = Kind("StepNumber")
ITEM: Final = Kind("ItemNumber")
ID: Final = Kind("Id")

Json = Annotated[Any, JSON]
"""A value as JSON has it: null, a boolean, number or text, a list or an object of such."""

Time = Annotated[int, TIME]
"""A moment in ms: of event time or of the processing-time clock. 9223372036854775807 is the end of input."""

Duration = Annotated[int, DURATION]
"""A length of time in ms."""

StepNumber = Annotated[int, STEP]
"""The number of a micro-step in the trace, from 0."""

ItemNumber = Annotated[int, ITEM]
"""The index of a stream item, from 0."""

Id = Annotated[str, ID]
"""The identity of a thing, the same over all its facts; opaque, made by ``simulator.timeline.ids`` alone."""
