"""What a page asks of the author's folder besides saving: rename, duplicate, delete, restore."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.simulator.words import words
from tidemark.ui.author import moves, store

Row = dict[str, Any]


def filed(asked: Mapping[str, Any]) -> Row:
    """Do what ``asked`` {name, file, to} says and report {file, digest, deleted}. Raises ``StoreError``.

    ``file``: the scenario's name afterwards, "" if it was deleted; ``deleted``: what lies in the trash.
    """
    name = asked.get("name")
    act = ACTS.get(name) if isinstance(name, str) else None
    if act is None:
        raise store.StoreError(words("author.refused.unknown"))
    return {**act(str(asked.get("file", "")), str(asked.get("to", ""))), "deleted": moves.deleted()}


def _rename(file: str, to: str) -> Row:
    return {"file": to, "digest": moves.rename(file, to)}


def _duplicate(file: str, to: str) -> Row:
    return _opened(moves.duplicate(file, to))


def _delete(file: str, to: str) -> Row:
    moves.delete(file)
    return {"file": "", "digest": ""}


def _restore(file: str, to: str) -> Row:
    return _opened(moves.restore(file))


def _trash(file: str, to: str) -> Row:
    return {"file": "", "digest": ""}


def _opened(name: str) -> Row:
    return {"file": name, "digest": store.open_file(name)[1]}


ACTS: Final[Mapping[str, Callable[[str, str], Row]]] = {
    "rename": _rename,
    "duplicate": _duplicate,
    "delete": _delete,
    "restore": _restore,
    "trash": _trash,
}
