"""A profile as JSON and back, so that it can be shown without Spark: the examples come with theirs.

The members are those of the dataclasses; types tell how each is read. What depends on a language is worded again by the
reader, and what only a running profile needs (``Cause.sign``) is left out.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

from tidemark.spark_bridge.profile.findings.finding import Finding
from tidemark.spark_bridge.profile.findings.wording import price_of, sentence_of
from tidemark.spark_bridge.profile.profile import Profile

_LEFT_OUT: Final = {"sign", "text", "price"}


def as_text(profile: Profile) -> str:
    """``profile`` as JSON, a line for each of its members."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in _plain(profile).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.name not in _LEFT_OUT}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def profile_of_text(text: str) -> Profile:
    """The profile that ``as_text`` wrote, its findings in the language of the caller."""
    profile: Profile = _read(Profile, json.loads(text))
    bound = profile.request.bound
    return replace(profile, findings=tuple(_worded(each, bound) for each in profile.findings))


def _worded(finding: Finding, bound: int | None) -> Finding:
    price = price_of(finding.cause, finding.before, bound) if finding.cures else ""
    return replace(finding, text=sentence_of(finding), price=price)


def _read(kind: Any, value: Any) -> Any:
    """``value`` of JSON as ``kind``: a type, or what an annotation says of one."""
    kinds = [each for each in get_args(kind) if each is not NoneType]
    if value is None:
        return None
    if type(None) in get_args(kind) and len(kinds) == 1:
        return _read(kinds[0], value)
    if kind is Fraction:
        return Fraction(value)
    origin = get_origin(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        absent = {each.name: "" for each in fields(kind) if each.name in {"text", "price"}}
        return kind(**absent, **{name: _read(hints[name], each) for name, each in value.items()})  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*map(_read, get_type_hints(kind).values(), value))
    if isinstance(value, dict):
        of_name, of_value = kinds or (str, Any)
        return {int(name) if of_name is int else name: _read(of_value, each) for name, each in value.items()}
    if isinstance(value, list) and origin is not None and origin is not list:
        each_kind = kinds if origin is tuple and Ellipsis not in kinds else [kinds[0]] * len(value)
        return tuple(map(_read, each_kind, value))
    return value
