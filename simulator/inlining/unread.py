"""Locals that nobody reads: what a caller does not want, and what only served a branch that is gone."""

import ast
from collections.abc import Sequence

from tidemark.simulator.inlining.known import does_something


def without_unread(statements: list[ast.stmt]) -> list[ast.stmt]:
    """``statements`` without assignments to locals that are never read, where the value does nothing else."""
    while True:
        names = [node for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)]
        read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        remover = _Remover(read)
        statements = remover.block(statements)
        if not remover.removed:
            return statements


class _Remover:
    def __init__(self, read: set[str]) -> None:
        self.removed = False
        self._read = read

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        kept = []
        for each in statements:
            match each:
                case ast.Assign([ast.Name(name)], value) if name not in self._read and not does_something(value):
                    self.removed = True
                    continue
                case ast.If():
                    each.body, each.orelse = self.block(each.body) or [ast.Pass()], self.block(each.orelse)
                case ast.For() | ast.While():
                    each.body = self.block(each.body) or [ast.Pass()]
                case _:
                    pass
            kept.append(each)
        return kept
