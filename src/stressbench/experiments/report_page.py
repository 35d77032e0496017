"""HTML pages that commands write in addition to their printed output (`--report FILE.html`)."""

from pathlib import Path

from stressbench.experiments.progress import Progress
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output

_OPTION = "--report"


def check_report_page(path: Path | None) -> None:
    """Raise LaunchMistake where no page can be written to `path`. An existing page will be replaced."""
    if path is not None:
        check_output(path, endings=(".html",), replace=True, option=_OPTION)


def write_report_page(path: Path, page: str, *, progress: Progress) -> None:
    """Write the HTML text and report the file. Raises LaunchMistake."""
    try:
        write_output(path, page)
    except OSError as fault:
        raise LaunchMistake(f"{_OPTION}: {path}: {reason_of(fault)}") from fault
    progress(f"wrote {path}")
