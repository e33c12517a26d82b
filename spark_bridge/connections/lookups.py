"""What PySpark's names mean in Java, looked up once.

Py4J asks Java each time a name is used: two requests for every function of an expression, more than a thousand for one
check. Yet a class and its static methods do not change as long as Java runs.
"""

from typing import Any

from pyspark import SparkContext

_ASKED_FOR = ("functions", "org.apache.spark.sql.functions", "PythonUtils")
"""The classes by the names that PySpark uses."""


class Known:
    """A class of Java that remembers the static methods it was asked for."""

    def __init__(self, java_class: Any) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._java_class, name)
        setattr(self, name, found)
        return found


def remember_lookups(context: SparkContext) -> None:
    """Make PySpark look up its most frequent names only once for this Java."""
    for name in _ASKED_FOR:
        setattr(context._jvm, name, Known(getattr(context._jvm, name)))
