"""Files that commands write in addition to their printed output, such as the page of `--report FILE.html`."""

from pathlib import Path

from stressbench.experiments.progress import Progress
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output

_OPTION = "--report"


def check_report_page(path: Path | None) -> None:
    """Raise LaunchMistake where no page can be written to `path`. An existing page will be replaced."""
    check_text_file(path, endings=(".html",), option=_OPTION)


def check_text_file(path: Path | None, *, endings: tuple[str, ...], option: str) -> None:
    """Raise LaunchMistake where no file can be written to `path`. An existing file will be replaced."""
    if path is not None:
        check_output(path, endings=endings, replace=True, option=option)


def write_report_page(path: Path, page: str, *, progress: Progress) -> None:
    """Write the HTML text and report the file. Raises LaunchMistake."""
    write_text_file(path, page, option=_OPTION, progress=progress)


def write_text_file(path: Path, text: str, *, option: str, progress: Progress) -> None:
    """Write the text and report the file. Raises LaunchMistake."""
    try:
        write_output(path, text)
    except OSError as fault:
        raise LaunchMistake(f"{option}: {path}: {reason_of(fault)}") from fault
    progress(f"wrote {path}")
