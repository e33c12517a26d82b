"""Expressions of Flink SQL as expressions of Spark SQL that mean the same; what has no such twin is named instead.

A value has the same form in both: a time is a BIGINT of ms since 1970, a DATE an INT of days. The type of each part is
that which the scenario's reader finds; the values are Spark's own. Spark wraps whole numbers as Java does (no ANSI
mode). What could differ in the last digit (POWER, LN …), or in which texts are taken for times, has no twin.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.sql.expressions import compiled
from tidemark.simulator.sql.numbers import as_decimal
from tidemark.simulator.sql.syntax import Call, Cast, Expression, Interval, Literal, Operation, Path
from tidemark.simulator.sql.times import default_date, default_time
from tidemark.simulator.sql.types import MOST_DIGITS, NUMBERS, TIMES, Computed, null

DAY: Final = 86_400_000
UNITS: Final = {"MILLISECOND": 1, "SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": DAY, "WEEK": 7 * DAY}


class NoTwin(Exception):
    """Spark has nothing that means the same; ``str`` is the name of the function, the operator or the type."""


@dataclass(frozen=True, slots=True)
class Typed:
    """``text``: an expression of Spark SQL, in parentheses where that matters; ``type``: its type in Flink."""

    text: str
    type: Computed


def spark_type(of: Computed) -> str:
    """The type of Spark in which values of ``of`` are held. Raises ``NoTwin``."""
    match of.type:
        case "small":
            return "TINYINT" if of.bits == 8 else "SMALLINT"
        case "int" | "date":
            return "INT"
        case "bigint" | "timestamp" | "timestamp_ltz" | "interval" | "months":
            return "BIGINT"
        case "decimal":
            return f"DECIMAL({of.precision or MOST_DIGITS},{of.digits})"
        case "double" | "float":
            return of.type.upper()
        case "text":
            return "STRING"
        case "boolean":
            return "BOOLEAN"
        case "array" if of.element is not None:
            return f"ARRAY<{spark_type(of.element)}>"
        case _:
            raise NoTwin(str(of).partition("<")[0])


def quoted(text: str) -> str:
    """``text`` as a literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True)
class Translator:
    """``columns``: those of a row with their types; ``names``: those in Spark; ``zone``: that of the session."""

    columns: Mapping[str, Computed]
    names: Mapping[str, str]
    zone: str

    def of(self, expression: Expression) -> Typed:
        """``expression`` in Spark SQL. Raises ``NoTwin``."""
        type = compiled(expression, self.columns, self.zone)
        if type.type == "float" and not isinstance(expression, Path):
            raise NoTwin("FLOAT")  # it is rounded on the way where Spark does not
        if type.type != "null":
            spark_type(type)
        return Typed(self._text(expression, type), type)

    def _text(self, expression: Expression, type: Computed) -> str:
        match expression:
            case Path():
                return self.names[str(expression)]
            case Literal() | Interval() | Operation("-", (Literal("number", _),)):
                return _constant(type)
            case Cast():
                return self._converted(self.of(expression.of), type, asked=True)
            case Operation():
                return self._operation(expression, type)
            case Call():
                write = FUNCTIONS.get(expression.name)
                if write is None:
                    raise NoTwin(expression.name)
                return write(self, expression, [self._argument(each) for each in expression.arguments], type)
            case _:
                raise NoTwin(str(type))

    def _argument(self, expression: Expression) -> Typed:
        """A unit, as in EXTRACT(HOUR FROM t), is a word and no value."""
        if isinstance(expression, Literal) and expression.kind == "other" and "'" not in expression.text:
            constants = {"TRUE": "TRUE", "FALSE": "FALSE"}
            return Typed(constants.get(expression.text.upper(), "NULL"), compiled(expression, self.columns, self.zone))
        return self.of(expression)

    def _operation(self, operation: Operation, type: Computed) -> str:
        operator, operands = operation.operator, [self.of(each) for each in operation.operands]
        texts = [each.text for each in operands]
        is_negated, name = operator.startswith("NOT "), operator.removeprefix("NOT ")
        match name:
            case "AND" | "OR":
                return "(" + f" {name} ".join(texts) + ")"
            case "NOT":
                return f"(NOT {texts[0]})"
            case "CASE":
                whens = zip(texts[:-1:2], operands[1::2], strict=True)
                branches = " ".join(f"WHEN {when} THEN {self.converted(then, type)}" for when, then in whens)
                return f"(CASE {branches} ELSE {self.converted(operands[-1], type)} END)"
            case "BETWEEN" | "BETWEEN SYMMETRIC":
                of, one, two = operands
                found = self._between(of, one, two)
                if name != "BETWEEN":
                    found = f"({found} OR {self._between(of, two, one)})"
            case "IN":
                found = "(" + " OR ".join(self._compared("=", operands[0], each) for each in operands[1:]) + ")"
            case "LIKE":
                found = _like(texts[0], *operation.operands[1:])
            case "IS DISTINCT FROM" | "IS NOT DISTINCT FROM":
                same = self._compared("<=>", *operands)
                return same if "NOT" in name else f"(NOT {same})"
            case "||":
                return f"concat({', '.join(texts)})"
            case "[]" if operands[0].type.type == "array":
                return f"get({texts[0]}, CAST({texts[1]} AS INT) - 1)"
            case "=" | "<>" | "<" | "<=" | ">" | ">=":
                return self._compared(name, *operands)
            case _ if name.startswith("IS "):
                return f"({texts[0]} {name.replace('UNKNOWN', 'NULL')})"
            case _:
                return self._calculated(name, operands, type)
        return f"(NOT {found})" if is_negated else found

    def _between(self, of: Typed, low: Typed, high: Typed) -> str:
        return f"({self._compared('>=', of, low)} AND {self._compared('<=', of, high)})"

    def _compared(self, operator: str, one: Typed, two: Typed) -> str:
        types = {one.type.type, two.type.type}
        if "float" in types:
            raise NoTwin("FLOAT")
        if types <= set(NUMBERS) and "double" in types:
            one, two = (self._as(each, null("double")) for each in (one, two))
        elif types <= set(NUMBERS):
            if "decimal" in types:
                one, two = (self._as(each, as_decimal(each.type)) for each in (one, two))
        elif types == set(TIMES):
            one, two = (self._as(each, null("timestamp_ltz", 3)) for each in (one, two))
        elif len(types) > 1 and "null" not in types:
            time = next(each.type for each in (one, two) if each.type.type != "text")
            one, two = (self._as(each, null(time.type, 3)) for each in (one, two))
        return f"({one.text} {operator} {two.text})"

    def _calculated(self, operator: str, operands: Sequence[Typed], type: Computed) -> str:
        if len(operands) == 1:
            return f"CAST({operator}{operands[0].text} AS {spark_type(type)})"
        one, two = operands
        types = {one.type.type, two.type.type}
        if not types <= set(NUMBERS):
            return self._moved(operator, one, two, type)
        if "double" in types:
            a, b = self.converted(one, null("double")), self.converted(two, null("double"))
            return _float_quotient(a, b) if operator == "/" else f"({a} {operator} {b})"
        if "decimal" in types:
            a, b = (self.converted(each, as_decimal(each.type)) for each in operands)
        else:
            wider = max((one.type, two.type), key=lambda each: each.bits)
            a, b = (self.converted(each, wider) for each in operands)
            operator = "div" if operator == "/" else operator
        return f"CAST({a} {operator} {b} AS {spark_type(type)})"

    def _moved(self, operator: str, one: Typed, two: Typed, type: Computed) -> str:
        """A time and an interval, or two intervals."""
        intervals = ("interval", "months")
        if one.type.type in intervals and two.type.type not in intervals and operator == "+":
            one, two = two, one
        if one.type.type in intervals or two.type.type not in intervals or operator == "*":
            return f"({one.text} {operator} {two.text})"
        if two.type.type == "months":
            days = one.text if one.type.type == "date" else f"floor({one.text} / {DAY})"
            day = f"add_months({_date(days)}, CAST({operator}{two.text} AS INT))"
            moved = f"unix_date({day})"
            return moved if one.type.type == "date" else f"(CAST({moved} AS BIGINT) * {DAY} + pmod({one.text}, {DAY}))"
        if one.type.type == "date":
            return f"CAST({one.text} {operator} ({two.text} div {DAY}) AS INT)"
        return f"({one.text} {operator} {two.text})"

    # From one type to another

    def converted(self, of: Typed, target: Computed) -> str:
        """``of`` as a value of ``target``, which has room for it."""
        return of.text if target.type == "null" else self._converted(of, target, asked=False)

    def _as(self, of: Typed, target: Computed) -> Typed:
        return Typed(self.converted(of, target), target)

    def _converted(self, of: Typed, target: Computed, *, asked: bool) -> str:
        kind, type, text = of.type.type, spark_type(target), of.text
        if kind == "null":
            return f"CAST(NULL AS {type})"
        if str(of.type) == str(target) and not (kind == "text" and target.precision):
            return text
        if kind == "text" and target.type in (*TIMES, "date") and _is_constant(of):
            return _constant(self._time_of(of, target))
        if target.type == "text":
            # As Flink does it, a VARCHAR cuts no number with an exponent.
            fits = not asked or not target.precision or (kind == "double" and not target.digits)
            return self._written(of) if fits else _cut(self._written(of), target)
        if kind == "text" and target.type in NUMBERS:
            return _number_of_text(text, target, type)
        if kind == "text" and target.type == "boolean":
            return (
                f"(CASE WHEN lower({text}) IN ('t', 'true', 'y', 'yes', '1') THEN TRUE"
                f" WHEN lower({text}) IN ('f', 'false', 'n', 'no', '0') THEN FALSE END)"
            )
        if {kind, target.type} <= {*NUMBERS, "boolean"}:
            return f"CAST({text} AS {type})"
        if target.type == "date" and kind in TIMES:
            local = self.local(of)
            return f"CAST({local} div {DAY} AS INT)" if kind == "timestamp" else f"CAST(floor({local} / {DAY}) AS INT)"
        if target.type in TIMES and kind in (*TIMES, "date"):
            return self._time(of, target)
        raise NoTwin(f"CAST({target})")

    def _time_of(self, of: Typed, target: Computed) -> Computed:
        """A text that is the same in each row, as a time."""
        text = of.type.of({})
        time = default_date(text) if target.type == "date" else default_time(text)
        if target.type == "timestamp_ltz" and self.zone != "UTC":
            raise NoTwin(str(target))
        return Computed(target.type, lambda row: time, target.digits)

    def _time(self, of: Typed, target: Computed) -> str:
        ms = of.text if of.type.type != "date" else f"(CAST({of.text} AS BIGINT) * {DAY})"
        if of.type.type != target.type and "timestamp_ltz" in (of.type.type, target.type) and self.zone != "UTC":
            to = "from" if target.type == "timestamp" else "to"
            ms = f"unix_millis({to}_utc_timestamp(timestamp_millis({ms}), {quoted(self.zone)}))"
        unit = 10 ** max(0, 3 - target.digits)
        return ms if unit == 1 else f"(({ms} div {unit}) * {unit})"

    def local(self, of: Typed) -> str:
        """The ms that clocks show at a value of a time or date."""
        return self._time(of, null("timestamp", 3))

    def _written(self, of: Typed) -> str:
        match of.type.type:
            case "text" | "small" | "int" | "bigint" | "double":
                return f"CAST({of.text} AS STRING)"
            case "boolean":
                return f"upper(CAST({of.text} AS STRING))"
            case "decimal" if of.type.digits <= 6:  # a smaller one may have an exponent
                return f"CAST({of.text} AS STRING)"
            case "date":
                return f"CAST({_date(of.text)} AS STRING)"
            case "timestamp" | "timestamp_ltz":
                digits = of.type.digits
                pattern = "yyyy-MM-dd HH:mm:ss" + ("." + "S" * digits if digits else "")
                return _formatted(self.local(of), pattern)
            case _:
                raise NoTwin("CAST(STRING)")


def _is_constant(of: Typed) -> bool:
    return not of.type.columns and not of.type.clock


def _constant(type: Computed) -> str:
    value = type.of({})
    if type.type == "null" or value is None:
        return "NULL" if type.type == "null" else f"CAST(NULL AS {spark_type(type)})"
    if type.type == "text":
        return quoted(value)
    if type.type == "int":
        return str(value) if value >= 0 else f"({value})"
    return f"CAST({quoted(f'{value:f}' if type.type == 'decimal' else str(value).lower())} AS {spark_type(type)})"


def _float_quotient(a: str, b: str) -> str:
    """Java has an infinity where Spark has NULL."""
    infinite = f"CASE WHEN {a} = 0 OR isnan({a}) THEN double('NaN') ELSE signum({a}) * double('Infinity') END"
    return f"(CASE WHEN {b} = 0 THEN {infinite} ELSE {a} / {b} END)"


def _date(days: str) -> str:
    return f"date_from_unix_date(CAST({days} AS INT))"


def _formatted(ms: str, pattern: str) -> str:
    return f"date_format(timestamp_millis({ms}), {quoted(pattern)})"


def _cut(text: str, target: Computed) -> str:
    if target.digits:
        return f"rpad({text}, {target.precision}, ' ')"
    return f"substring({text}, 1, {target.precision})"


def _number_of_text(text: str, target: Computed, type: str) -> str:
    trimmed = f"trim({text})"
    if target.whole:
        return (
            f"CAST(CASE WHEN {trimmed} RLIKE '^[+-]?[0-9]+([.][0-9]*)?$'"
            f" THEN regexp_extract({trimmed}, '^[+-]?[0-9]+', 0) END AS {type})"
        )
    number = "([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?"
    number = f"^[+-]?{number}" if target.type == "decimal" else f"^[+-]?(NaN|Infinity|{number})"
    suffix = "" if target.type == "decimal" else "[fFdD]?"
    found = f"regexp_extract({trimmed}, '{number}', 0)"
    return f"CAST(CASE WHEN {trimmed} RLIKE '{number}{suffix}$' THEN {found} END AS {type})"


def _like(text: str, pattern: Expression, escape: Expression | None = None) -> str:
    """As a regular expression of Java, which both engines have."""
    fixed = [each for each in (pattern, escape) if each is not None]
    if not all(isinstance(each, Literal) and each.kind == "text" for each in fixed):
        raise NoTwin("LIKE")
    characters = [each.text for each in fixed if isinstance(each, Literal)]
    escape_with = characters[1] if escape is not None else ""
    found, at = "", 0
    while at < len(characters[0]):
        character = characters[0][at]
        if character == escape_with:
            at += 1
            found += re.escape(characters[0][at])
        else:
            found += {"%": "(?s:.*)", "_": r"[^\n\r\u0085\u2028\u2029]"}.get(character) or re.escape(character)
        at += 1
    return f"({text} RLIKE {quoted(f'^(?:{found})' + chr(92) + 'z')})"


# Functions, each of the translator, the call, its arguments and the type of the result

Write = Callable[[Translator, Call, Sequence[Typed], Computed], str]


def _plain(name: str) -> Write:
    """The same function of Spark, whose result is one of the same type."""
    return lambda to, call, of, type: f"CAST({name}({', '.join(each.text for each in of)}) AS {spark_type(type)})"


def _written(form: str, *others: str) -> Write:
    """``form`` with the arguments in it, or one of ``others`` for more of them."""

    def write(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
        texts = [each.text for each in of]
        fit = next((each for each in (form, *others) if _places(each) == len(of)), None)
        if fit is None:
            raise NoTwin(call.name)
        return fit.format(*texts)

    return write


def _places(form: str) -> int:
    return max(map(int, re.findall(r"\{(\d)\}", form))) + 1


def _alike(form: str) -> Write:
    """A function of values of one type; NULL among them is for ``form`` to see to."""

    def write(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
        texts = ", ".join(to.converted(each, type) for each in of)
        return form.format(texts, " OR ".join(f"{each.text} IS NULL" for each in of))

    return write


def _if(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    return f"if({of[0].text}, {to.converted(of[1], type)}, {to.converted(of[2], type)})"


def _null_if(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    same = to._compared("=", of[0], of[1])
    return f"(CASE WHEN {same} THEN NULL ELSE {to.converted(of[0], type)} END)"


def _rounded(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    places = of[1].type.of({}) if len(of) > 1 else 0
    return f"CAST(round({of[0].text}, {places}) AS {spark_type(type)})"


def _cut_at(name: str) -> Write:
    """FLOOR and CEIL: of a number, or of a time to a unit."""

    def write(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
        if len(of) == 1:
            whole = of[0].type.whole
            if of[0].type.type == "double":
                raise NoTwin(f"{call.name}(DOUBLE)")
            return of[0].text if whole else f"CAST({name}({of[0].text}) AS {spark_type(type)})"
        unit = _unit(call, 1)
        if unit not in UNITS or unit == "WEEK" or of[0].type.type == "date":
            raise NoTwin(f"{call.name} TO {unit}")
        local, length = to.local(of[0]), UNITS[unit]
        past = f"pmod({local}, {length})"
        up = f" + CASE WHEN {past} = 0 THEN 0 ELSE {length} END" if name == "ceil" else ""
        return f"({of[0].text} - {past}{up})"

    return write


def _unit(call: Call, place: int) -> str:
    of = call.arguments[place]
    return of.text.upper() if isinstance(of, Literal) else ""


_OF_DAY: Final = {
    "YEAR": "year({})", "QUARTER": "quarter({})", "MONTH": "month({})", "WEEK": "weekofyear({})", "DAY": "day({})",
    "DOW": "dayofweek({})", "ISODOW": "(weekday({}) + 1)", "DOY": "dayofyear({})",
    "ISOYEAR": "extract(YEAROFWEEK FROM {})",
}  # fmt: skip
_OF_CLOCK: Final = {
    "HOUR": (3_600_000, DAY), "MINUTE": (60_000, 3_600_000), "SECOND": (1000, 60_000), "MILLISECOND": (1, 1000),
}  # fmt: skip


def _part(to: Translator, name: str, of: Typed) -> str:
    local = to.local(of)
    if name in _OF_DAY:
        return f"CAST({_OF_DAY[name].format(_date(f'({local} div {DAY})'))} AS BIGINT)"
    if name == "EPOCH":
        return f"({local} div 1000)"
    if name not in _OF_CLOCK:
        raise NoTwin(f"EXTRACT({name})")
    unit, within = _OF_CLOCK[name]
    return f"(({local} - ({local} div {within}) * {within}) div {unit})"


def _named(part: str) -> Write:
    return lambda to, call, of, type: _part(to, part, of[0])


def _difference(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    unit = _unit(call, 0)
    if unit not in UNITS:
        raise NoTwin(f"TIMESTAMPDIFF({unit})")
    early, late = (each.text if each.type.type == "timestamp_ltz" else to.local(each) for each in of[1:])
    ms = f"({late} - {early})"
    whole = f"({ms} div 1000) * 1000" if unit == "MILLISECOND" else f"{ms} div {UNITS[unit]}"
    return f"CAST({whole} AS INT)"


def _addition(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    unit = _unit(call, 0)
    if unit not in UNITS or of[2].type.type == "date":
        raise NoTwin(f"TIMESTAMPADD({unit})")
    return f"({of[2].text} + CAST({of[1].text} AS BIGINT) * {UNITS[unit]})"


_PATTERN: Final = re.compile(r"(?:yyyy|MM|dd|HH|mm|ss|SSS|[^A-Za-z'])*")


def _pattern(call: Call) -> str:
    """The pattern that is the second argument, if both engines read its letters alike."""
    given = call.arguments[1] if len(call.arguments) > 1 else Literal("text", "yyyy-MM-dd HH:mm:ss", call.place)
    if not isinstance(given, Literal) or not _PATTERN.fullmatch(given.text):
        raise NoTwin(f"{call.name}({getattr(given, 'text', '')})")
    return given.text


def _date_format(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    if of[0].type.type == "text":
        raise NoTwin("DATE_FORMAT(STRING)")
    return _formatted(to.local(of[0]), _pattern(call))


def _from_unixtime(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    return _formatted(_local_seconds(to, of[0].text), _pattern(call))


def _local_seconds(to: Translator, seconds: str) -> str:
    return to.local(Typed(f"(CAST({seconds} AS BIGINT) * 1000)", null("timestamp_ltz", 3)))


def _to_timestamp(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    """Of the text that FROM_UNIXTIME writes, or of one that is the same in each row."""
    only = call.arguments[0]
    if len(of) == 1 and _is_constant(of[0]):
        return to.converted(of[0], type)
    if len(of) == 1 and isinstance(only, Call) and only.name == "FROM_UNIXTIME" and len(only.arguments) == 1:
        return _local_seconds(to, to.of(only.arguments[0]).text)
    raise NoTwin("TO_TIMESTAMP")


def _to_timestamp_ltz(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    number = of[0]
    if number.type.type not in ("small", "int", "bigint", "decimal"):
        raise NoTwin("TO_TIMESTAMP_LTZ")
    factor = 1000 if len(of) > 1 and _unit(call, 1) == "0" else 1
    whole = f"CAST({number.text} AS BIGINT)"
    last = 253_402_300_799_999 // factor
    return f"(CASE WHEN {whole} BETWEEN {-62_167_219_200_000 // factor}L AND {last}L THEN {whole} * {factor} END)"


def _part_of(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    """Behind the end, and in front of the beginning, is nothing."""
    text, start = of[0].text, of[1].text
    inside = f"({start} >= -length({text}))"
    if len(of) == 2:
        return f"(CASE WHEN {inside} THEN substring({text}, {start}) WHEN NOT {inside} THEN '' END)"
    length = of[2].text
    part = f"CASE WHEN {inside} THEN substring({text}, {start}, {length}) WHEN NOT {inside} THEN '' END"
    return f"(CASE WHEN {length} >= 0 THEN {part} END)"


def _padded(name: str) -> Write:
    return _written(f"(CASE WHEN {{1}} >= 0 AND {{2}} <> '' THEN {name}({{0}}, {{1}}, {{2}}) END)")


def _split(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    separator = call.arguments[1]
    if not isinstance(separator, Literal) or separator.kind != "text" or not separator.text:
        raise NoTwin("SPLIT_INDEX")
    parts = f"split({of[0].text}, {quoted(re.escape(separator.text))}, -1)"
    return f"(CASE WHEN {of[0].text} <> '' THEN get({parts}, {of[2].text}) END)"


def _pattern_of(call: Call) -> str:
    of = call.arguments[1]
    if not isinstance(of, Literal):
        raise NoTwin(call.name)
    return quoted(of.text)


def _matches(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    pattern = _pattern_of(call)
    return f"(CASE WHEN {of[0].text} IS NOT NULL THEN {of[0].text} RLIKE {pattern} AND {pattern} <> '' END)"


def _extracted(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    pattern, group = _pattern_of(call), call.arguments[2] if len(of) > 2 else Literal("number", "0", call.place)
    if not isinstance(group, Literal) or (group.text != "0" and not _always_there(call.arguments[1], int(group.text))):
        raise NoTwin("REGEXP_EXTRACT")
    found = f"regexp_extract({of[0].text}, {pattern}, {group.text})"
    return f"(CASE WHEN {of[0].text} RLIKE {pattern} THEN {found} END)"


def _always_there(pattern: Expression, group: int) -> bool:
    """Whether a match has that group: Spark has an empty text for one that it has not, and Flink NULL."""
    text = getattr(pattern, "text", "")
    plain = text.replace("\\\\", "").replace("\\(", "")
    return group <= plain.count("(") - plain.count("(?") and not re.search(r"\)[?*{]|\|", text)


def _replaced(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    new = call.arguments[2]
    if not isinstance(new, Literal) or not re.fullmatch(r"[^$\\]*", new.text):
        raise NoTwin("REGEXP_REPLACE")
    return f"regexp_replace({of[0].text}, {_pattern_of(call)}, {of[2].text})"


def _replaced_text(to: Translator, call: Call, of: Sequence[Typed], type: Computed) -> str:
    old = call.arguments[1]
    if not isinstance(old, Literal) or not old.text:
        raise NoTwin("REPLACE")
    return f"replace({', '.join(each.text for each in of)})"


FUNCTIONS: Final[Mapping[str, Write]] = {
    "COALESCE": _alike("coalesce({0})"), "IFNULL": _alike("coalesce({0})"), "IF": _if, "NULLIF": _null_if,
    "LEAST": _alike("(CASE WHEN {1} THEN NULL ELSE least({0}) END)"),
    "GREATEST": _alike("(CASE WHEN {1} THEN NULL ELSE greatest({0}) END)"),
    "ABS": _plain("abs"), "SIGN": _plain("sign"), "ROUND": _rounded, "FLOOR": _cut_at("floor"), "CEIL": _cut_at("ceil"),
    "CEILING": _cut_at("ceil"), "SQRT": _plain("sqrt"),
    "MOD": lambda to, call, of, type: to._calculated("%", of, type),
    "CONCAT": _plain("concat"), "CONCAT_WS": _plain("concat_ws"), "UPPER": _plain("upper"), "LOWER": _plain("lower"),
    "TRIM": _written("trim({0})"), "LTRIM": _written("ltrim({0})"), "RTRIM": _written("rtrim({0})"),
    "BTRIM": _written("trim({0})"), "REVERSE": _plain("reverse"), "REPEAT": _plain("repeat"),
    "LPAD": _padded("lpad"), "RPAD": _padded("rpad"), "SUBSTRING": _part_of, "SUBSTR": _part_of,
    "LEFT": _written("substring({0}, 1, greatest({1}, 0))"),
    "RIGHT": _written("(CASE WHEN {1} > 0 THEN right({0}, {1}) WHEN {1} <= 0 THEN left({0}, 0) END)"),
    "REPLACE": _replaced_text, "POSITION": _written("locate({0}, {1})"), "LOCATE": _written("locate({0}, {1})"),
    "INSTR": _written("locate({1}, {0})"), "CHAR_LENGTH": _plain("length"), "CHARACTER_LENGTH": _plain("length"),
    "SPLIT_INDEX": _split, "MD5": _plain("md5"), "SHA1": _plain("sha1"), "SHA256": _written("sha2({0}, 256)"),
    "STARTSWITH": _plain("startswith"), "ENDSWITH": _plain("endswith"),
    "REGEXP": _matches, "REGEXP_EXTRACT": _extracted, "REGEXP_REPLACE": _replaced,
    "CARDINALITY": _written("(CASE WHEN {0} IS NOT NULL THEN size({0}) END)"),
    "EXTRACT": lambda to, call, of, type: _part(to, _unit(call, 0), of[1]),
    "TIMESTAMPDIFF": _difference, "TIMESTAMPADD": _addition, "DATE_FORMAT": _date_format,
    "FROM_UNIXTIME": _from_unixtime, "TO_TIMESTAMP": _to_timestamp, "TO_TIMESTAMP_LTZ": _to_timestamp_ltz,
    **{name: _named(part) for name, part in (
        *((name, name) for name in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")),
        ("DAYOFMONTH", "DAY"), ("DAYOFWEEK", "DOW"), ("DAYOFYEAR", "DOY"),
    )},
}  # fmt: skip
"""Every function that has a twin."""
