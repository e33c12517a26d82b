"""Which attributes of an object stay as they are: those that only ``__init__`` sets.

Python has no word for it that it would keep, so the compiled functions of a package are asked: each of their
instructions that stores an attribute is looked at, once for all. ``setattr`` is not seen.
"""

import sys
from collections.abc import Iterator
from dis import opmap
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

MAKES: Final = ("__init__", "__new__", "__post_init__")
"""Methods that set the attributes of an object which is still being made."""

STORE, DELETE, LOAD = opmap["STORE_ATTR"], opmap["DELETE_ATTR"], opmap["LOAD_ATTR"]
EXTENDED, CACHE = opmap["EXTENDED_ARG"], opmap["CACHE"]
COPY, SWAP = (opmap["COPY"], 1), (opmap["SWAP"], 2)
FIRST_LOCAL = (opmap["LOAD_FAST"], 0), (opmap["LOAD_DEREF"], 0)
"""How the first argument is loaded; in the second way if a function within uses it, too."""
LOADED_NAME: Final = 1 if sys.version_info >= (3, 12) else 0
"""How many bits of the argument of ``LOAD`` say something else than which name it is."""

Changing = tuple[set[str], dict[type, set[str]]]
"""Names that are stored on any object, and by class those that its methods store on ``self``."""


def is_final(target: Any, name: str, package: str) -> bool:
    """Whether ``target.name`` is what it is for good, as far as ``package`` is concerned.

    A name that some function of the package stores counts as changing, on objects of whatever class; ``self.name = …``
    in a method counts for objects of its class alone. A property has no value for good either.
    """
    kind = type(target)
    if isinstance(getattr(kind, name, None), property):
        return False
    modules = frozenset(each for name, each in list(sys.modules.items()) if name.partition(".")[0] == package)
    anywhere, on_self = _changing(modules)
    return name not in anywhere and not any(name in on_self.get(each, ()) for each in kind.__mro__)


@lru_cache(maxsize=1)
def _changing(modules: frozenset[ModuleType]) -> Changing:
    """What the functions of ``modules`` store outside of ``MAKES``."""
    anywhere: set[str] = set()
    on_self: dict[type, set[str]] = {}
    for module in modules:
        for value in list(vars(module).values()):
            if isinstance(value, FunctionType):
                anywhere.update(name for code in _codes(value.__code__) for name, _ in _stored(code))
            elif isinstance(value, type) and value.__module__ == module.__name__:
                own = on_self.setdefault(value, set())
                for method, function in _functions(value):
                    for code in _codes(function.__code__):
                        for name, on_first in _stored(code):
                            if method is None or not on_first or code is not function.__code__:
                                anywhere.add(name)
                            elif method not in MAKES:
                                own.add(name)
    return anywhere, on_self


def _functions(kind: type) -> Iterator[tuple[str | None, FunctionType]]:
    """The functions of a class by the name of the method; None where the first argument is no object of the class."""
    for name, value in list(vars(kind).items()):
        parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
        for part in parts:
            function = getattr(part, "__func__", part)
            if isinstance(function, FunctionType):
                yield (name if function is part else None), function


def _codes(code: CodeType) -> Iterator[CodeType]:
    """``code`` and that of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _stored(code: CodeType) -> Iterator[tuple[str, bool]]:
    """Each attribute that ``code`` stores, and whether it is surely one of its first argument.

    The argument is loaded right before the store, or, for ``self.name += …``, copied before the attribute is loaded.
    """
    instructions = code.co_code
    if STORE not in instructions and DELETE not in instructions:
        return
    extended, before = 0, [(CACHE, 0)] * 2
    copied: set[int] = set()
    for operation, low in zip(instructions[::2], instructions[1::2], strict=True):
        argument = low | extended
        if operation in (STORE, DELETE):
            on_first = before[-1] in FIRST_LOCAL or (before[-1] == SWAP and argument in copied)
            yield code.co_names[argument], on_first and code.co_argcount > 0
        elif operation == LOAD and before[0] in FIRST_LOCAL and before[1] == COPY:
            copied.add(argument >> LOADED_NAME)
        extended = argument << 8 if operation == EXTENDED else 0
        if operation != CACHE:
            before = [before[-1], (operation, argument)]
