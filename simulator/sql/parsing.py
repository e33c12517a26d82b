"""SQL text to syntax: the tree that the grammar gives, and what is said of text that does not parse.

The parser is the only thing that what a person types ever meets. It is an LALR parser, so its time grows with the
length of the text and with nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

from lark import Lark, Token, Tree, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_DEPTH
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.scripts import readable_part

# What the methods of ``tree`` are made of: children by their kind, parts by their name, operations within a depth.

_T = TypeVar("_T")


def place_of(meta: Meta) -> syntax.Place:
    return syntax.Place(meta.line, meta.column)


def all_of(kind: type[_T], children: Sequence[Any]) -> tuple[_T, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def one_of(kind: type[_T], children: Sequence[Any]) -> _T | None:
    found = all_of(kind, children)
    return found[0] if found else None


def need_not_enforced(children: Sequence[Any], place: syntax.Place) -> None:
    if not all_of(Token, children):
        raise syntax.SqlProblem("enforced", place)


def words_of(children: Sequence[Any]) -> list[str]:
    return [" ".join(str(each).upper().split()) for each in children if isinstance(each, Token)]


def text_of(token: Token) -> str:
    return str(token)[1:-1].replace("''", "'")


class Part(tuple[str, Any]):
    """A part of a rule by its name, on its way up to the rule that it belongs to."""

    __slots__ = ()


def part(name: str) -> Callable[[Any, Meta, list[Any]], Part]:
    return lambda self, meta, children: Part((name, children))


def parts_of(children: Sequence[Any]) -> dict[str, list[Any]]:
    return {each[0]: each[1] for each in all_of(Part, children)}


def beyond_part(what: str) -> Callable[[Any, Meta, list[Any]], syntax.Beyond]:
    return lambda self, meta, children: syntax.Beyond(what, place_of(meta))


def operation(operator: str) -> Callable[[Any, Meta, list[Any]], syntax.Operation]:
    return lambda self, meta, children: bounded_operation(operator, tuple(children), place_of(meta))


def bounded_operation(operator: str, operands: tuple[syntax.Expression, ...], place: syntax.Place) -> syntax.Operation:
    """An operation. Raises ``SqlProblem`` if it lies too deep: what reads it afterwards goes down step by step."""
    depth = 1 + max(map(_depth, operands), default=0)
    if depth > SQL_DEPTH:
        raise syntax.SqlProblem("too_deep", place, limit=SQL_DEPTH)
    return syntax.Operation(operator, operands, place, depth)


def _depth(expression: syntax.Expression) -> int:
    match expression:
        case syntax.Operation():
            return expression.depth
        case syntax.Cast():
            return 1 + _depth(expression.of)
        case syntax.Call():
            return 1 + max(map(_depth, expression.arguments), default=0)
        case _:
            return 0


# Which words can be names, and what a source of rows is called.

SOURCES: Final[Any] = syntax.JoinSource | syntax.TableSource | syntax.FunctionSource | syntax.QuerySource

WINDOW_FUNCTIONS: Final = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
"""The window table functions."""


@cache
def reserved_words() -> frozenset[str]:
    """Words that Flink 2.3 takes for names only within backticks (the reserved words of its ``FlinkSqlParserImpl``)."""
    return frozenset(files(__package__).joinpath("reserved.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class Renaming(syntax.Name):
    """The name of a source with names for its columns, the first of them at ``columns``."""

    columns: syntax.Place


def source_name(alias: syntax.Name | None) -> syntax.Name | None:
    """What a source is called. Raises ``SqlProblem`` if its columns get names as well."""
    if isinstance(alias, Renaming):
        raise syntax.SqlProblem("column_list", alias.columns)
    return alias


def need_window_function(call: syntax.Call) -> None:
    """Raise ``SqlProblem`` if ``call`` is no window table function."""
    if call.name not in WINDOW_FUNCTIONS:
        raise syntax.SqlProblem("function_table", call.place, name=call.name, known=", ".join(WINDOW_FUNCTIONS))


@v_args(meta=True)
class SyntaxOfTree(Transformer_NonRecursive[Token, Any]):
    """Each method makes the syntax of the grammar's rule of its name. Nothing recurses, however deep the text is."""

    def start(self, meta: Meta, children: list[Any]) -> tuple[syntax.Statement, ...]:
        return tuple(each for each in children if each is not None and not isinstance(each, Token))

    # Words

    def name(self, meta: Meta, children: list[Token]) -> syntax.Name:
        token = children[0]
        if token.type == "QUOTED":
            return syntax.Name(str(token)[1:-1].replace("``", "`"), place_of(meta))
        if str(token).upper() in reserved_words():
            raise syntax.SqlProblem("reserved_word", place_of(meta), word=str(token))
        return syntax.Name(str(token), place_of(meta))

    def path(self, meta: Meta, children: list[syntax.Name]) -> syntax.Path:
        return syntax.Path(tuple(children), place_of(meta))

    column_of = path

    # Statements

    def setting(self, meta: Meta, children: list[Token | None]) -> syntax.Setting:
        words = [text_of(each) if each.type == "TEXT" else str(each) for each in children if each is not None]
        if not words:  # SET alone prints all settings
            raise syntax.SqlProblem("set_quotes", place_of(meta))
        return syntax.Setting(words[0], words[1], place_of(meta))

    def query_statement(self, meta: Meta, children: list[Any]) -> syntax.QueryStatement:
        return syntax.QueryStatement(children[0], place_of(meta))

    def insert(self, meta: Meta, children: list[Any]) -> syntax.Statement:
        query: syntax.Query = children[-1]
        if query.values is None:
            return syntax.QueryStatement(query, place_of(meta))
        return syntax.InsertValues(children[0], all_of(syntax.Name, children), query.values, place_of(meta))

    def drop(self, meta: Meta, children: list[Any]) -> syntax.Drop:
        view, if_exists = bool(all_of(Token, children)), "if_exists" in parts_of(children)
        return syntax.Drop(all_of(syntax.Path, children)[0], view, if_exists, place_of(meta))

    if_exists = part("if_exists")

    def create_view(self, meta: Meta, children: list[Any]) -> syntax.CreateView:
        (path,), (query,) = all_of(syntax.Path, children), all_of(syntax.Query, children)
        return syntax.CreateView(path, replace(query, columns=all_of(syntax.Name, children)), place_of(meta))

    def create_table(self, meta: Meta, children: list[Any]) -> syntax.CreateTable:
        parts = parts_of(children)
        (path,) = all_of(syntax.Path, children)
        elements = tuple(parts.get("elements", ()))
        return syntax.CreateTable(
            path, elements, tuple(parts.get("options", ())), all_of(syntax.Beyond, children), place_of(meta),
            parts.get("as_query", [None])[0],
        )  # fmt: skip

    elements = part("elements")
    options = part("options")
    like = beyond_part("LIKE")
    as_query = part("as_query")

    def option(self, meta: Meta, children: list[Token]) -> tuple[str, str, syntax.Place]:
        return text_of(children[0]), text_of(children[1]), place_of(meta)

    def column(self, meta: Meta, children: list[Any]) -> syntax.ColumnDefinition:
        keys = [each for each in children if isinstance(each, Tree) and each.data == "column_key"]
        key = bool(keys)
        for each in keys:
            need_not_enforced(each.children, place_of(each.meta))
        return syntax.ColumnDefinition(children[0], children[1], None, False, key, place_of(meta))

    def computed_column(self, meta: Meta, children: list[Any]) -> syntax.ColumnDefinition:
        return syntax.ColumnDefinition(children[0], None, children[1], False, False, place_of(meta))

    def metadata_column(self, meta: Meta, children: list[Any]) -> syntax.ColumnDefinition:
        return syntax.ColumnDefinition(children[0], children[1], None, True, False, place_of(meta))

    def watermark(self, meta: Meta, children: list[Any]) -> syntax.Watermark:
        return syntax.Watermark(children[0], children[1], place_of(meta))

    def primary_key(self, meta: Meta, children: list[Any]) -> syntax.PrimaryKey:
        need_not_enforced(children, place_of(meta))
        # A constraint may have a name of its own, which stands before the columns.
        return syntax.PrimaryKey(all_of(syntax.Name, children), place_of(meta))

    def type(self, meta: Meta, children: list[Any]) -> syntax.Type:
        tokens = [each for each in children if isinstance(each, Token)]
        words = [str(each).upper() for each in tokens if each.type in ("NAME", "PRECISION")]
        members = tuple(each for each in children if isinstance(each, tuple))
        numbers = tuple(int(each) for each in tokens if each.type == "NUMBER" and each.isdigit() and len(each) < 10)
        local = any(each.type == "LOCAL" for each in tokens) or words[0] == "TIMESTAMP_LTZ"
        return syntax.Type(" ".join(words), numbers, local, place_of(meta), members, all_of(syntax.Type, children))

    def type_member(self, meta: Meta, children: list[Any]) -> tuple[syntax.Name, syntax.Type] | syntax.Type:
        """Only the members of a ROW have names."""
        name, type = one_of(syntax.Name, children), one_of(syntax.Type, children)
        assert type is not None
        return type if name is None else (name, type)

    # Queries

    def query(self, meta: Meta, children: list[Any]) -> syntax.Query:
        parts = parts_of(children)
        tables = tuple(parts.get("common_tables", ()))
        select, values = one_of(syntax.Select, children), one_of(syntax.Values, children)
        beyond = all_of(syntax.Beyond, children)
        if values is not None:
            beyond = (syntax.Beyond("VALUES", values.place), *beyond)
        return syntax.Query(select, tables, beyond, place_of(meta), values, one_of(syntax.Union, children))

    def values(self, meta: Meta, children: list[Any]) -> syntax.Values:
        return syntax.Values(tuple(children), place_of(meta))

    def row(self, meta: Meta, children: list[Any]) -> tuple[syntax.Expression, ...]:
        return tuple(children)

    common_tables = part("common_tables")

    def limit(self, meta: Meta, children: list[Token]) -> syntax.Beyond:
        return syntax.Beyond(str(children[0]).upper(), place_of(meta))

    def order(self, meta: Meta, children: list[syntax.SortKey]) -> syntax.OrderBy:
        return syntax.OrderBy("ORDER BY", place_of(meta), tuple(children))

    order_by = part("order_by")

    def common_table(self, meta: Meta, children: list[Any]) -> tuple[syntax.Name, syntax.Query]:
        return children[0], replace(children[-1], columns=all_of(syntax.Name, children)[1:])

    def set_operation(self, meta: Meta, children: list[Any]) -> syntax.Union | syntax.Beyond:
        operation = " ".join(str(each).upper() for each in children if isinstance(each, Token))
        parts = [each for each in children if isinstance(each, syntax.Select | syntax.Union | syntax.Query)]
        if operation != "UNION ALL" or len(parts) != 2:
            return syntax.Beyond(operation, place_of(meta))
        selects: list[syntax.Select | syntax.Query] = []
        for each in parts:
            if isinstance(each, syntax.Query) and not each.tables and not each.beyond:
                each = each.union or each.select or each
            selects += each.selects if isinstance(each, syntax.Union) else (each,)
        return syntax.Union(tuple(selects), place_of(meta))

    def sort_key(self, meta: Meta, children: list[Any]) -> syntax.SortKey:
        by, direction, nulls = children
        return syntax.SortKey(by, direction and direction.upper(), nulls and nulls.upper(), place_of(meta))

    def sort_keys(self, meta: Meta, children: list[syntax.SortKey]) -> list[syntax.SortKey]:
        return children

    def select(self, meta: Meta, children: list[Any]) -> syntax.Select:
        parts = parts_of(children)
        beyond = [*all_of(syntax.Beyond, children)]
        if any(isinstance(each, Token) for each in children):
            beyond.append(syntax.Beyond("SELECT DISTINCT", place_of(meta)))
        group = parts.get("group_by")
        sources = all_of(SOURCES, children)
        if not sources:
            raise syntax.SqlProblem("no_from", place_of(meta))
        (source,) = sources
        return syntax.Select(
            all_of(syntax.Item, children), source, parts.get("where", [None])[0],
            None if group is None else tuple(group), tuple(parts.get("windows", ())),
            parts.get("qualify", [None])[0], tuple(beyond), place_of(meta), parts.get("having", [None])[0],
        )  # fmt: skip

    where = part("where")
    group_by = part("group_by")

    def grouping_sets(self, meta: Meta, children: list[Any]) -> syntax.Call:
        """A set is a call without a name."""
        sets = all_of(syntax.Call, children)
        return syntax.Call("GROUPING SETS", sets, distinct=False, star=False, place=place_of(meta))

    def grouping_set(self, meta: Meta, children: list[Any]) -> syntax.Call:
        return syntax.Call("", tuple(children), distinct=False, star=False, place=place_of(meta))

    qualify = part("qualify")
    windows = part("windows")
    having = part("having")

    def named_window(self, meta: Meta, children: list[Any]) -> tuple[syntax.Name, syntax.OverWindow]:
        return children[0], children[1]

    def item(self, meta: Meta, children: list[Any]) -> syntax.Item:
        return syntax.Item(children[0], children[1], None, place_of(meta))

    def all_columns(self, meta: Meta, children: list[Any]) -> syntax.Item:
        return syntax.Item(None, None, None, place_of(meta))

    def all_columns_of(self, meta: Meta, children: list[Any]) -> syntax.Item:
        return syntax.Item(None, None, children[0], place_of(meta))

    def sources(self, meta: Meta, children: list[syntax.Source]) -> syntax.Source:
        source = children[0]
        for each in children[1:]:
            source = syntax.JoinSource("INNER", source, each, None, each.place)
        return source

    def join(self, meta: Meta, children: list[Any]) -> syntax.JoinSource:
        parts = parts_of(children)
        left, right = all_of(SOURCES, children)
        kind = " ".join(str(each).upper() for each in parts.get("join_kind", []) if str(each).upper() != "OUTER")
        using = tuple(parts.get("using", ()))
        return syntax.JoinSource(kind or "INNER", left, right, parts.get("on", [None])[0], right.place, using)

    join_kind = part("join_kind")
    on = part("on")
    using = part("using")
    alias_columns = part("alias_columns")

    def alias(self, meta: Meta, children: list[Any]) -> syntax.Name:
        name, *columns = all_of(syntax.Name, children)
        return Renaming(name.text, name.place, columns[0].place) if columns else name

    def table(self, meta: Meta, children: list[Any]) -> syntax.TableSource:
        as_of = parts_of(children).get("as_of", [None])[0]
        return syntax.TableSource(children[0], source_name(one_of(syntax.Name, children)), as_of, place_of(meta))

    as_of = part("as_of")

    def function_table(self, meta: Meta, children: list[Any]) -> syntax.FunctionSource:
        need_window_function(children[0])  # of another function the names of its columns are not what is wrong
        return syntax.FunctionSource(children[0], source_name(one_of(syntax.Name, children)), place_of(meta))

    def subquery(self, meta: Meta, children: list[Any]) -> syntax.QuerySource:
        return syntax.QuerySource(children[0], source_name(one_of(syntax.Name, children)), place_of(meta))

    def primary_source(self, meta: Meta, children: list[Any]) -> syntax.Source:
        source: syntax.Source = children[0]
        return source

    # Expressions

    either = operation("OR")
    both = operation("AND")
    negated = operation("NOT")

    def scalar_query(self, meta: Meta, children: list[syntax.Query]) -> syntax.ScalarQuery:
        return syntax.ScalarQuery("(SELECT …)", place_of(meta), children[0])

    def between(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        operands = tuple(each for each in children if not isinstance(each, Token))
        operator = " ".join(words_of(children)).removesuffix(" ASYMMETRIC")
        return bounded_operation(operator, operands, place_of(meta))

    def is_distinct(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        operator = " ".join(("IS", *words_of(children), "DISTINCT FROM"))
        return bounded_operation(operator, (children[0], children[-1]), place_of(meta))

    element = operation("[]")

    map = beyond_part("MAP")

    def array(self, meta: Meta, children: list[Any]) -> syntax.Call:
        return syntax.Call("ARRAY", tuple(children[1:]), distinct=False, star=False, place=place_of(meta))

    def call_from(self, meta: Meta, children: list[Any]) -> syntax.Call:
        """``SUBSTRING(a FROM 2 FOR 3)``; of ``TRIM`` the side is a word: ``TRIM(BOTH b FROM a)``."""
        parts = [
            syntax.Literal("other", str(each), place_of(meta)) if isinstance(each, Token) else each
            for each in children[1:]
            if each is not None
        ]
        name = str(children[0]).upper()
        return syntax.Call(name if name != "TRIM" else "TRIM FROM", tuple(parts), False, False, place_of(meta))

    def is_something(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        return bounded_operation(" ".join(("IS", *words_of(children))), tuple(children[:1]), place_of(meta))

    def is_in(self, meta: Meta, children: list[Any]) -> syntax.Operation | syntax.Beyond:
        operator = " ".join((*words_of(children), "IN"))
        operands = tuple(each for each in children if not isinstance(each, Token))
        if isinstance(operands[1], syntax.Query):
            return syntax.Within(
                f"{operator} (SELECT …)", place_of(meta), operands[1], operands[0], negated=operator != "IN"
            )
        return bounded_operation(operator, operands, place_of(meta))

    def exists(self, meta: Meta, children: list[syntax.Query]) -> syntax.Within:
        return syntax.Within("EXISTS", place_of(meta), children[0], None)

    def is_like(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        operands = tuple(each for each in children if not isinstance(each, Token))
        return bounded_operation(" ".join(words_of(children)), operands, place_of(meta))

    def case(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        """Condition and result in turn, and last the result otherwise; ``CASE x WHEN 1`` has the condition x = 1."""
        of, *whens, otherwise = children
        operands: list[syntax.Expression] = []
        for when, then in whens:
            operands += [when if of is None else bounded_operation("=", (of, when), when.place), then]
        operands.append(syntax.Literal("other", "NULL", place_of(meta)) if otherwise is None else otherwise)
        return bounded_operation("CASE", tuple(operands), place_of(meta))

    def when(self, meta: Meta, children: list[Any]) -> tuple[syntax.Expression, syntax.Expression]:
        return children[0], children[1]

    def cast(self, meta: Meta, children: list[Any]) -> syntax.Cast:
        return syntax.Cast(children[1], children[2], children[0].type == "CAST", place_of(meta))

    def without_parentheses(self, meta: Meta, children: list[Token]) -> syntax.Call:
        return syntax.Call(str(children[0]).upper(), (), distinct=False, star=False, place=place_of(meta))

    def comparison(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        operator = "<>" if children[1] == "!=" else str(children[1])
        return bounded_operation(operator, (children[0], children[2]), place_of(meta))

    def arithmetic(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        operands = tuple(each for each in children if not isinstance(each, Token))
        operator = next((str(each) for each in children if isinstance(each, Token)), "*")
        return bounded_operation(operator, operands, place_of(meta))

    def signed(self, meta: Meta, children: list[Any]) -> syntax.Operation:
        return bounded_operation(str(children[0]), (children[1],), place_of(meta))

    def literal(self, meta: Meta, children: list[Token]) -> syntax.Literal:
        token = children[0]
        if token.type == "TEXT":
            return syntax.Literal("text", text_of(token), place_of(meta))
        return syntax.Literal("number" if token.type == "NUMBER" else "other", str(token), place_of(meta))

    def interval(self, meta: Meta, children: list[Any]) -> syntax.Interval:
        tokens = [each for each in children if isinstance(each, Token)]
        negative = bool(tokens) and tokens[0].type == "SIGN" and tokens[0] == "-"
        if tokens[0].type == "SIGN":
            tokens = tokens[1:]
        text, units = tokens[0], [str(each).upper() for each in tokens if each.type == "NAME"]
        # The digits of the first unit come before the second unit's name.
        first = next((place for place, each in enumerate(tokens) if each.type == "NAME"), 0)
        digits = tokens[first + 1] if first + 1 < len(tokens) and tokens[first + 1].type == "NUMBER" else None
        quoted = text.type == "TEXT"
        return syntax.Interval(
            negative, text_of(text) if quoted else str(text), quoted, units[0],
            int(digits) if digits is not None and digits.isdigit() and len(digits) < 4 else None,
            units[1] if len(units) > 1 else None, place_of(meta),
        )  # fmt: skip

    def call(self, meta: Meta, children: list[Any]) -> syntax.Call:
        arguments = tuple(each for each in children[1:] if not isinstance(each, Token) and each is not None)
        distinct = any(isinstance(each, Token) and each.type == "DISTINCT" for each in children[1:])
        star = any(isinstance(each, Token) and each.type == "STAR" for each in children[1:])
        return syntax.Call(str(children[0]).upper(), arguments, distinct, star, place_of(meta))

    def unit(self, meta: Meta, children: list[Token]) -> syntax.Literal:
        return syntax.Literal("other", str(children[0]), place_of(meta))

    unit_of_floor = unit

    def named_argument(self, meta: Meta, children: list[Any]) -> syntax.NamedArgument:
        return syntax.NamedArgument(children[0], children[-1], place_of(meta))

    def table_argument(self, meta: Meta, children: list[Any]) -> syntax.TableArgument:
        return syntax.TableArgument(children[0], all_of(syntax.Name, children[1:]), place_of(meta))

    def over_call(self, meta: Meta, children: list[Any]) -> syntax.Call:
        call: syntax.Call = children[0]
        return syntax.Call(call.name, call.arguments, call.distinct, call.star, call.place, children[1])

    over_named = over_call

    def filtered(self, meta: Meta, children: list[Any]) -> syntax.Call:
        call: syntax.Call = children[0]
        condition, *window = children[1:]
        over = next((each for each in window if each is not None), None)
        return replace(call, filter=condition, over=over)

    def over_window(self, meta: Meta, children: list[Any]) -> syntax.OverWindow:
        parts = parts_of(children)
        place = syntax.Place(getattr(meta, "line", 0), getattr(meta, "column", 0))
        return syntax.OverWindow(
            tuple(parts.get("partition_by", ())),
            tuple(parts.get("order_by", ())),
            one_of(syntax.Frame, children),
            place,
        )

    partition_by = part("partition_by")

    def frame_from(self, meta: Meta, children: list[Any]) -> syntax.Frame:
        return syntax.Frame(str(children[0]).upper(), children[1], None, place_of(meta))

    def frame_between(self, meta: Meta, children: list[Any]) -> syntax.Frame:
        return syntax.Frame(str(children[0]).upper(), children[1], children[2], place_of(meta))

    def unbounded(self, meta: Meta, children: list[Any]) -> syntax.FrameBound:
        return syntax.FrameBound("unbounded", str(children[0]).upper() == "FOLLOWING", place_of(meta))

    def current_row(self, meta: Meta, children: list[Any]) -> syntax.FrameBound:
        return syntax.FrameBound("current", False, place_of(meta))

    def bounded(self, meta: Meta, children: list[Any]) -> syntax.FrameBound:
        expression: syntax.Expression = children[0]
        return syntax.FrameBound(expression, str(children[1]).upper() == "FOLLOWING", place_of(meta))


def parse(text: str) -> tuple[syntax.Statement, ...]:
    """The statements of ``text``, in order. Raises ``SqlProblem`` with the first place that is not understood."""
    statements: tuple[syntax.Statement, ...] = alone(text.removeprefix("\ufeff"), "start")
    return statements


def expression(text: str) -> syntax.Expression:
    """``text``, which is one expression. Raises ``SqlProblem`` with its line and column in ``text``."""
    found: syntax.Expression = alone(text, "expression")
    return found


def alone(text: str, rule: str) -> Any:
    """The syntax of ``text``, which is one ``rule`` of the grammar: ``start``, ``expression``, ``type`` or
    ``sort_keys``.

    Raises ``SqlProblem``.
    """
    if len(text) > SQL_CHARACTERS:
        raise syntax.SqlProblem("too_long", syntax.Place(1, 1), limit=SQL_CHARACTERS // 1024)
    for number, line in enumerate(text.split("\n"), 1):
        for column, each in enumerate(line, 1):
            if not each.isprintable() and each not in "\t\r":
                raise syntax.SqlProblem("control_character", syntax.Place(number, column), code=f"{ord(each):04X}")
    readable, problem = readable_part(text, is_script=rule == "start")
    try:
        found = SyntaxOfTree().transform(grammar().parse(readable, start=rule))
    except UnexpectedInput as error:
        if problem is not None and isinstance(error, UnexpectedToken) and error.token.type == "$END":
            raise problem from None
        raise _misread(error, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, syntax.SqlProblem):
            raise error.orig_exc from None
        raise
    if problem is not None:
        raise problem
    return found


@cache
def grammar() -> Lark:
    """The parser for ``grammar.lark``; made once, which takes half a second."""
    written = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    rules = ["start", "expression", "type", "sort_keys"]
    return Lark(written, parser="lalr", start=rules, propagate_positions=True, maybe_placeholders=True)


def _misread(error: UnexpectedInput, text: str) -> syntax.SqlProblem:
    """What to say of a place at which the text does not go on as SQL does."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        lines = text.rstrip().split("\n")
        return syntax.SqlProblem("ends_early", syntax.Place(len(lines), len(lines[-1]) + 1))
    place = syntax.Place(error.line, error.column)
    if isinstance(error, UnexpectedCharacters):
        if error.char == '"':
            return syntax.SqlProblem("double_quotes", place)
        return syntax.SqlProblem("unexpected", place, found=shown_in_message(error.char))
    assert isinstance(error, UnexpectedToken)
    found = str(error.token)
    if error.token.type.startswith("PLAIN_"):  # where no SET stands this is what no other word begins with
        if found[0] == '"':
            return syntax.SqlProblem("double_quotes", place)
        return syntax.SqlProblem("unexpected", place, found=shown_in_message(found[0]))
    read = [each for each in error.interactive_parser.parser_state.value_stack if isinstance(each, Token)]
    if [each.type for each in read[-2:]] == ["INTERVAL", "TEXT"]:
        return syntax.SqlProblem(
            "interval_without_unit", syntax.Place(read[-1].line or 1, read[-1].column or 1), text=read[-1]
        )
    if found.upper() in reserved_words() and "QUOTED" in error.accepts:
        return syntax.SqlProblem("reserved_word", place, word=found)
    # The message puts backticks around it, and a quoted name has some already.
    return syntax.SqlProblem("unexpected", place, found=shown_in_message(found.strip("`")))
