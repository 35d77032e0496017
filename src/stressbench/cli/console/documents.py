"""Output of documents, to standard output or to the files that options name."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stressbench.console import echo, note
from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.json_text import json_text
from stressbench.formats.toml import unknown_message
from stressbench.report.document import Document

Render = TypeVar("Render")


def renderer_named(name: str, known: Mapping[str, Render]) -> Render:
    """The renderer that --format names. Raises UserError."""
    if name not in known:
        raise UserError(f"--format: {unknown_message('format', name, tuple(known))}")
    return known[name]


def print_or_write(text: str, output: Path | None) -> None:
    """Print the text, or write it to the file of --output and print the file's name. Raises UserError."""
    if output is None:
        echo(text, nl=False)
        return
    try:
        write_output(output, text)
    except OSError as fault:
        raise UserError(f"--output: {output}: {reason_of(fault)}") from fault
    echo(str(output))


def write_junit(path: Path, document: Document) -> None:
    """Write the checks of a document to the file of --junit. Raises UserError."""
    from stressbench.report.renderers import render

    try:
        write_output(path, render("junit", document))
    except OSError as fault:
        raise UserError(f"--junit {path}: {reason_of(fault)}") from fault


def print_json(value: Any, kind: Any) -> None:
    """Print a value of the type `kind` as JSON."""
    echo(json_text(value, kind))


def write_data(export: Callable[[], Sequence[Path]], folder: Path) -> None:
    """Write the files of --data by `export`, and print their number and, if Parquet is not available, the reason.

    Raises UserError.
    """
    from stressbench.report.export import NO_PARQUET, has_parquet  # figures take a second to import

    try:
        files = export()
    except OSError as fault:
        raise UserError(f"--data: {fault.filename}: {reason_of(fault)}") from fault
    note(f"{folder} has {len(files)} files")
    if not has_parquet():
        note(NO_PARQUET)


def required_output(output: Path | None) -> Path:
    """The directory of -o. Raises UserError if it is not given: only a dry run needs none."""
    if output is None:
        raise UserError("-o/--output DIR is missing: name a directory for the measurements (only --dry-run needs none)")
    return output
