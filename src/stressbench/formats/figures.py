"""The index of a directory of figures: figures.json."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError
from pydantic.dataclasses import dataclass

from stressbench.formats.files import BoundedValidator, limits, read_bytes
from stressbench.formats.json_text import json_text

INDEX = "figures.json"


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file from which figures were made: its path as the command got it, and its SHA-256 in hexadecimal."""

    path: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class DataColumn:
    """A column of a CSV file; `unit` is null for texts and for numbers without a unit."""

    name: str
    unit: str | None


@dataclass(frozen=True, kw_only=True)
class FigureData:
    """The CSV file with the data of a figure."""

    file: str
    rows: int
    columns: tuple[DataColumn, ...]


@dataclass(frozen=True, kw_only=True)
class IndexedFigure:
    """One figure. `files` are the names of its files in the directory by format; `data` is null if there is none.

    `caption` says how to read it, `description` what it shows, in words. `source` is the path of the file that it was
    made from, null if it was made from all sources.
    """

    name: str
    title: str
    caption: str
    description: str
    width_in: float
    height_in: float
    files: Mapping[str, str]
    data: FigureData | None
    source: str | None


@dataclass(frozen=True, kw_only=True)
class FigureIndex:
    """All figures of a directory, in the order of the page that they belong to, and the files they were made from."""

    schema_version: int = 1
    program: str
    title: str
    sources: tuple[SourceFile, ...]
    figures: tuple[IndexedFigure, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that the index lists."""
        return tuple(
            name
            for figure in self.figures
            for name in (*figure.files.values(), *(() if figure.data is None else (figure.data.file,)))
        )


_VALIDATOR: BoundedValidator[FigureIndex] = BoundedValidator(FigureIndex)


def index_text(index: FigureIndex) -> str:
    """The content of figures.json."""
    return json_text(index, FigureIndex) + "\n"


def read_index(folder: Path) -> FigureIndex | None:
    """The index of a directory of figures; None if it has none, or one that cannot be read."""
    try:
        return _VALIDATOR.validate_json(read_bytes(folder / INDEX, limit=limits.OUTPUT))
    except (OSError, ValidationError):
        return None
