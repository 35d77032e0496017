"""Results as reports and as tables in a notebook."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import ParamSpec

from stressbench.console import escaped
from stressbench.formats.files import write_output

P = ParamSpec("P")


def report_text(
    formats: Mapping[str, Callable[P, str]], name: str, path: str | PathLike[str] | None,
    *values: P.args, **options: P.kwargs,
) -> str:  # fmt: skip
    """The report on `values` in the format `name`; also written to `path` unless it is None.

    Raises ValueError for an unknown format, and OSError if the file cannot be written.
    """
    if name not in formats:
        raise ValueError(f"format: '{name}' is not one of {', '.join(formats)}")
    text = formats[name](*values, **options)
    if path is not None:
        write_output(Path(path), text)
    return text


def html_table(
    caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, notes: Sequence[str] = ()
) -> str:  # fmt: skip
    """An HTML table whose first column names the rows, with notes below it; all texts are escaped."""
    header_cells = "".join(f"<th>{_escape_html(name)}</th>" for name in headers)
    body_rows = "".join(
        f"<tr><th>{_escape_html(first)}</th>{''.join(f'<td>{_escape_html(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    note_items = "".join(f"<li>{_escape_html(sentence)}</li>" for sentence in notes)
    return (
        f"<table><caption>{_escape_html(caption)}</caption><thead><tr>{header_cells}</tr></thead><tbody>{body_rows}</tbody></table>"
        + (f"<ul>{note_items}</ul>" if notes else "")
    )


def _escape_html(text: str) -> str:
    return escape(escaped(text))
