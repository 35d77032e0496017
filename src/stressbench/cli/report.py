"""`stressbench report`: run files to one HTML page, or to another format, and to files of numbers."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from stressbench.cli.console.documents import note_files
from stressbench.console import echo
from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.run import RunFileError, read_run
from stressbench.formats.toml import unknown
from stressbench.report.formats import NAMES, format_of

_PAGE = "html"
_HELP = """\
Make one self-contained HTML page from one or more run files.

The page says in words, figures and tables how much each job was slowed, where it ran, and how to repeat the run. It
needs neither JavaScript nor a network, prints well, and an incomplete run is shown as far as it got. Other formats tell
its tables on standard output; --data writes what its figures are drawn from as CSV, and as Parquet with pyarrow.

\b
Examples:
    stressbench report demo.jsonl
    stressbench report monday.jsonl friday.jsonl -o week.html
    stressbench report demo.jsonl --format md
    stressbench report demo.jsonl --format latex -o demo.tex
    stressbench report demo.jsonl --data numbers

Exit status: 0; 2 a file cannot be read or written, or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN.jsonl...", help="Run files.", show_default=False)],
    kind: Annotated[str, typer.Option("--format", metavar="|".join(NAMES), help="How to tell it.")] = _PAGE,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Default: the first run's name with .html; else standard output."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write what the figures are drawn from into this folder, too."),
    ] = None,
) -> None:
    """Read all, then write; nothing is written when one cannot be read."""
    if kind not in NAMES:
        _stop(f"--format: {unknown('format', kind, NAMES)}")
    target = output or (runs[0].with_suffix(".html") if kind == _PAGE else None)
    try:
        read = [read_run(path) for path in runs]
        text = format_of(kind)(read)
        if target is not None:
            write_output(target, text)
    except RunFileError as fault:
        _stop(str(fault))
    except OSError as fault:
        _stop(f"--output: {fault.filename}: {reason_of(fault)}")
    echo(text if target is None else f"{target}\n", nl=False)
    if data is not None:
        from stressbench.report.export import export  # figures take a second to import

        try:
            note_files(export(read, data), data)
        except OSError as fault:
            _stop(f"--data: {fault.filename}: {reason_of(fault)}")


def _stop(message: str) -> NoReturn:
    raise UserError(message)
