"""The figures of a page as files: SVG, PNG and PDF, the data of each as CSV, and an index."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench import __version__
from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.figures import (
    INDEX,
    DataColumn,
    FigureData,
    FigureIndex,
    IndexedFigure,
    SourceFile,
    index_text,
    read_index,
)
from stressbench.formats.files import errors_naming, sha256_of, write_output
from stressbench.report.document import Block, Collapsible, DataFile, Document, Figure, Section
from stressbench.report.renderers.csv_ import csv_text
from stressbench.scratch_names import scratch_prefix

_UNITS = (
    ("_bits_per_s", "bit/s"), ("_bytes_per_s", "B/s"), ("_per_s", "1/s"), ("_bytes", "B"), ("_percent", "%"),
    ("_s", "s"),
)  # fmt: skip
"""Units by the ends of the names of columns, the longest first."""


@dataclass(frozen=True, kw_only=True)
class FigureOfPage:
    """A figure of a document with its data, the section that it is in, and the name of its files."""

    name: str
    section: str
    figure: Figure
    data: DataFile | None


def check_figure_folder(folder: Path, *, replace: bool) -> None:
    """Raise UserError unless `folder` is missing or empty, or with `replace` a directory. Changes nothing."""
    if folder.is_symlink():
        raise UserError(f"--figures: {folder} is a symbolic link; name the directory itself")
    try:
        if folder.exists() and not folder.is_dir():
            raise UserError(f"--figures: {folder} is not a directory; name a new one")
        if not replace and folder.exists() and any(folder.iterdir()):
            remedy = "name a new directory, or add --force to replace figures in it"
            raise UserError(f"--figures: {folder} has files; {remedy}")
    except OSError as fault:
        raise UserError(f"--figures: {folder}: {reason_of(fault)}") from fault


def write_figures(
    document: Document, folder: Path, *, sources: Iterable[Path], source_of: Mapping[str, Path] | None = None,
    replace: bool = False,
) -> tuple[Path, ...]:  # fmt: skip
    """Write the files of all figures of a page to `folder`, and an index; return the paths, the index last.

    `sources` are the files that the page was made from, `source_of` that of each section that was made from one. A new
    directory appears as a whole. With `replace`, files in an existing one are replaced one by one, and those of an
    earlier index that are no more written are removed. Raises UserError for other directories, OSError if a file
    cannot be read or written.
    """
    check_figure_folder(folder, replace=replace)
    contents: dict[str, str | bytes] = {}
    figures = figures_of_page(document)
    indexed = []
    for one in figures:
        source = None if source_of is None else source_of.get(one.section)
        indexed.append(_indexed(one, source=None if source is None else str(source)))
        contents |= _files_of(one)
    index = FigureIndex(
        program=f"stressbench {__version__}", title=document.title, figures=tuple(indexed),
        sources=tuple(SourceFile(path=str(path), sha256=sha256_of(path)) for path in dict.fromkeys(sources)),
    )  # fmt: skip
    contents[INDEX] = index_text(index)
    with errors_naming(folder):
        if folder.is_dir() and any(folder.iterdir()):
            _replace(folder, contents)
        else:
            _create(folder, contents)
    return tuple(folder / name for name in contents)


def figures_of_page(document: Document) -> tuple[FigureOfPage, ...]:
    """The figures of a document in their order, each with its data.

    The data of figures are those that follow them at once, or else the last ones above them in the section that do not
    follow a figure. With one section, the section's key is no part of the names.
    """
    several = len(document.sections) > 1
    return tuple(
        FigureOfPage(
            name=figure.key if several else figure.key.removeprefix(f"{section.key}-"), section=section.key,
            figure=figure, data=data,
        )
        for section in document.sections
        for figure, data in _figures_in(section)
    )  # fmt: skip


def _figures_in(section: Section) -> tuple[tuple[Figure, DataFile | None], ...]:
    found: list[tuple[Figure, DataFile | None]] = []
    waiting: list[int] = []
    above: DataFile | None = None
    for block in _flat(section.blocks):
        match block:
            case Figure():
                waiting.append(len(found))
                found.append((block, above))
            case DataFile() if waiting:
                found = [(figure, block if at in waiting else data) for at, (figure, data) in enumerate(found)]
            case DataFile():
                above = block
        if not isinstance(block, Figure):
            waiting = []
    return tuple(found)


def _flat(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Collapsible):
            yield from _flat(block.blocks)
        else:
            yield block


def _files_of(one: FigureOfPage) -> dict[str, str | bytes]:
    from stressbench.report.drawing import IMAGE_KINDS, image  # figures take a second to import

    contents: dict[str, str | bytes] = {f"{one.name}.{kind}": image(one.figure, kind) for kind in IMAGE_KINDS}
    if one.data is not None:
        contents[f"{one.name}.csv"] = csv_text(one.data.head, one.data.rows)
    return contents


def _indexed(one: FigureOfPage, *, source: str | None) -> IndexedFigure:
    from stressbench.report.drawing import IMAGE_KINDS, size_in

    width_in, height_in = size_in(one.figure)
    return IndexedFigure(
        name=one.name, title=one.figure.title, caption=one.figure.caption, description=one.figure.description,
        width_in=width_in, height_in=height_in, files={kind: f"{one.name}.{kind}" for kind in IMAGE_KINDS},
        data=None if one.data is None else _data_of(one.name, one.data), source=source,
    )  # fmt: skip


def _data_of(name: str, data: DataFile) -> FigureData:
    columns = tuple(DataColumn(name=head, unit=_unit_of(head)) for head in data.head)
    return FigureData(file=f"{name}.csv", rows=len(data.rows), columns=columns)


def _unit_of(head: str) -> str | None:
    return next((unit for end, unit in _UNITS if head.endswith(end)), None)


def _create(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Fill a temporary directory beside `folder`, which is missing or empty, and rename it."""
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    scratch = folder.absolute().parent / f"{scratch_prefix('figures')}{secrets.token_hex(4)}"
    scratch.mkdir()
    try:
        for name, content in contents.items():
            write_output(scratch / name, content)
        scratch.rename(folder.absolute())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _replace(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Replace files, without an index meanwhile."""
    before = read_index(folder)
    (folder / INDEX).unlink(missing_ok=True)
    for name in () if before is None else set(before.files) - contents.keys():
        if name == os.path.basename(name):  # noqa: PTH119  names of an index that somebody may have changed
            (folder / name).unlink(missing_ok=True)
    for name, content in contents.items():
        write_output(folder / name, content)
