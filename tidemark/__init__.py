"""The one name by which Python imports Tidemark: ``tidemark.simulator``, ``tidemark.spark_bridge``, ``tidemark.ui``.

In a wheel, in the archive for Spark's workers and in the browser they are folders of this one, and nothing else lies
at the top. In a checkout they lie beside it, so this package looks there as well.

What scripts and notebooks use lies at the top: ``tidemark.load("scenario.yaml").run().to_pandas()``. Each public name
is imported where it is first used, so that ``import tidemark`` takes no time and no library.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "1.0.0"

_CHECKOUT = Path(__file__).resolve().parents[1]

if (_CHECKOUT / "pyproject.toml").is_file():
    __path__ = [*__path__, str(_CHECKOUT)]

PUBLIC = {
    "Change": "ui.python.runs",
    "InputError": "ui.python.frames",
    "MissingExtra": "ui.extras",
    "Query": "ui.python.queries",
    "Reason": "ui.python.runs",
    "Run": "ui.python.runs",
    "Scenario": "ui.python.runs",
    "ScenarioError": "simulator.engine.values.errors",
    "Why": "ui.python.runs",
    "load": "ui.python.scenarios",
    "scenario": "ui.python.scenarios",
    "sql": "ui.python.queries",
    "sweep": "ui.python.sweeps",
}
"""The public names, and the module of each; ``__init__.pyi`` tells them to type checkers."""


def __getattr__(name: str) -> Any:
    if name == "spark":
        return import_module(f"{__name__}.spark")
    if name not in PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{PUBLIC[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*PUBLIC, "__version__", "spark"])
