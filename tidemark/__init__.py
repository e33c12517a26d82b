"""The one name by which Python imports Tidemark: ``tidemark.simulator``, ``tidemark.spark_bridge``, ``tidemark.ui``.

In a wheel, in the archive for Spark's workers and in the browser they are folders of this one, and nothing else lies
at the top. In a checkout they lie beside it, so this package looks there as well.
"""

from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[1]

if (_CHECKOUT / "pyproject.toml").is_file():
    __path__ = [*__path__, str(_CHECKOUT)]
