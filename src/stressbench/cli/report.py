"""`stressbench report`: run files to one HTML page, or to another format, and to files of numbers."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named, write_data
from stressbench.formats.run import read_run
from stressbench.report.run import FORMATS

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
    kind: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to tell it.")] = _PAGE,
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
    render = renderer_named(kind, FORMATS)
    target = output or (runs[0].with_suffix(".html") if kind == _PAGE else None)
    read = [read_run(path) for path in runs]
    print_or_write(render(read), target)
    if data is not None:
        from stressbench.report.export import export  # figures take a second to import

        write_data(lambda: export(read, data), data)
