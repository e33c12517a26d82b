"""An expression as SQL text: what a scenario keeps of a query, with the names that its columns have there."""

import re
from typing import Final

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.parsing import reserved_words

_BINDING: Final = {"OR": 1, "AND": 2, "NOT": 3, "+": 5, "-": 5, "||": 5, "*": 6, "/": 6, "%": 6, "[]": 8}
"""How tightly an operator holds its operands; a comparison and its like are 4."""
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_UNITS: Final = {"EXTRACT": " FROM ", "FLOOR": " TO ", "CEIL": " TO "}


def sql_text(expression: syntax.Expression) -> str:
    """``expression`` as SQL: parsed again, it means the same.

    >>> from tidemark.simulator.sql.parsing import expression
    >>> sql_text(expression("a.b>1 and not(`select` is null or x in(1,2)) and (y+1)*2 between 0 and 9"))
    'a.b > 1 AND NOT (`select` IS NULL OR x IN (1, 2)) AND (y + 1) * 2 BETWEEN 0 AND 9'
    >>> sql_text(expression("m['a']is null and x[1]>2"))
    "m['a'] IS NULL AND x[1] > 2"
    """
    match expression:
        case syntax.Path():
            return ".".join(map(name_text, expression.names))
        case syntax.Literal():
            return _quoted(expression.text) if expression.kind == "text" else expression.text
        case syntax.Interval():
            sign = "-" if expression.negative else ""
            digits = "" if expression.digits is None else f"({expression.digits})"
            to = f" TO {expression.last_unit}" if expression.last_unit else ""
            length = _quoted(expression.text) if expression.quoted else expression.text
            return f"INTERVAL {sign}{length} {expression.unit}{digits}{to}"
        case syntax.Cast():
            return f"{'CAST' if expression.fails else 'TRY_CAST'}({sql_text(expression.of)} AS {expression.type})"
        case syntax.Call():
            return _call(expression)
        case syntax.Operation():
            return _operation(expression)
        case syntax.NamedArgument():
            return f"{name_text(expression.name)} => {sql_text(expression.value)}"
        case syntax.TableArgument():
            return f"TABLE {sql_text(expression.table)}"
        case syntax.Beyond():
            return expression.what


def name_text(name: syntax.Name) -> str:
    """``name`` with backticks where SQL needs them."""
    plain = _PLAIN.fullmatch(name.text) and name.text.upper() not in reserved_words()
    return name.text if plain else "`" + name.text.replace("`", "``") + "`"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _call(call: syntax.Call) -> str:
    arguments = [sql_text(each) for each in call.arguments]
    first = call.arguments[0] if call.arguments else None
    last = call.arguments[-1] if call.arguments else None
    unit = last if call.name != "EXTRACT" else first
    if call.name in _UNITS and len(arguments) == 2 and isinstance(unit, syntax.Literal) and unit.kind == "other":
        return f"{call.name}({_UNITS[call.name].join(arguments)})"
    if call.star:
        arguments = ["*"]
    distinct = "DISTINCT " if call.distinct else ""
    condition = "" if call.filter is None else f" FILTER (WHERE {sql_text(call.filter)})"
    return f"{call.name}({distinct}{', '.join(arguments)}){condition}"


def _operation(operation: syntax.Operation) -> str:
    operator, operands = operation.operator, operation.operands
    binding = _BINDING.get(operator, 4) if len(operands) != 1 or operator == "NOT" else 7

    def of(operand: syntax.Expression, tighter: int = 0) -> str:
        text = sql_text(operand)
        if not isinstance(operand, syntax.Operation) or operand.operator == "CASE":
            return text
        unary = len(operand.operands) == 1 and operand.operator in ("+", "-")
        inner = 7 if unary else _BINDING.get(operand.operator, 4)
        return text if inner >= binding + tighter else f"({text})"

    match operator:
        case "CASE":
            *pairs, otherwise = operands
            whens = [f"WHEN {sql_text(when)} THEN {sql_text(then)}"
                     for when, then in zip(pairs[::2], pairs[1::2], strict=True)]  # fmt: skip
            return f"CASE {' '.join(whens)} ELSE {sql_text(otherwise)} END"
        case "BETWEEN" | "NOT BETWEEN":
            value, low, high = (of(each, 1) for each in operands)
            return f"{value} {operator} {low} AND {high}"
        case "IN" | "NOT IN":
            return f"{of(operands[0], 1)} {operator} ({', '.join(map(sql_text, operands[1:]))})"
        case "NOT":
            return f"NOT {of(operands[0])}"
        case "[]":
            return f"{of(operands[0])}[{sql_text(operands[1])}]"
        case _:
            pass
    if operator.startswith("IS ") and len(operands) == 1:
        return f"{of(operands[0], 1)} {operator}"
    if len(operands) == 1:
        return f"{operator}{of(operands[0], 1)}"
    if len(operands) == 3:  # LIKE … ESCAPE
        value, pattern, escape = (of(each, 1) for each in operands)
        return f"{value} {operator} {pattern} ESCAPE {escape}"
    comparison = operator not in _BINDING
    left, right = of(operands[0], comparison), of(operands[1], operator not in ("AND", "OR"))
    return f"{left} {operator} {right}"
