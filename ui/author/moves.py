"""Files of the author's folder under other names: rename, duplicate, delete and restore.

A deleted file lies in ``.trash`` of the folder, under the moment of its deletion and its name. All of it holds the
folder's lock, and nothing is ever written over another file.
"""

import os
import re
import time
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import tomlkit
from tidemark.simulator.words import words
from tidemark.ui.author import moves, store
from tidemark.ui.catalogue.lessons_file import FILE
from tidemark.ui.server.on_disk import folded
from tomlkit.exceptions import TOMLKitError

# Changes to the text of ``lessons.toml`` that keep its comments, its layout and what Tidemark does not know.

LISTS: Final = ("scenarios", "lab", "onward")
"""The members whose texts are names of scenarios; ``onward`` may hold tables with a ``scenario``, too."""


def renamed(text: str, old: str, new: str) -> str:
    """``text`` with the scenario ``old`` called ``new`` wherever it is named; unchanged if it cannot be read."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return text
    _each_name(document, lambda name: new if name == old else name)
    return tomlkit.dumps(document)


def _each_name(table: MutableMapping[str, Any], change: Callable[[str], str]) -> None:
    for key, value in table.items():
        if isinstance(value, MutableMapping):
            _each_name(value, change)
        elif isinstance(value, MutableSequence):
            for place, each in enumerate(value):
                if isinstance(each, MutableMapping):
                    if key == "onward" and isinstance(each.get("scenario"), str):
                        each["scenario"] = _kept(str(each["scenario"]), each["scenario"], change)
                    _each_name(each, change)
                elif key in LISTS and isinstance(each, str) and change(str(each)) != str(each):
                    value[place] = change(str(each))


def _kept(name: str, there: Any, change: Callable[[str], str]) -> Any:
    """The new name, or the very value that is there, in its own notation, where nothing changes."""
    return change(name) if change(name) != name else there


TRASH: Final = ".trash"
_DELETED: Final = re.compile(r"(\d{13})-([a-z0-9-]{1,100})\.yaml")
RECORDED: Final = ".flink.jsonl"
"""The ending of the rows that Flink has produced for a scenario; they go with its name."""


def rename(name: str, new: str) -> str:
    """Give the scenario ``name`` the name ``new``, in its text, its recording and ``lessons.toml``; returns its digest.

    Raises ``StoreError`` if there is none, if the new name is taken, or if the system refuses a part of it: then
    everything is as it was. The old file goes last, so a server that is killed leaves both.
    """
    path, there = store.path_of(name), store.path_of(new)
    with store.told(path), store.locked(path.parent):
        text = _text(path)
        _free(there)
        data = store.bytes_of(store.named(text, new))
        lessons = path.parent / FILE
        order = store.read(lessons)
        with ExitStack() as undo:
            store.replace(there, data)
            undo.callback(there.unlink, missing_ok=True)
            if order is not None:
                changed = renamed(store.text_of(order, lessons), name, new).encode()
                if changed != order:
                    store.replace(lessons, changed)
                    undo.callback(store.replace, lessons, order)
            recorded, follows = path.with_name(f"{name}{RECORDED}"), there.with_name(f"{new}{RECORDED}")
            if recorded.is_file() and not follows.exists():
                recorded.rename(follows)
                undo.callback(follows.rename, recorded)
            path.unlink()
            undo.pop_all()
        store.flush(path.parent)
    return store.digest_of(data)


def duplicate(name: str, new: str = "") -> str:
    """Copy the scenario ``name`` to ``new``, by default to the next free number; returns the copy's name."""
    path = store.path_of(name)
    with store.told(path), store.locked(path.parent):
        text = _text(path)
        new = new or store.free_name(name, _taken(path.parent))
        there = store.path_of(new)
        _free(there)
        store.replace(there, store.bytes_of(store.named(text, new)))
    return new


def delete(name: str) -> str:
    """Move the scenario ``name`` to the trash and return what ``restore`` needs."""
    path = store.path_of(name)
    with store.told(path), store.locked(path.parent):
        if store.read(path) is None:
            raise store.StoreError(words("saving.no_such_file", file=path.name))
        trash = path.parent / TRASH
        trash.mkdir(exist_ok=True)
        _no_link(trash)
        moment = int(time.time() * 1000)
        while (trash / f"{moment}-{name}.yaml").exists():
            moment += 1
        os.rename(path, trash / f"{moment}-{name}.yaml")
        store.flush(trash)
        store.flush(path.parent)
    return f"{moment}-{name}"


def deleted() -> list[dict[str, Any]]:
    """{id, name, when} of the files in the trash, the last deleted one first; ``when``: ms since 1970."""
    chosen = store.folder()
    trash = None if chosen is None else chosen / TRASH
    if trash is None or not trash.is_dir() or trash.is_symlink():
        return []
    found = [_DELETED.fullmatch(each.name) for each in trash.iterdir() if each.is_file() and not each.is_symlink()]
    ids = [{"id": each[0].removesuffix(".yaml"), "name": each[2], "when": int(each[1])} for each in found if each]
    return sorted(ids, key=lambda each: -each["when"])


def restore(trashed: str) -> str:
    """Bring a deleted file back and return its name: with the next free number if the old one is taken."""
    found = _DELETED.fullmatch(f"{trashed}.yaml")
    if found is None:
        raise store.StoreError(words("saving.not_in_trash"))
    chosen = store.folder_now()
    trash = chosen / TRASH
    lying = trash / found[0]
    with store.told(lying), store.locked(chosen):
        _no_link(trash)
        data = store.read(lying)
        if data is None:
            raise store.StoreError(words("saving.not_in_trash"))
        taken = _taken(chosen)
        name = store.free_name(found[2], taken) if found[2] in taken else found[2]
        there = store.path_of(name)
        _free(there)
        if name != found[2]:
            store.replace(there, store.bytes_of(store.named(store.text_of(data, lying), name)))
            lying.unlink()
        else:
            os.rename(lying, there)
        store.flush(chosen)
        store.flush(trash)
    return name


def _text(path: Path) -> str:
    data = store.read(path)
    if data is None:
        raise store.StoreError(words("saving.no_such_file", file=path.name))
    return store.text_of(data, path)


def _taken(where: Path) -> set[str]:
    return {folded(path.stem) for path in where.iterdir() if folded(path.suffix) in (".yaml", ".json")}


def _free(path: Path) -> None:
    store.alone(path)
    if os.path.lexists(path):
        raise store.StoreError(words("saving.taken", file=path.name))


def _no_link(trash: Path) -> None:
    if trash.is_symlink():
        raise store.StoreError(words("saving.link", file=trash.name))


# What a page asks of the author's folder besides saving: rename, duplicate, delete, restore.

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
