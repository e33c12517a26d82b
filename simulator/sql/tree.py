"""The tree that the grammar gives, as syntax."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lark import Token, Tree, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from simulator.limits import SQL_DEPTH
from simulator.sql.names import Renaming, need_window_function, reserved_words, source_name
from simulator.sql.problems import SqlProblem
from simulator.sql.syntax import (
    Beyond,
    Call,
    ColumnDefinition,
    CreateTable,
    CreateView,
    Expression,
    Frame,
    FrameBound,
    FunctionSource,
    Interval,
    Item,
    JoinSource,
    Literal,
    Name,
    NamedArgument,
    Operation,
    OtherStatement,
    OverWindow,
    Path,
    Place,
    PrimaryKey,
    Query,
    QuerySource,
    QueryStatement,
    Select,
    Setting,
    SortKey,
    Source,
    Statement,
    TableArgument,
    TableSource,
    Type,
    Watermark,
)  # fmt: skip

_T = TypeVar("_T")


def _place(meta: Meta) -> Place:
    return Place(meta.line, meta.column)


def _of(kind: type[_T], children: Sequence[Any]) -> tuple[_T, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def _one(kind: type[_T], children: Sequence[Any]) -> _T | None:
    found = _of(kind, children)
    return found[0] if found else None


def _text(token: Token) -> str:
    return str(token)[1:-1].replace("''", "'")


class _Part(tuple[str, Any]):
    """A part of a rule by its name, on its way up to the rule that it belongs to."""

    __slots__ = ()


def _part(name: str) -> Callable[[Any, Meta, list[Any]], _Part]:
    return lambda self, meta, children: _Part((name, children))


def _parts(children: Sequence[Any]) -> dict[str, list[Any]]:
    return {each[0]: each[1] for each in _of(_Part, children)}


def _beyond(what: str) -> Callable[[Any, Meta, list[Any]], Beyond]:
    return lambda self, meta, children: Beyond(what, _place(meta))


def _operation(operator: str) -> Callable[[Any, Meta, list[Any]], Operation]:
    return lambda self, meta, children: _made(operator, tuple(children), _place(meta))


def _made(operator: str, operands: tuple[Expression, ...], place: Place) -> Operation:
    """An operation. Raises ``SqlProblem`` if it lies too deep: what reads it afterwards goes down step by step."""
    depth = 1 + max((each.depth for each in operands if isinstance(each, Operation)), default=0)
    if depth > SQL_DEPTH:
        raise SqlProblem("too_deep", place, limit=SQL_DEPTH)
    return Operation(operator, operands, place, depth)


@v_args(meta=True)
class SyntaxOfTree(Transformer_NonRecursive[Token, Any]):
    """Each method makes the syntax of the grammar's rule of its name. Nothing recurses, however deep the text is."""

    def start(self, meta: Meta, children: list[Any]) -> tuple[Statement, ...]:
        return tuple(each for each in children if each is not None and not isinstance(each, Token))

    # Words

    def name(self, meta: Meta, children: list[Token]) -> Name:
        token = children[0]
        if token.type == "QUOTED":
            return Name(str(token)[1:-1].replace("``", "`"), _place(meta))
        if str(token).upper() in reserved_words():
            raise SqlProblem("reserved_word", _place(meta), word=str(token))
        return Name(str(token), _place(meta))

    def path(self, meta: Meta, children: list[Name]) -> Path:
        return Path(tuple(children), _place(meta))

    column_of = path

    # Statements

    def other(self, meta: Meta, children: list[Any]) -> OtherStatement:
        return OtherStatement(str(children[0]).upper(), _place(meta))

    def setting(self, meta: Meta, children: list[Token]) -> Setting:
        return Setting(_text(children[0]), _text(children[1]), _place(meta))

    def all_settings(self, meta: Meta, children: list[Any]) -> OtherStatement:
        return OtherStatement("SET", _place(meta))

    def query_statement(self, meta: Meta, children: list[Any]) -> QueryStatement:
        return QueryStatement(children[0], _place(meta))

    def insert(self, meta: Meta, children: list[Any]) -> QueryStatement:
        return QueryStatement(children[-1], _place(meta))

    def create_view(self, meta: Meta, children: list[Any]) -> CreateView:
        (path,), (query,) = _of(Path, children), _of(Query, children)
        return CreateView(path, bool(_of(Name, children)), query, _place(meta))

    def create_table(self, meta: Meta, children: list[Any]) -> CreateTable:
        parts = _parts(children)
        (path,) = _of(Path, children)
        elements = tuple(parts.get("elements", ()))
        return CreateTable(path, elements, tuple(parts.get("options", ())), _of(Beyond, children), _place(meta))

    elements = _part("elements")
    options = _part("options")
    like = _beyond("LIKE")

    def option(self, meta: Meta, children: list[Token]) -> tuple[str, str, Place]:
        return _text(children[0]), _text(children[1]), _place(meta)

    def column(self, meta: Meta, children: list[Any]) -> ColumnDefinition:
        key = any(isinstance(each, Tree) and each.data == "column_key" for each in children)
        return ColumnDefinition(children[0], children[1], None, False, key, _place(meta))

    def computed_column(self, meta: Meta, children: list[Any]) -> ColumnDefinition:
        return ColumnDefinition(children[0], None, children[1], False, False, _place(meta))

    def metadata_column(self, meta: Meta, children: list[Any]) -> ColumnDefinition:
        return ColumnDefinition(children[0], children[1], None, True, False, _place(meta))

    def watermark(self, meta: Meta, children: list[Any]) -> Watermark:
        return Watermark(children[0], children[1], _place(meta))

    def primary_key(self, meta: Meta, children: list[Any]) -> PrimaryKey:
        # A constraint may have a name of its own, which stands before the columns.
        return PrimaryKey(_of(Name, children), _place(meta))

    def type(self, meta: Meta, children: list[Any]) -> Type:
        tokens = [each for each in children if isinstance(each, Token)]
        words = [str(each).upper() for each in tokens if each.type == "NAME"]
        numbers = tuple(int(each) for each in tokens if each.type == "NUMBER" and each.isdigit() and len(each) < 10)
        local = any(each.type == "LOCAL" for each in tokens) or words[0] == "TIMESTAMP_LTZ"
        return Type(" ".join(words), numbers, local, _place(meta))

    # Queries

    def query(self, meta: Meta, children: list[Any]) -> Query:
        parts = _parts(children)
        tables = tuple(parts.get("common_tables", ()))
        return Query(_one(Select, children), tables, _of(Beyond, children), _place(meta))

    common_tables = _part("common_tables")
    limit = _beyond("LIMIT")
    order = _beyond("ORDER BY")
    order_by = _part("order_by")

    def common_table(self, meta: Meta, children: list[Any]) -> tuple[Name, Query]:
        if len(_of(Name, children)) > 1:
            raise SqlProblem("column_list", _of(Name, children)[1].place)
        return children[0], children[-1]

    def set_operation(self, meta: Meta, children: list[Any]) -> Beyond:
        return Beyond(" ".join(str(each).upper() for each in children if isinstance(each, Token)), _place(meta))

    def sort_key(self, meta: Meta, children: list[Any]) -> SortKey:
        by, direction, nulls = children
        return SortKey(by, direction is not None and direction.upper() == "DESC", nulls is not None, _place(meta))

    def select(self, meta: Meta, children: list[Any]) -> Select:
        parts = _parts(children)
        beyond = [*_of(Beyond, children)]
        if any(isinstance(each, Token) for each in children):
            beyond.append(Beyond("SELECT DISTINCT", _place(meta)))
        group = parts.get("group_by")
        sources = _of(JoinSource | TableSource | FunctionSource | QuerySource, children)  # type: ignore[arg-type]
        if not sources:
            raise SqlProblem("no_from", _place(meta))
        (source,) = sources
        return Select(
            _of(Item, children), source, parts.get("where", [None])[0], None if group is None else tuple(group),
            tuple(parts.get("windows", ())), parts.get("qualify", [None])[0], tuple(beyond), _place(meta),
        )  # fmt: skip

    where = _part("where")
    group_by = _part("group_by")
    qualify = _part("qualify")
    windows = _part("windows")
    grouping_sets = _beyond("GROUPING SETS")
    having = _beyond("HAVING")

    def named_window(self, meta: Meta, children: list[Any]) -> tuple[Name, OverWindow]:
        return children[0], children[1]

    def item(self, meta: Meta, children: list[Any]) -> Item:
        return Item(children[0], children[1], None, _place(meta))

    def all_columns(self, meta: Meta, children: list[Any]) -> Item:
        return Item(None, None, None, _place(meta))

    def all_columns_of(self, meta: Meta, children: list[Any]) -> Item:
        return Item(None, None, children[0], _place(meta))

    def sources(self, meta: Meta, children: list[Source]) -> Source:
        source = children[0]
        for each in children[1:]:
            source = JoinSource("INNER", source, each, None, each.place)
        return source

    def join(self, meta: Meta, children: list[Any]) -> JoinSource:
        parts = _parts(children)
        left, right = _of(JoinSource | TableSource | FunctionSource | QuerySource, children)  # type: ignore[arg-type]
        kind = " ".join(str(each).upper() for each in parts.get("join_kind", []) if str(each).upper() != "OUTER")
        using = Beyond("USING", right.place) if "using" in parts else None
        return JoinSource(kind or "INNER", left, right, parts.get("on", [None])[0], right.place, using)

    join_kind = _part("join_kind")
    on = _part("on")
    using = _part("using")
    alias_columns = _part("alias_columns")

    def alias(self, meta: Meta, children: list[Any]) -> Name:
        name, *columns = _of(Name, children)
        return Renaming(name.text, name.place, columns[0].place) if columns else name

    def table(self, meta: Meta, children: list[Any]) -> TableSource:
        for beyond in _of(Beyond, children):
            raise SqlProblem("beyond", beyond.place, what=beyond.what)
        as_of = _parts(children).get("as_of", [None])[0]
        return TableSource(children[0], source_name(_one(Name, children)), as_of, _place(meta))

    as_of = _part("as_of")

    def beyond_table(self, meta: Meta, children: list[Any]) -> Beyond:
        return Beyond(str(children[0]).upper(), _place(meta))

    def function_table(self, meta: Meta, children: list[Any]) -> FunctionSource:
        need_window_function(children[0])  # of another function the names of its columns are not what is wrong
        return FunctionSource(children[0], source_name(_one(Name, children)), _place(meta))

    def subquery(self, meta: Meta, children: list[Any]) -> QuerySource:
        return QuerySource(children[0], source_name(_one(Name, children)), _place(meta))

    def primary_source(self, meta: Meta, children: list[Any]) -> Source:
        source: Source = children[0]
        return source

    # Expressions

    either = _operation("OR")
    both = _operation("AND")
    negated = _operation("NOT")
    between = _operation("BETWEEN")
    not_between = _operation("NOT BETWEEN")
    is_something = _beyond("IS")
    is_in = _beyond("IN")
    is_like = _beyond("LIKE")
    exists = _beyond("EXISTS")
    scalar_query = _beyond("(SELECT …)")
    case = _beyond("CASE")
    cast = _beyond("CAST")

    def comparison(self, meta: Meta, children: list[Any]) -> Operation:
        operator = "<>" if children[1] == "!=" else str(children[1])
        return _made(operator, (children[0], children[2]), _place(meta))

    def arithmetic(self, meta: Meta, children: list[Any]) -> Operation:
        operands = tuple(each for each in children if not isinstance(each, Token))
        operator = next((str(each) for each in children if isinstance(each, Token)), "*")
        return _made(operator, operands, _place(meta))

    def signed(self, meta: Meta, children: list[Any]) -> Operation:
        return _made(str(children[0]), (children[1],), _place(meta))

    def literal(self, meta: Meta, children: list[Token]) -> Literal:
        if not children:
            return Literal("other", "", _place(meta))
        token = children[0]
        if token.type == "TEXT":
            return Literal("text", _text(token), _place(meta))
        return Literal("number" if token.type == "NUMBER" else "other", str(token), _place(meta))

    def interval(self, meta: Meta, children: list[Any]) -> Interval:
        tokens = [each for each in children if isinstance(each, Token)]
        negative = bool(tokens) and tokens[0].type == "SIGN" and tokens[0] == "-"
        if tokens[0].type == "SIGN":
            tokens = tokens[1:]
        text, units = tokens[0], [str(each).upper() for each in tokens if each.type == "NAME"]
        # The digits of the first unit come before the second unit's name.
        first = next((place for place, each in enumerate(tokens) if each.type == "NAME"), 0)
        digits = tokens[first + 1] if first + 1 < len(tokens) and tokens[first + 1].type == "NUMBER" else None
        quoted = text.type == "TEXT"
        return Interval(
            negative, _text(text) if quoted else str(text), quoted, units[0],
            int(digits) if digits is not None and digits.isdigit() and len(digits) < 4 else None,
            units[1] if len(units) > 1 else None, _place(meta),
        )  # fmt: skip

    def call(self, meta: Meta, children: list[Any]) -> Call:
        arguments = tuple(each for each in children[1:] if not isinstance(each, Token) and each is not None)
        distinct = any(isinstance(each, Token) and each.type == "DISTINCT" for each in children[1:])
        star = any(isinstance(each, Token) and each.type == "STAR" for each in children[1:])
        return Call(str(children[0]).upper(), arguments, distinct, star, _place(meta))

    def unit(self, meta: Meta, children: list[Token]) -> Literal:
        return Literal("other", str(children[0]), _place(meta))

    unit_of_floor = unit

    def named_argument(self, meta: Meta, children: list[Any]) -> NamedArgument:
        return NamedArgument(children[0], children[-1], _place(meta))

    def table_argument(self, meta: Meta, children: list[Any]) -> TableArgument:
        return TableArgument(children[0], _of(Name, children[1:]), _place(meta))

    def over_call(self, meta: Meta, children: list[Any]) -> Call:
        call: Call = children[0]
        return Call(call.name, call.arguments, call.distinct, call.star, call.place, children[1])

    over_named = over_call
    filtered = _beyond("FILTER")

    def over_window(self, meta: Meta, children: list[Any]) -> OverWindow:
        parts = _parts(children)
        place = Place(getattr(meta, "line", 0), getattr(meta, "column", 0))
        return OverWindow(
            tuple(parts.get("partition_by", ())), tuple(parts.get("order_by", ())), _one(Frame, children), place
        )

    partition_by = _part("partition_by")

    def frame_from(self, meta: Meta, children: list[Any]) -> Frame:
        return Frame(str(children[0]).upper(), children[1], None, _place(meta))

    def frame_between(self, meta: Meta, children: list[Any]) -> Frame:
        return Frame(str(children[0]).upper(), children[1], children[2], _place(meta))

    def unbounded(self, meta: Meta, children: list[Any]) -> FrameBound:
        return FrameBound("unbounded", str(children[0]).upper() == "FOLLOWING", _place(meta))

    def current_row(self, meta: Meta, children: list[Any]) -> FrameBound:
        return FrameBound("current", False, _place(meta))

    def bounded(self, meta: Meta, children: list[Any]) -> FrameBound:
        expression: Expression = children[0]
        return FrameBound(expression, str(children[1]).upper() == "FOLLOWING", _place(meta))
