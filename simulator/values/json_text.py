"""JSON that any reader accepts, also for doubles that JSON has no number for."""

import json
from math import isfinite
from typing import Any


def json_text(value: Any, **options: Any) -> str:
    """``value`` as JSON; ``options`` are those of ``json.dumps``.

    Infinite doubles and NaN become the texts "Infinity", "-Infinity" and "NaN", as Jackson writes them.
    """
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_as_texts(value), allow_nan=False, **options)


def _as_texts(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        case dict():
            return {name: _as_texts(each) for name, each in value.items()}
        case list() | tuple():
            return [_as_texts(each) for each in value]
        case _:
            return value
