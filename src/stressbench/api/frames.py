"""Data frames of polars or pandas, whichever is installed."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Library: TypeAlias = Literal["polars", "pandas"]
"""The library that data frames are made with."""
LIBRARIES: tuple[Library, ...] = ("polars", "pandas")
"""In the order in which they are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """Values of one column, shape (rows,), and which of them are unknown, shape (rows,)."""

    values: NDArray[Any]
    unknown: NDArray[np.bool_]


def column(values: ArrayLike, *, unknown: ArrayLike | None = None) -> Column:
    """A column of an array. Not-a-number is unknown; other unknown values are those that `unknown` marks."""
    array = np.asarray(values)
    if unknown is not None:
        return Column(values=array, unknown=np.asarray(unknown, dtype=bool))
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)
    return Column(values=array, unknown=missing)


def column_of(values: list[Any], *, dtype: type[Any]) -> Column:
    """A column of Python values of one type, None where a value is unknown."""
    filler = "" if dtype is str else dtype()
    return Column(
        values=np.array(
            [filler if value is None else value for value in values], dtype=object if dtype is str else dtype
        ),
        unknown=np.array([value is None for value in values], dtype=bool),
    )


def default_library() -> Library:
    """The first of `LIBRARIES` that is installed. Raises ImportError where none is."""
    for name in LIBRARIES:
        if find_spec(name) is not None:
            return name
    raise ImportError("data frames need polars or pandas: pip install polars")


def data_frame(columns: Mapping[str, Column], *, library: Library | None = None) -> Any:
    """A `polars.DataFrame` or a `pandas.DataFrame`; unknown values are null (polars) or NA (pandas).

    `library` chooses one; by default it is `default_library()`. Raises ImportError where that library is not
    installed, and ValueError for another name.
    """
    chosen = default_library() if library is None else library
    if chosen == "polars":
        return _polars_frame(columns)
    if chosen == "pandas":
        return _pandas_frame(columns)
    raise ValueError(f"library: '{chosen}' is not one of {', '.join(LIBRARIES)}")


def _polars_frame(columns: Mapping[str, Column]) -> Any:
    polars = import_module("polars")
    texts = {name for name, one in columns.items() if one.values.dtype.kind in "OU"}
    series = [
        polars.Series(name, one.values.tolist(), dtype=polars.String)
        if name in texts
        else polars.Series(name, one.values)
        for name, one in columns.items()
    ]
    frame = polars.DataFrame(series)
    masked = {name: polars.Series(one.unknown) for name, one in columns.items() if one.unknown.any()}
    return frame.with_columns(
        polars.when(mask).then(None).otherwise(polars.col(name)).alias(name) for name, mask in masked.items()
    )


def _pandas_frame(columns: Mapping[str, Column]) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame({name: _pandas_array(pandas, one) for name, one in columns.items()})


def _pandas_array(pandas: Any, one: Column) -> Any:
    match one.values.dtype.kind:
        case "i" | "u":
            return pandas.arrays.IntegerArray(one.values.astype(np.int64), one.unknown)
        case "b":
            return pandas.arrays.BooleanArray(one.values, one.unknown)
        case "f":
            return np.where(one.unknown, np.nan, one.values)
        case _:
            values = [None if missing else value for value, missing in zip(one.values, one.unknown, strict=True)]
            return pandas.array(values, dtype="string")
