"""The SQL operators that work row by row, as the format has them: temporal join, OVER and deduplication."""

from typing import Final

from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.format.kinds import Choice, DurationOr, Reader, WholeOr
from tidemark.simulator.scenario.format.structs import Members, Struct, Values, exactly_one
from tidemark.simulator.scenario.reading.nodes import MappingNode

ROW_BY_ROW: Final = ("over", "deduplicate")
TWO_INPUTS: Final = ("temporal-join",)


def _one_frame(reader: Reader, node: MappingNode, values: Values) -> bool:
    return exactly_one(reader, node, values, ("rows", "range"))


def row_operators(function: Members) -> dict[str, Members]:
    """The operators by type; ``function`` is what an OVER aggregation can compute."""
    frame = Struct(
        model.Frame,
        check=_one_frame,
        rows=WholeOr(model.UNBOUNDED, model.UNBOUNDED, low=0),
        range=DurationOr(model.UNBOUNDED, model.UNBOUNDED, low=0),
    )
    return {
        "temporal-join": Struct(model.TemporalJoin, kind=Choice("inner", "left")),
        "over": Struct(model.Over, frame=frame, function=function),
        "deduplicate": Struct(model.Deduplicate, keep=Choice("first", "last")),
    }
