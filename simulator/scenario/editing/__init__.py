"""Edits of a scenario's text that leave comments and layout of everything else alone."""

from simulator.scenario.editing.edits import insert, move, remove, set_value
from simulator.scenario.editing.places import EditError
from simulator.scenario.editing.written import Plain, Value

__all__ = ["EditError", "Plain", "Value", "insert", "move", "remove", "set_value"]
