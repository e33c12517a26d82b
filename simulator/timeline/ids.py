"""The ids of things. A key stands in them as JSON, so that ``1``, ``"1"`` and ``true`` are three things."""

import json
from functools import lru_cache

from simulator.values.key import Key, plain_key
from simulator.values.window import Namespace, SideNamespace, TimeWindow, Window


@lru_cache(maxsize=4096)
def key_token(key: Key) -> str:
    """``key`` as JSON."""
    return json.dumps(plain_key(key), ensure_ascii=False)


def _scope(key: Key, namespace: Namespace) -> str:
    if namespace is None:
        return key_token(key)
    if isinstance(namespace, SideNamespace):
        return f"{key_token(key)}|{namespace.side}"
    start, end = ("" if bound is None else bound for bound in namespace)
    return f"{key_token(key)}|{start}|{end}"


def record_id(item: int) -> str:
    """The record that is stream item ``item``."""
    return f"record:{item}"


def channel_id(input: str, channel: int) -> str:
    """An upstream channel."""
    return f"channel:{input}:{channel}"


def window_id(key: Key, window: Window) -> str:
    """A window of a key."""
    return f"window:{_scope(key, window)}"


def state_id(state: str, key: Key, namespace: Namespace) -> str:
    """An entry of keyed state."""
    return f"state:{state}|{_scope(key, namespace)}"


def holder_id(key: Key, state_window: Window) -> str:
    """What contents and the window that shows them are joined by."""
    return f"holder:{_scope(key, state_window)}"


def timer_id(domain: str, timestamp: int, key: Key, namespace: Namespace) -> str:
    """A timer; a second one with all of these is the same timer."""
    return f"timer:{domain}|{timestamp}|{_scope(key, namespace)}"


def bounds(namespace: Namespace) -> dict[str, int | None]:
    """The columns ``start`` and ``end``."""
    if isinstance(namespace, TimeWindow):
        return {"start": namespace.start, "end": namespace.end}
    return {"start": None, "end": None}
