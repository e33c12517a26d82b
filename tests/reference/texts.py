"""The texts with which a schema describes its columns."""

from typing import Annotated, Any, NotRequired, get_args, get_origin


def meaning_of(hint: Any) -> str:
    """The last text that a column is annotated with, or "" if there is none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return meaning_of(arguments[0])
    if origin is Annotated:
        return next((each for each in reversed(arguments[1:]) if isinstance(each, str)), "")
    return ""
