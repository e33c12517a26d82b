"""The table of operators: each type with its assigners, triggers, evictors and functions, for both APIs and Spark."""

from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.limits import WINDOWS_OF_A_RECORD
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.format import kinds
from tidemark.simulator.scenario.format.structs import Members, Named, Struct, Texts, Values, Variant, exactly_one, peek
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node


def _one_frame(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    return exactly_one(reader, node, values, ("rows", "range"))


def _ttl_of_last(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if "state_ttl" not in values or values["keep"] == "last":
        return True
    reader.wrong(node.entries["state_ttl"].at, "needs_key", key="state_ttl", other="keep: last")
    return False


def row_operators(function: Members) -> dict[str, Members]:
    """The operators by type; ``function`` is what an OVER aggregation can compute."""
    frame = Struct(
        model.Frame,
        check=_one_frame,
        rows=kinds.WholeOr(model.UNBOUNDED, model.UNBOUNDED, low=0),
        range=kinds.DurationOr(model.UNBOUNDED, model.UNBOUNDED, low=0),
    )
    return {
        "temporal-join": Struct(model.TemporalJoin, kind=kinds.Choice("inner", "left")),
        "over": Struct(model.Over, frame=frame, function=function),
        "deduplicate": Struct(
            model.Deduplicate, keep=kinds.Choice("first", "last"), state_ttl=kinds.Duration(low=1), check=_ttl_of_last
        ),
    }


SPAN: Final = kinds.Duration(low=1)
NOT_NEGATIVE: Final = kinds.Duration(low=0)
ANY: Final = kinds.Duration()

COMPUTE_ONE: Final = kinds.Choice("sum", "min", "max")
COMPUTE: Final = kinds.Choice("sum", "count", "min", "max", "avg")
COMPUTE_ALL: Final = kinds.Choice("collect", *COMPUTE.names)


# --- assigners -----------------------------------------------------------------------------------------------------


def _offset_within(grid: str) -> Any:
    """A check that |offset| is below ``grid``, as Flink's DataStream API and Spark require."""

    def check(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
        offset, size = values.get("offset", 0), values[grid]
        if abs(offset) < size:
            return True
        shown = format_duration(offset)
        reader.wrong(node.entries["offset"].value.at, "offset", offset=shown, grid=grid, size=format_duration(size))
        return False

    return check


def _few_windows(reader: kinds.Reader, node: MappingNode, size: str, step: str, values: Values) -> bool:
    if values[size] <= WINDOWS_OF_A_RECORD * values[step]:
        return True
    reader.wrong(node.entries[step].value.at, "too_many_windows", size=size, step=step, limit=WINDOWS_OF_A_RECORD)
    return False


def _sliding(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    return _few_windows(reader, node, "size", "slide", values)


def _sliding_on_grid(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    return bool(_few_windows(reader, node, "size", "slide", values) & _offset_within("slide")(reader, node, values))


def _sliding_in_spark(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if values["slide"] > values["size"]:
        reader.wrong(node.entries["slide"].value.at, "slide_above_size", size=format_duration(values["size"]))
        return False
    return _sliding_on_grid(reader, node, values)


def _sliding_in_slices(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    """A window table function puts windows together from slices of one slide."""
    if values["size"] % values["slide"]:
        reader.wrong(node.entries["size"].value.at, "no_multiple_of_slide", slide=format_duration(values["slide"]))
        return False
    return _sliding(reader, node, values)


def _cumulative(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if values["max_size"] % values["step"]:
        step = format_duration(values["step"])
        reader.wrong(node.entries["max_size"].value.at, "not_a_multiple", step=step)
        return False
    return _few_windows(reader, node, "max_size", "step", values)


def _session() -> Struct:
    return Struct(model.Session, gap=SPAN)


ASSIGNER: Final = Variant(
    "type",
    {
        "tumbling": Struct(model.Tumbling, size=SPAN, offset=ANY, check=_offset_within("size")),
        "sliding": Struct(model.Sliding, size=SPAN, slide=SPAN, offset=ANY, check=_sliding_on_grid),
        "session": _session(),
        "dynamic-session": Struct(model.DynamicSession, gap_field=kinds.Text()),
        "global": Struct(model.Global),
    },
)
SQL_ASSIGNER: Final = Variant(
    "type",
    {
        "tumbling": Struct(model.Tumbling, size=SPAN, offset=ANY),
        "sliding": Struct(model.Sliding, size=SPAN, slide=SPAN, offset=ANY, check=_sliding),
        "cumulative": Struct(model.Cumulative, max_size=SPAN, step=SPAN, offset=ANY, check=_cumulative),
        "session": _session(),
    },
)
TVF_ASSIGNER: Final = Variant(
    "type",
    {
        "tumbling": Struct(model.Tumbling, size=SPAN, offset=ANY, check=_offset_within("size")),
        "sliding": Struct(model.Sliding, size=SPAN, slide=SPAN, offset=ANY, check=_sliding_in_slices),
        "cumulative": Struct(model.Cumulative, max_size=SPAN, step=SPAN, offset=ANY, check=_cumulative),
        "session": _session(),
    },
)
TOP_N_ASSIGNER: Final = Variant(
    "type",
    {
        "tumbling": Struct(model.Tumbling, size=SPAN, offset=ANY, check=_offset_within("size")),
        "sliding": Struct(model.Sliding, size=SPAN, slide=SPAN, offset=ANY, check=_sliding),
        "cumulative": Struct(model.Cumulative, max_size=SPAN, step=SPAN, offset=ANY, check=_cumulative),
    },
)
SPARK_ASSIGNER: Final = Variant(
    "type",
    {
        "tumbling": Struct(model.Tumbling, size=SPAN, offset=ANY, check=_offset_within("size")),
        "sliding": Struct(model.Sliding, size=SPAN, slide=SPAN, offset=ANY, check=_sliding_in_spark),
        "session": _session(),
    },
)


# --- triggers and evictors -----------------------------------------------------------------------------------------

TRIGGER: Final = Named("trigger")
TRIGGER.kind = Variant(
    "type",
    {
        "event-time": Struct(model.EventTimeTrigger),
        "processing-time": Struct(model.ProcessingTimeTrigger),
        "never": Struct(model.NeverTrigger),
        "count": Struct(model.CountTrigger, max=kinds.Whole(1)),
        "continuous-event-time": Struct(model.ContinuousEventTimeTrigger, interval=SPAN),
        "continuous-processing-time": Struct(model.ContinuousProcessingTimeTrigger, interval=SPAN),
        "delta": Struct(model.DeltaTrigger, threshold=kinds.Number()),
        "purging": Struct(model.PurgingTrigger, inner=TRIGGER),
        "processing-timeout": Struct(
            model.ProcessingTimeoutTrigger,
            inner=TRIGGER,
            timeout=NOT_NEGATIVE,
            reset_on_record=kinds.Boolean(),
            clear_on_timeout=kinds.Boolean(),
        ),
    },
)


def _periodic() -> Variant:
    return Variant(
        "type",
        {
            "every-element": Struct(model.EveryElement),
            "count": Struct(model.CountElement, max=kinds.Whole(1)),
            "processing-time-every": Struct(model.ProcessingTimeEvery, interval=SPAN),
        },
    )


SQL_TRIGGER: Final = Variant(
    "type",
    {
        "after-end-of-window": Struct(model.AfterEndOfWindow, early=_periodic(), late=_periodic()),
        "every-element": Struct(model.EveryElement),
        "count": Struct(model.CountElement, max=kinds.Whole(1)),
    },
)
EVICTOR: Final = Variant(
    "type",
    {
        "count": Struct(model.CountEvictor, max=kinds.Whole(0), after=kinds.Boolean()),
        "time": Struct(model.TimeEvictor, window=NOT_NEGATIVE, after=kinds.Boolean()),
        "delta": Struct(model.DeltaEvictor, threshold=kinds.Number(), after=kinds.Boolean()),
    },
)


# --- functions -----------------------------------------------------------------------------------------------------


class OneOrSeveral(kinds.Kind):
    """``compute`` in SQL: the name of an aggregate of the values, or by name the text of each aggregate of columns."""

    def __init__(self, one: kinds.Choice) -> None:
        self.one = one
        self.several = Texts()

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, MappingNode):
            return self.one.read(reader, node, path)
        if not node.entries:
            return reader.wrong(node.at, "computes_nothing")
        return self.several.read(reader, node, path)

    def schema(self) -> kinds.JsonSchema:
        return {"anyOf": [self.one.schema(), self.several.schema()]}


def _function(call: str, compute: Any) -> model.Function:
    return model.Function(call, compute) if isinstance(compute, str) else model.Function(call, columns=compute)


def _functions(**computes: kinds.Kind | None) -> Variant:
    """The functions, each with what it can compute."""

    def struct(call: str, compute: kinds.Kind | None) -> Struct:
        fixed = {"call": call}
        if compute is None:
            return Struct(model.Function, fixed=fixed)
        if model.Function(call).sees_window:
            firings = kinds.Choice("cleared", "kept")
            return Struct(model.Function, required=("compute",), fixed=fixed, compute=compute, firings=firings)
        return Struct(_function, required=("compute",), fixed=fixed, compute=compute)

    named = {name.replace("_", "-"): compute for name, compute in computes.items()}
    return Variant("call", {call: struct(call, compute) for call, compute in named.items()})


COMPUTE_IN_SQL: Final = OneOrSeveral(COMPUTE)


# --- operators -----------------------------------------------------------------------------------------------------

TIME: Final = kinds.Choice("event", "processing")
LATE_OUTPUT: Final = kinds.Choice("drop", "side")


def _default_trigger(values: Values) -> model.Trigger:
    """Flink's default trigger."""
    if isinstance(values["assigner"], model.Global):
        return model.NeverTrigger()
    return model.ProcessingTimeTrigger() if values.get("time") == "processing" else model.EventTimeTrigger()


def _window(**values: Any) -> model.Window:
    return model.Window(**{"trigger": _default_trigger(values)} | values)


def _sql_window(**values: Any) -> model.Window:
    defaults: Values = {"trigger": model.AfterEndOfWindow(), "api": "sql"}
    return model.Window(**defaults | values)


def _tvf_window(**values: Any) -> model.Window:
    return model.Window(trigger=model.AfterEndOfWindow(), api="tvf", **values)


def _zone_without_lateness(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    """Flink adds an allowed lateness to the end in local time: across a change of the clock it is another one."""
    if values.get("session_zone") is not None and values.get("allowed_lateness"):
        reader.wrong(node.entries["allowed_lateness"].value.at, "lateness_in_zone")
        return False
    return True


def _window_join(**values: Any) -> model.WindowJoin:
    return model.WindowJoin(**{"trigger": _default_trigger(values), "join": "full"} | values)


def _bounds(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    lower, upper = values.get("lower"), values.get("upper")
    if lower is None and upper is None:
        return True
    if lower is None or upper is None:
        reader.wrong(node.at, "missing_key", key="lower" if lower is None else "upper")
        return False
    if lower > upper:
        reader.wrong(node.entries["lower"].value.at, "lower_above_upper", upper=format_duration(upper))
        return False
    return True


def _joined(**values: Any) -> Struct:
    more: dict[str, kinds.Kind] = (
        {"join": kinds.Choice("inner", "left", "right", "full")} if values["type"] == "co-group" else {}
    )
    return Struct(
        _window_join,
        more,
        required=("assigner",),
        fixed=values,
        assigner=ASSIGNER,
        time=TIME,
        trigger=TRIGGER,
        evictor=EVICTOR,
        allowed_lateness=NOT_NEGATIVE,
    )


def _spark_session_mode(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if isinstance(values["assigner"], model.Session) and values.get("output_mode") == "update":
        reader.wrong(node.entries["output_mode"].value.at, "no_session_in_update")
        return False
    return True


FLINK_OPERATOR: Final = Variant(
    "type",
    {
        "window": Variant(
            "api",
            {
                "datastream": Struct(
                    _window,
                    required=("assigner", "function"),
                    assigner=ASSIGNER,
                    time=TIME,
                    trigger=TRIGGER,
                    evictor=EVICTOR,
                    allowed_lateness=NOT_NEGATIVE,
                    late_output=LATE_OUTPUT,
                    function=_functions(
                        reduce=COMPUTE_ONE,
                        aggregate=COMPUTE,
                        process=COMPUTE_ALL,
                        reduce_process=COMPUTE_ONE,
                        aggregate_process=COMPUTE,
                    ),
                ),
                "sql": Struct(
                    _sql_window,
                    required=("assigner", "function"),
                    assigner=SQL_ASSIGNER,
                    time=TIME,
                    trigger=SQL_TRIGGER,
                    allowed_lateness=NOT_NEGATIVE,
                    late_output=kinds.Choice("drop"),
                    session_zone=kinds.Zone(),
                    function=_functions(aggregate=COMPUTE_IN_SQL),
                    updates=kinds.Boolean(),
                    check=_zone_without_lateness,
                ),
                "tvf": Struct(
                    _tvf_window,
                    required=("assigner", "function"),
                    assigner=TVF_ASSIGNER,
                    time=TIME,
                    session_zone=kinds.Zone(),
                    function=_functions(aggregate=COMPUTE_IN_SQL),
                ),
            },
            default="datastream",
        ),
        "window-join": _joined(type="window-join", join="inner"),
        "co-group": _joined(type="co-group"),
        "window-top-n": Struct(
            model.WindowTopN,
            assigner=TOP_N_ASSIGNER,
            n=kinds.Whole(1),
            order=kinds.Choice("desc", "asc"),
            by=kinds.Text(),
            ties=kinds.Choice("first", "last"),
        ),
        "interval-join": Struct(
            model.IntervalJoin,
            lower=ANY,
            upper=ANY,
            lower_exclusive=kinds.Boolean(),
            upper_exclusive=kinds.Boolean(),
            late_output=LATE_OUTPUT,
            check=_bounds,
        ),
        "process": Struct(model.Process, function=_functions(event_sort=None)),
        **row_operators(_functions(aggregate=COMPUTE_IN_SQL)),
    },
)
SPARK_OPERATOR: Final = Variant(
    "type",
    {
        "window": Struct(
            model.SparkWindow,
            assigner=SPARK_ASSIGNER,
            function=_functions(aggregate=COMPUTE),
            output_mode=kinds.Choice("append", "update", "complete"),
            check=_spark_session_mode,
        ),
        "stream-join": Struct(
            model.SparkJoin, lower=ANY, upper=ANY, watermark_policy=kinds.Choice("min", "max"), check=_bounds
        ),
    },
)

JOINS: Final = ("window-join", "co-group", "interval-join", "temporal-join", "stream-join")
VERSIONED: Final = "temporal-join"
"""The operator whose right side has versions, so that a record there may end one."""


class OperatorKind(kinds.Kind):
    """``operator``. The rest of the file depends on it, and is read even if the operator is refused."""

    def __init__(self, engine: str, operators: Members) -> None:
        self.engine = engine
        self.operators = operators

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        kind = peek(node, "type")
        if kind in FLINK_OPERATOR.cases or kind in SPARK_OPERATOR.cases:
            reader.joins = kind in JOINS
            reader.versions = kind == VERSIONED
            reader.needs_ts = self.engine == "spark" or peek(node, "time") != "processing"
        reader.zone = peek(node, "session_zone") or reader.zone
        return self.operators.read(reader, node, path)

    def schema(self) -> kinds.JsonSchema:
        return self.operators.schema()
