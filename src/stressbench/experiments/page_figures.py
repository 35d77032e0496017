"""The figures of a page, which commands write as files with `--figures DIR`."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.progress import Progress
from stressbench.formats.errors import reason_of
from stressbench.report.document import Document


def write_page_figures(
    page: Document, folder: Path, *, sources: Iterable[Path], source_of: Mapping[str, Path] | None = None,
    replace: bool, progress: Progress,
) -> None:  # fmt: skip
    """Write the figures of the page into `folder`, as `write_figures` does, and report their number.

    Raises UserError.
    """
    from stressbench.report.figure_files import write_figures  # figures take a second to import

    try:
        files = write_figures(page, folder, sources=sources, source_of=source_of, replace=replace)
    except OSError as fault:
        raise UserError(f"--figures: {fault.filename}: {reason_of(fault)}") from fault
    progress(f"{folder} has {len(files)} files")
