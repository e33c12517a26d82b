"""DataFrames: columns as plain values on the way in, rows of a run on the way out."""

import math
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, Literal

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.words import words
from tidemark.ui.extras import needs

if TYPE_CHECKING:
    import pandas as pd

Times = Literal["datetime", "ms"]

TIMES: Final = (
    "ts",
    "at",
    "start",
    "end",
    "timestamp",
    "watermark",
    "late_watermark",
    *(f"{side}.ts" for side in ("left", "right")),
)
"""The columns of rows that hold times (ms)."""

_CALENDAR: Final = (-62_135_596_800_000, 253_402_300_799_999)
"""The first and the last ms of the years 1 to 9999."""

_MS: Final = timedelta(milliseconds=1)

_NAMED: Final = 8
"""A message names so many columns."""


class InputError(ValueError):
    """A DataFrame, or another argument, is not what a call needs; the message says what, and how to change it.

    >>> import tidemark
    >>> tidemark.load("late-and-dropped").run().to_pandas(times="seconds")
    Traceback (most recent call last):
    ...
    tidemark.ui.python.frames.InputError: times is "datetime" or "ms", not seconds.
    """

    def __init__(self, word: str, **fields: object) -> None:
        super().__init__(
            words(f"python.{word}", language=None, **{name: shown_in_message(each) for name, each in fields.items()})
        )


def named(value: object) -> str:
    """An argument as a message shows it: plain values as they are written, of others the type."""
    return repr(value) if value is None or isinstance(value, str | int | float) else type(value).__name__


def whole_number(value: object) -> int | None:
    """``value`` if it is a whole number, also one of numpy's; else None. A boolean is none."""
    try:
        return None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def length_of(value: str | int | timedelta, name: str) -> int:
    """A length of time in ms: a text such as ``"5s"``, a ``timedelta``, or ms. ``name``: of the argument.

    Raises ``InputError``.
    """
    if isinstance(value, timedelta) and not value % _MS:
        return value // _MS
    found = parse_duration(value.strip()) if isinstance(value, str) else whole_number(value)
    if found is None:
        raise InputError("no_length", name=name, value=named(value) if isinstance(value, str) else value)
    return found


def lengths_of(values: Iterable[str | int | timedelta], name: str) -> list[int]:
    """Lengths of time in ms, each as ``length_of`` reads it. Raises ``InputError``."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError("no_list", name=name, found=named(values))
    return [length_of(each, f"each of {name}") for each in values]


class Frame:
    """The columns of a DataFrame, checked when they are asked for. At most ``most`` rows, or ``InputError``.

    ``records``: of pandas, or whatever has ``to_pandas`` (Arrow, Polars).
    """

    def __init__(self, records: Any, most: int) -> None:
        if hasattr(records, "toPandas"):  # Spark
            raise InputError("of_spark")
        count = getattr(records, "num_rows", None)
        self._require_few(len(records) if count is None and hasattr(records, "__len__") else count or 0, most)
        pandas = needs("pandas", "notebook")
        if not isinstance(records, pandas.DataFrame) and hasattr(records, "to_pandas"):
            records = records.to_pandas()
        if not isinstance(records, pandas.DataFrame):
            raise InputError("no_frame", found=type(records).__name__)
        self._frame, self._pandas = records, pandas
        self.names = [str(each) for each in records.columns]

    def __len__(self) -> int:
        return len(self._frame)

    @staticmethod
    def _require_few(count: int, most: int) -> None:
        if count > most:
            raise InputError("many_rows", count=f"{count:,}", most=f"{most:,}")

    def _column(self, name: str) -> Any:
        places = [place for place, each in enumerate(self.names) if each == name]
        if not places:
            known = ", ".join(self.names[:_NAMED]) + (", …" if len(self.names) > _NAMED else "")
            raise InputError("no_column", name=name, known=known)
        if len(places) > 1:
            raise InputError("column_twice", name=name, count=len(places))
        return self._frame.iloc[:, places[0]]

    def times(self, name: str) -> list[int]:
        """A column of times as ms since 1970: instants of any one time zone, or whole numbers of ms."""
        column, types = self._column(name), self._pandas.api.types
        missing = int(column.isna().sum())
        if missing:
            raise InputError("time_missing", name=name, count=missing, row=column.index[column.isna().argmax()])
        if isinstance(column.dtype, self._pandas.DatetimeTZDtype):
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        if types.is_datetime64_dtype(column.dtype):
            return [int(each) for each in column.to_numpy().astype("datetime64[ms]").astype("int64")]
        if types.is_bool_dtype(column.dtype) or not types.is_numeric_dtype(column.dtype):
            zones = {str(each.tzinfo) for each in column if isinstance(each, datetime)}
            if len(zones) > 1:
                raise InputError("zones", name=name, zones=", ".join(sorted(zones)))
            raise InputError("no_times", name=name, type=column.dtype)
        found = column.tolist()
        for place, each in enumerate(found):
            if not MIN < each < MAX:
                raise InputError("range", name=name, row=column.index[place])
            if each != int(each):
                raise InputError("no_times", name=name, type=column.dtype)
        return [int(each) for each in found]

    def keys(self, name: str) -> list[str | int | bool]:
        """A column of keys: texts, whole numbers or booleans."""
        found = self._of_one_kind(name, "keys", (str, int, bool))
        for place, each in enumerate(found):
            if each is None:
                raise InputError("key_missing", name=name, row=self._frame.index[place])
        return found

    def values(self, name: str, *, missing: bool) -> list[Any]:
        """A column of numbers or texts. ``missing``: there may be rows without a value, which have None."""
        found = self._of_one_kind(name, "values", (int, float, str))
        if None in found and not missing:
            raise InputError("value_missing", name=name, row=self._frame.index[found.index(None)])
        return found

    def _of_one_kind(self, name: str, what: str, allowed: tuple[type, ...]) -> list[Any]:
        found = [plain(each) for each in self._column(name).tolist()]
        if float not in allowed:
            found = _whole_again(found)
        kinds = {type(each) for each in found if each is not None}
        if kinds == {int, float}:
            kinds = {float}
        if len(kinds) > 1:
            raise InputError("mixed", name=name, kinds=", ".join(sorted(each.__name__ for each in kinds)))
        if kinds - set(allowed):
            raise InputError(f"no_{what}", name=name, kind=kinds.pop().__name__)
        for place, each in enumerate(found):
            if (isinstance(each, float) and math.isinf(each)) or (isinstance(each, int) and not MIN <= each <= MAX):
                raise InputError("beyond", name=name, row=self._frame.index[place], value=each)
        return found

    def lines(self) -> Iterator[dict[str, Any]]:
        """Each row as JSON: times as ISO 8601, what is missing as null."""
        columns = {name: _whole_again([plain(each) for each in self._column(name).tolist()]) for name in self.names}
        for place in range(len(self)):
            yield {name: _written(name, cells[place]) for name, cells in columns.items()}


def plain(cell: Any) -> Any:
    """A cell as a value of Python's own; None for NaN, NaT and pandas' NA."""
    if cell is None or isinstance(cell, (str, bool, int, Decimal)):
        return cell
    if isinstance(cell, float):
        return None if math.isnan(cell) else float(cell)
    if hasattr(cell, "item"):  # numpy, in a column of objects
        return plain(cell.item())
    return None if type(cell).__name__ in ("NAType", "NaTType") else cell


def _whole_again(cells: list[Any]) -> list[Any]:
    """Where a whole number is missing, pandas makes doubles of them all: here they are whole numbers again."""
    doubles = [each for each in cells if each is not None]
    if len(doubles) == len(cells) or not all(type(each) is float and each.is_integer() for each in doubles):
        return cells
    return [None if each is None else int(each) for each in cells]


def _written(name: str, cell: Any) -> Any:
    match cell:
        case datetime():
            return cell.isoformat(sep=" ", timespec="milliseconds")
        case date():
            return cell.isoformat()
        case Decimal():
            return str(cell)
        case None | str() | bool() | int() | float():
            return cell
        case _:
            raise InputError("no_cell", name=name, kind=type(cell).__name__)


def frame_of(rows: Iterable[Mapping[str, Any]], times: Times, columns: Sequence[str] = ()) -> "pd.DataFrame":
    """Rows as a DataFrame: a column for each member, ``value.name`` for a member of a value, ``key`` as categories.

    ``times``: ``"datetime"`` for ``datetime64[ms]`` in UTC, in which what no calendar has (the watermark at the end of
    the input) is NaT; ``"ms"`` for whole numbers. ``columns``: those that there are without a row.
    """
    if times not in ("datetime", "ms"):
        raise InputError("times", times=times)
    pandas = needs("pandas", "notebook")
    flat = [dict(_flat(row)) for row in rows]
    names = dict.fromkeys([*columns, *(name for row in flat for name in row)])
    found = {name: _series(pandas, name, [row.get(name) for row in flat], times) for name in names}
    return pandas.DataFrame(found, index=pandas.RangeIndex(len(flat)))


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, each in row.items():
        if isinstance(each, Mapping) and each:
            yield from _flat(each, f"{before}{name}.")
        else:
            yield before + name, each


def _series(pandas: Any, name: str, cells: list[Any], times: Times) -> Any:
    if name in TIMES:
        if times == "ms":
            return pandas.array(cells, dtype="Int64")
        low, high = _CALENDAR
        within = [each if each is not None and low <= each <= high else None for each in cells]
        return pandas.array(within, dtype="Int64").to_numpy(dtype="datetime64[ms]", na_value="NaT")
    kinds = Counter(type(each) for each in cells if each is not None)
    if name == "key":
        # 1, "1" and True are three keys, and to pandas 1 and True are the same category.
        return pandas.Categorical(cells if len(kinds) < 2 else list(map(repr, cells)))
    if set(kinds) == {int, float}:
        kinds = Counter((float,))
    types = {int: "Int64" if None in cells else "int64", bool: "boolean" if None in cells else "bool", float: "float64"}
    return pandas.Series(cells, dtype=types.get(next(iter(kinds)), object) if len(kinds) == 1 else object)
