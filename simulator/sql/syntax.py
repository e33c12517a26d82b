"""What SQL text is made of: statements, queries and expressions, each with its place in the text."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tidemark.simulator.words import words


class Place(NamedTuple):
    """Line and column, both from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Name:
    """An identifier as it is meant: without its backticks. In Flink all names are case-sensitive."""

    text: str
    place: Place


@dataclass(frozen=True)
class Path:
    """``table``, ``database.table``, ``table.column``: the names from left to right."""

    names: tuple[Name, ...]
    place: Place

    @property
    def last(self) -> str:
        """The name behind the last dot."""
        return self.names[-1].text

    def __str__(self) -> str:
        return ".".join(each.text for each in self.names)


# Expressions


@dataclass(frozen=True)
class Literal:
    """A number, a text without its quotes, ``NULL``, ``TRUE``, ``FALSE``. ``kind``: ``number``, ``text``, ``other``."""

    kind: str
    text: str
    place: Place


@dataclass(frozen=True)
class Interval:
    """``INTERVAL '1:30' MINUTE(3) TO SECOND(3)``: sign, text, first unit, its digits, last unit (None: one unit)."""

    negative: bool
    text: str
    quoted: bool
    unit: str
    digits: int | None
    last_unit: str | None
    place: Place


@dataclass(frozen=True)
class Operation:
    """``AND``, ``OR``, ``NOT``, ``BETWEEN``, ``NOT BETWEEN``, ``=``, ``<`` … ``+``, ``-`` … over ``operands``."""

    operator: str
    operands: tuple["Expression", ...]
    place: Place
    depth: int = 1


@dataclass(frozen=True)
class Beyond:
    """What no scenario can say; ``what`` is its SQL name, such as ``CASE``."""

    what: str
    place: Place


@dataclass(frozen=True)
class ScalarQuery(Beyond):
    """``(query)`` as an expression: read only as the rows of a window table function."""

    query: "Query"


@dataclass(frozen=True)
class Within(Beyond):
    """``of [NOT] IN (query)``, or without ``of`` ``[NOT] EXISTS (query)``: read only as a condition between windows."""

    query: "Query"
    of: "Expression | None"
    negated: bool = False


@dataclass(frozen=True)
class OrderBy(Beyond):
    """``ORDER BY keys`` around a query: read only where the first of them is the time."""

    keys: "tuple[SortKey, ...]"


@dataclass(frozen=True)
class Cast:
    """``CAST(of AS type)``; TRY_CAST does not fail."""

    of: "Expression"
    type: "Type"
    fails: bool
    place: Place


@dataclass(frozen=True)
class TableArgument:
    """``TABLE orders PARTITION BY customer`` within a call."""

    table: Path
    partition: tuple[Name, ...]
    place: Place


@dataclass(frozen=True)
class NamedArgument:
    """``SIZE => INTERVAL '5' SECOND`` within a call."""

    name: Name
    value: "Expression"
    place: Place


@dataclass(frozen=True)
class SortKey:
    """One part of ``ORDER BY``. ``direction``: ``ASC`` or ``DESC``; ``nulls``: ``FIRST`` or ``LAST``; None: unsaid."""

    by: "Expression"
    direction: str | None
    nulls: str | None
    place: Place

    @property
    def descending(self) -> bool:
        """Whether the largest comes first."""
        return self.direction == "DESC"


@dataclass(frozen=True)
class FrameBound:
    """An end of a frame: ``of`` is ``unbounded``, ``current`` or an expression; ``following`` turns it round."""

    of: "str | Expression"
    following: bool
    place: Place


@dataclass(frozen=True)
class Frame:
    """``ROWS`` or ``RANGE`` from ``start`` to ``end`` (None: not written)."""

    unit: str
    start: FrameBound
    end: FrameBound | None
    place: Place


@dataclass(frozen=True)
class OverWindow:
    """What stands between the parentheses of ``OVER (…)``."""

    partition: "tuple[Expression, ...]"
    order: tuple[SortKey, ...]
    frame: Frame | None
    place: Place


@dataclass(frozen=True)
class Call:
    """A function: ``COUNT(*)`` has ``star``. ``over``: a window, or the name of one."""

    name: str
    arguments: "tuple[Expression, ...]"
    distinct: bool
    star: bool
    place: Place
    over: OverWindow | Name | None = None
    filter: "Expression | None" = None


Expression = Path | Literal | Interval | Operation | Beyond | Cast | TableArgument | NamedArgument | Call


def construct(expression: Expression) -> str:
    """What ``expression`` is called in Flink's documentation, for a message that refuses it."""
    match expression:
        case Beyond():
            return expression.what
        case Cast():
            return "CAST" if expression.fails else "TRY_CAST"
        case Call():
            return expression.name
        case Operation("[]", (of, index)):
            return f"{construct(of)}[{construct(index)}]"
        case Operation():
            return expression.operator
        case Literal():
            return expression.text if expression.kind != "text" else f"'{expression.text}'"
        case Interval():
            return "INTERVAL"
        case Path():
            return str(expression)
        case TableArgument():
            return "TABLE"
        case NamedArgument():
            return "=>"


# Queries


@dataclass(frozen=True)
class Item:
    """One column of a ``SELECT``. ``of`` None: all columns, of ``table`` if it is named."""

    of: Expression | None
    alias: Name | None
    table: Name | None
    place: Place


@dataclass(frozen=True)
class TableSource:
    """``orders AS o``, perhaps ``FOR SYSTEM_TIME AS OF …``."""

    table: Path
    alias: Name | None
    as_of: Expression | None
    place: Place


@dataclass(frozen=True)
class FunctionSource:
    """``TABLE(TUMBLE(…)) AS w``."""

    call: Call
    alias: Name | None
    place: Place


@dataclass(frozen=True)
class QuerySource:
    """``(SELECT …) AS q``."""

    query: "Query"
    alias: Name | None
    place: Place


@dataclass(frozen=True)
class JoinSource:
    """Two sources. ``kind``: ``INNER``, ``LEFT``, ``CROSS``; ``condition`` None: a comma, or ``using`` columns."""

    kind: str
    left: "Source"
    right: "Source"
    condition: Expression | None
    place: Place
    using: tuple[Name, ...] = ()


Source = TableSource | FunctionSource | QuerySource | JoinSource


@dataclass(frozen=True)
class Select:
    """One ``SELECT``. ``beyond``: what stands in it that no scenario can say."""

    items: tuple[Item, ...]
    source: Source
    where: Expression | None
    group: tuple[Expression, ...] | None
    windows: tuple[tuple[Name, OverWindow], ...]
    qualify: Expression | None
    beyond: tuple[Beyond, ...]
    place: Place
    having: Expression | None = None


@dataclass(frozen=True)
class Union:
    """``SELECT … UNION ALL SELECT …``: all rows of each, in no order. One in parentheses may be any query."""

    selects: "tuple[Select | Query, ...]"
    place: Place


@dataclass(frozen=True)
class Values:
    """``VALUES (1, 'a'), (2, 'b')``: its rows."""

    rows: "tuple[tuple[Expression, ...], ...]"
    place: Place


@dataclass(frozen=True)
class Query:
    """A ``SELECT`` with what stands around it. ``tables``: those of ``WITH``, by name; ``values`` and ``union``: in
    place of one; ``columns``: the names that a view or a table of ``WITH`` gives its columns."""

    select: Select | None
    tables: "tuple[tuple[Name, Query], ...]"
    beyond: tuple[Beyond, ...]
    place: Place
    values: "Values | None" = None
    union: "Union | None" = None
    columns: tuple[Name, ...] = ()


# Statements


@dataclass(frozen=True)
class Type:
    """``DECIMAL(10, 2)``; ``local``: ``WITH LOCAL TIME ZONE``, or ``TIMESTAMP_LTZ``; ``members``: of a ROW;
    ``elements``: of an ARRAY its element, of a MAP its key and its value."""

    name: str
    parameters: tuple[int, ...]
    local: bool
    place: Place
    members: "tuple[tuple[Name, Type], ...]" = ()
    elements: "tuple[Type, ...]" = ()

    def __str__(self) -> str:
        if self.elements:
            return f"{self.name}<{', '.join(map(str, self.elements))}>"
        return self.name + (f"({', '.join(map(str, self.parameters))})" if self.parameters else "")


@dataclass(frozen=True)
class ColumnDefinition:
    """A column of a table: ``computed`` from others, from the connector's ``metadata``, or neither."""

    name: Name
    type: Type | None
    computed: Expression | None
    metadata: bool
    key: bool
    place: Place


@dataclass(frozen=True)
class Watermark:
    """``WATERMARK FOR column AS strategy``."""

    column: Name
    strategy: Expression
    place: Place


@dataclass(frozen=True)
class PrimaryKey:
    """``PRIMARY KEY (…) NOT ENFORCED``."""

    columns: tuple[Name, ...]
    place: Place


@dataclass(frozen=True)
class CreateTable:
    """``CREATE TABLE``. ``options``: those of ``WITH (…)``, each with its place; ``query``: the one behind ``AS``."""

    table: Path
    elements: tuple[ColumnDefinition | Watermark | PrimaryKey, ...]
    options: tuple[tuple[str, str, Place], ...]
    beyond: tuple[Beyond, ...]
    place: Place
    query: Query | None = None


@dataclass(frozen=True)
class CreateView:
    """``CREATE VIEW``."""

    view: Path
    query: Query
    place: Place


@dataclass(frozen=True)
class Setting:
    """``SET 'key' = 'value'``."""

    key: str
    value: str
    place: Place


@dataclass(frozen=True)
class QueryStatement:
    """A query, alone or behind ``INSERT INTO``."""

    query: Query
    place: Place


@dataclass(frozen=True)
class InsertValues:
    """``INSERT INTO table (columns) VALUES …``. ``columns``: none where all of the table's are meant."""

    table: Path
    columns: tuple[Name, ...]
    values: Values
    place: Place


@dataclass(frozen=True)
class Drop:
    """``DROP TABLE``, or with ``view`` ``DROP VIEW``. ``if_exists``: whether an unknown name is no mistake."""

    name: Path
    view: bool
    if_exists: bool
    place: Place


Statement = CreateTable | CreateView | Drop | InsertValues | Setting | QueryStatement


class SqlProblem(Exception):
    """The first place of a text that cannot become a scenario, and why: ``word`` below
    ``sql.problems``, ``text`` in the language of the reader."""

    def __init__(self, word: str, place: Place, /, **fields: Any) -> None:
        self.word = word
        self.text = words(f"sql.problems.{word}", **fields)
        self.place = place
        super().__init__(self.text)


_OWN_WORDS: Final = {
    "ORDER BY": "order_by", "VALUES": "values", "LIKE": "table_like",
}  # fmt: skip


def beyond(part: Beyond) -> SqlProblem:
    """That no scenario has ``part``."""
    return SqlProblem(_OWN_WORDS.get(part.what, "beyond"), part.place, what=part.what)
