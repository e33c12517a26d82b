"""A method as one function, with the bodies of what it calls in place of the calls.

Theory of operation
-------------------
The engine is made of small parts: an operator asks an assigner, a state, a trigger, a timer service, and most of what
happens for a record is a call. Which parts these are is settled before the first record comes. So for a stream of
millions of records the loop over them is written out once more, by a program, from the functions that it would call:
one implementation of each operator, the one that people read, and no call for each step of it.

``inlined`` takes a bound method. Its object is known, and with it the parts that hang on attributes which never change
(``attributes``). A call of a method of such a part is replaced by that method's body, whose names are renamed; an
``if`` whose condition is known, such as whether there is a trace, is decided; a part's attribute that changes is still
read from the part, and written to it, each time. So everybody else sees the same objects in the same state, between
any two items.

What cannot be proved to be the same is left as a call: a function of another package, one without source, or whose
source is not what is loaded (``source``), a closure, a ``return`` from within a loop (``shape``), a part that is chosen
for each record. Nothing of this depends on the engine: these modules know Python, and nothing else.

=================  ====================================================================================
``attributes``     which attributes never change
``source``         a function's syntax tree
``shape``          a body in which each ``return`` comes last
``known``          what is known of an expression without running it
``scope``          a function that is being written out: what its names stand for
``expressions``    expressions, with what is known put in
``unread``         what nobody reads
``inliner``        statements and calls
=================  ====================================================================================
"""

import ast
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from tidemark.simulator.inlining.inliner import Inliner
from tidemark.simulator.inlining.shape import NotInlined

__all__ = ["inlined", "text_of"]


def inlined(method: Callable[..., Any], **known: Any) -> Callable[..., Any]:
    """``method`` as one function that takes the arguments which are not ``known``, in their order.

    ``method`` itself, with ``known`` filled in, where it cannot be written out: there is no source, or it is compiled.
    The parts that it works with may be in any state, but must be complete, and none may be exchanged afterwards.
    """
    try:
        inliner, node = _written_out(method, known)
    except NotInlined:
        return (lambda *others: method(*others, **known)) if known else method
    namespace = dict(inliner.constants.values)
    # The text is made of the package's own sources; the parts, and whatever a user has written, are objects in it.
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), f"<inlined {node.name}>", "exec"), namespace)
    function: Callable[..., Any] = namespace[node.name]
    return function


def text_of(method: Callable[..., Any], **known: Any) -> str:
    """The source that ``inlined`` compiles, for people. Raises ``NotInlined``."""
    return ast.unparse(ast.fix_missing_locations(_written_out(method, known)[1]))


def _written_out(method: Callable[..., Any], known: dict[str, Any]) -> tuple[Inliner, ast.FunctionDef]:
    if not isinstance(method, MethodType) or not isinstance(method.__func__, FunctionType):
        raise NotInlined
    inliner = Inliner(method.__func__.__module__.partition(".")[0])
    return inliner, inliner.whole(method.__func__, method.__self__, known)
