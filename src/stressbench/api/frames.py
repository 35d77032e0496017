"""Data frames of polars or pandas, whichever is installed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from importlib.util import find_spec
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas
    import polars

    DataFrame: TypeAlias = polars.DataFrame | pandas.DataFrame

Library: TypeAlias = Literal["polars", "pandas"]
"""The library that implements the data frames."""
LIBRARIES: tuple[Library, ...] = ("polars", "pandas")
"""The libraries, in order of preference."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """Values of one column, shape (rows,), and which of them are unknown, shape (rows,)."""

    values: NDArray[Any]
    unknown: NDArray[np.bool_]


Columns: TypeAlias = Mapping[str, Column]
"""A table: columns of one length, by name."""
ColumnTypes: TypeAlias = Mapping[str, type[Any]]
"""Types of a table's columns, by name."""


def column(values: ArrayLike, *, unknown: ArrayLike | None = None) -> Column:
    """A column from an array. Unknown are the values that `unknown` marks or, without it, NaN."""
    array = np.asarray(values)
    if unknown is not None:
        return Column(values=array, unknown=np.asarray(unknown, dtype=bool))
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=bool)
    return Column(values=array, unknown=missing)


def column_of(values: list[Any], *, dtype: type[Any]) -> Column:
    """A column from Python values of one type; None is an unknown value."""
    filler = "" if dtype is str else dtype()
    return Column(
        values=np.array(
            [filler if value is None else value for value in values], dtype=object if dtype is str else dtype
        ),
        unknown=np.array([value is None for value in values], dtype=bool),
    )


def columns_of(rows: Sequence[Sequence[Any]], types: ColumnTypes) -> Columns:
    """A table from rows, which have a value of each type in `types`, or None."""
    return {
        name: column_of([row[number] for row in rows], dtype=dtype)
        for number, (name, dtype) in enumerate(types.items())
    }


def columns_of_records(records: Sequence[Any], kind: type[Any]) -> Columns:
    """A table from instances of the dataclass `kind`; the fields of nested dataclasses become columns as well."""
    hints = get_type_hints(kind)
    table: dict[str, Column] = {}
    for field in fields(kind):
        hint: Any = next((one for one in get_args(hints[field.name]) if one is not NoneType), hints[field.name])
        values = [getattr(record, field.name) for record in records]
        if isinstance(hint, type) and is_dataclass(hint):
            table |= columns_of_records(values, hint)
        elif issubclass(hint, Enum):
            table[field.name] = column_of([value.value for value in values], dtype=str)
        else:
            table[field.name] = column_of(values, dtype=hint)
    return table


def concatenated(tables: Sequence[Columns], types: ColumnTypes) -> Columns:
    """The rows of all tables, concatenated; all tables have the columns of `types`."""
    if not tables:
        return columns_of((), types)
    return {
        name: Column(
            values=np.concatenate([table[name].values for table in tables]),
            unknown=np.concatenate([table[name].unknown for table in tables]),
        )
        for name in types
    }


def default_library() -> Library:
    """The first of `LIBRARIES` that is installed. Raises ImportError if none is."""
    for name in LIBRARIES:
        if find_spec(name) is not None:
            return name
    raise ImportError("data frames need polars or pandas: pip install polars")


def data_frame(columns: Columns, *, library: Library | None = None) -> "DataFrame":
    """A `polars.DataFrame` or a `pandas.DataFrame`; unknown values are null (polars) or NA (pandas).

    `library` chooses one; by default it is `default_library()`. Raises ImportError if that library is not
    installed, and ValueError for another name.
    """
    chosen = default_library() if library is None else library
    if chosen == "polars":
        return _polars_frame(columns)
    if chosen == "pandas":
        return _pandas_frame(columns)
    raise ValueError(f"library: '{chosen}' is not one of {', '.join(LIBRARIES)}")


def _polars_frame(columns: Columns) -> "polars.DataFrame":
    import polars

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


def _pandas_frame(columns: Columns) -> "pandas.DataFrame":
    import pandas

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
