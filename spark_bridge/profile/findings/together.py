"""One cause at work in several channels or keys is one finding."""

from collections.abc import Sequence
from dataclasses import replace

from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.offsets import is_alike
from tidemark.spark_bridge.profile.findings.signs import Off, Several


def together(found: Sequence[Cause]) -> list[Cause]:
    """The causes of clocks, with those of one column that are off by the same time as one, in the place of the first.

    The rules find them one by one where they are off in other parts of the stream.
    """
    causes: list[Cause] = []
    for cause in found:
        place = next((place for place, each in enumerate(causes) if _is_one(each, cause)), None)
        if place is None:
            causes.append(cause)
        else:
            causes[place] = _joined(causes[place], cause)
    return causes


def _is_one(one: Cause, other: Cause) -> bool:
    are_groups = all(isinstance(each.sign, Off | Several) and each.where.column is not None for each in (one, other))
    return are_groups and one.where.column == other.where.column and is_alike(one, other)


def _joined(one: Cause, other: Cause) -> Cause:
    first, second = sorted((one.where, other.where), key=lambda where: where.first or 0)
    names = tuple(dict.fromkeys((*one.where.names, *other.where.names)))
    where = Where(None, None, first.at, first.first, max(first.last or 0, second.last or 0))
    where = replace(where, **{one.where.column or "key": names[0]}, more=names[1:])
    numbers = {name: own for name, own in one.numbers.items() if other.numbers.get(name) == own}
    numbers |= {name: one.numbers[name] + other.numbers[name] for name in ("count", "own")} | {
        "total": one.numbers["total"]
    }
    sign = Several((*_signs(one), *_signs(other)))
    rules = (*one.rules, *other.rules)
    return replace(one, records=one.records + other.records, where=where, numbers=numbers, sign=sign, rules=rules)


def _signs(cause: Cause) -> tuple[Off, ...]:
    return cause.sign.signs if isinstance(cause.sign, Several) else (cause.sign,)
