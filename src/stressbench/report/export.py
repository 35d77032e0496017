"""Export of the data behind a report's figures: CSV, and Parquet if pyarrow is installed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stressbench.formats.files import new_output, write_output
from stressbench.formats.run import Run
from stressbench.report.document import DataFile
from stressbench.report.figures import data_files_of
from stressbench.report.renderers.csv_ import csv_text
from stressbench.report.run.section import section_of

NO_PARQUET = "pyarrow is not installed, so CSV only; for Parquet: pip install 'stressbench[parquet]'"


def export(runs: Sequence[Run], folder: Path) -> tuple[Path, ...]:
    """Write the data of all figures of `runs` to `folder`, which is created, and return the paths.

    Names of several runs get the prefixes `run1-`, `run2-` and so on. Raises OSError if a file cannot be written.
    """
    return write_tables(_tables(runs), folder)


def write_tables(tables: Iterable[DataFile], folder: Path) -> tuple[Path, ...]:
    """Write each table to `folder`, which is created, under its name. Raises OSError if a file cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for data_file in tables:
        path = folder / f"{data_file.name}.csv"
        write_output(path, csv_text(data_file.head, data_file.rows))
        paths.append(path)
        if has_parquet():
            paths.append(_write_parquet(data_file, folder / f"{data_file.name}.parquet"))
    return tuple(paths)


def has_parquet() -> bool:
    """Whether pyarrow, which writes Parquet, is installed."""
    return find_spec("pyarrow") is not None


def _tables(runs: Sequence[Run]) -> Iterator[DataFile]:
    for number, run in enumerate(runs, start=1):
        section = section_of(run, number=number)
        for data_file in data_files_of(section):
            yield data_file if len(runs) == 1 else replace(data_file, name=f"{section.key}-{data_file.name}")


def _write_parquet(data_file: DataFile, path: Path) -> Path:
    """Write a Parquet file with typed columns; a column that holds only None has type null."""
    arrow: Any = import_module("pyarrow")
    columns = dict(zip(data_file.head, map(list, zip(*data_file.rows, strict=True)), strict=True))
    with new_output(path) as file:
        import_module("pyarrow.parquet").write_table(arrow.table(columns), file)
    return path
