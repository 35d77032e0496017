"""Results as documents: reports in every format, and fragments of HTML in a notebook."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import ClassVar, Generic, ParamSpec, TypeVar

from stressbench.formats.files import write_output
from stressbench.formats.json_text import json_text
from stressbench.report.document import Cell, Column, Document, Note, Notes, Section, Table
from stressbench.report.names import printable
from stressbench.report.renderers import formats, render

P = ParamSpec("P")
Data = TypeVar("Data")


class Reported(Generic[Data]):
    """Results with one document. `data` holds all of them as values; times are in seconds, unknown values are None."""

    _without: ClassVar[tuple[str, ...]] = ("csv", "latex")
    """Formats for which the document has no content."""

    def __init__(self, data: Data, *, sources: Iterable[Path] = ()) -> None:
        self.data = data
        self._sources = tuple(sources)

    def _brief(self) -> Document:
        """The document for formats without figures."""
        raise NotImplementedError

    def _title(self) -> str:
        """The title of documents that have none of their own."""
        return ""

    def _page(self) -> Document:
        """The document of an HTML page."""
        return self._brief()

    def report(self, path: str | PathLike[str] | None = None, *, format: str = "text") -> str:  # noqa: A002  as --format
        """The results as `text`, `md`, `html` or `json`, and where there are tables of numbers as `csv` and `latex`.

        The text is also written to `path` if given. Raises ValueError for an unknown format, and OSError if the file
        cannot be written.
        """
        known = titled_formats(brief=self._brief, page=self._page, title=self._title(), without=self._without)
        if is_dataclass(self.data):
            known["json"] = self._json  # as --json prints it
        return report_text(known, format, path)

    def figures(self, directory: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the figures of the HTML page into a new directory, and return the paths of the files.

        Each figure is an SVG, a PNG and a PDF, with its data as CSV; figures.json lists them. With `force`, figures in
        an existing directory are replaced. Raises `stressbench.StressBenchError` for another directory, and OSError if
        a file cannot be written.
        """
        return figure_files(self._page(), directory, sources=self._sources, force=force)

    def _json(self) -> str:
        return json_text(self.data, type(self.data)) + "\n"

    def _repr_html_(self) -> str:
        """The results for notebooks."""
        return render("html_fragment", _titled(self._brief(), self._title()))


def figure_files(
    page: Document, directory: str | PathLike[str], *, sources: Iterable[Path], force: bool,
    source_of: Mapping[str, Path] | None = None,
) -> tuple[Path, ...]:  # fmt: skip
    """Write the figures of a page into a directory, as `Reported.figures` does, and return the paths of the files.

    `source_of`: the source of each section of the page that is made from one.
    """
    from stressbench.report.figure_files import write_figures

    return write_figures(page, Path(directory), sources=sources, source_of=source_of, replace=force)


def titled_formats(
    *, brief: Callable[[], Document], page: Callable[[], Document], title: str, without: Sequence[str] = ()
) -> dict[str, Callable[[], str]]:
    """Renderers by format. Documents without a title get this one, except as text, which is as commands print it."""
    made = formats(brief=lambda: _titled(brief(), title), page=lambda: _titled(page(), title), without=without)
    return {**made, "text": lambda: render("text", brief())}


def _titled(document: Document, title: str) -> Document:
    """The document itself if it has a title, or else with `title`, as one section unless its sections have titles."""
    if document.title or not title:
        return document
    sections = document.sections
    if not any(section.title for section in sections):
        sections = (Section(blocks=tuple(block for section in sections for block in section.blocks)),)
    return replace(document, title=printable(title), sections=sections)


def report_text(
    known: Mapping[str, Callable[P, str]], name: str, path: str | PathLike[str] | None,
    *values: P.args, **options: P.kwargs,
) -> str:  # fmt: skip
    """The report on `values` in the format `name`; also written to `path` unless it is None.

    Raises ValueError for an unknown format, and OSError if the file cannot be written.
    """
    if name not in known:
        raise ValueError(f"format: '{name}' is not one of {', '.join(known)}")
    text = known[name](*values, **options)
    if path is not None:
        write_output(Path(path), text)
    return text


def notebook_table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, notes: Sequence[str] = ()
) -> str:  # fmt: skip
    """HTML of a table whose first column names the rows, with notes below it."""
    table = Table(columns=tuple(columns), rows=tuple(map(tuple, rows)), caption=caption)
    warnings = (Notes(notes=tuple(Note(text=sentence) for sentence in notes), title=""),) if notes else ()
    return render("html_fragment", Document(title="", sections=(Section(blocks=(table, *warnings)),)))
