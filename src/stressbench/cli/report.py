"""`stressbench report`: run files to one HTML page."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.model import RunFileError, read_run
from stressbench.model.errors import reason_of

_HELP = """\
Make one self-contained HTML page from one or more run files.

The page says in words, figures and tables how much each job was slowed, where it ran, and how to repeat the run. It
needs neither JavaScript nor a network, prints well, and an incomplete run is shown as far as it got.

\b
Examples:
    stressbench report demo.jsonl
    stressbench report monday.jsonl friday.jsonl -o week.html
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN.jsonl...", help="Run files.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="REPORT.html", help="Default: the first run's name with .html."),
    ] = None,
) -> None:
    """Read all, then write; nothing is written when one cannot be read."""
    from stressbench.report.page import render  # takes a second to import, which other commands need not wait for

    target = output or runs[0].with_suffix(".html")
    try:
        if target in runs:
            raise OSError(0, "this would overwrite a run file", str(target))
        page = render([read_run(path) for path in runs])
        target.write_text(page, encoding="utf-8")
    except RunFileError as fault:
        _stop(str(fault))
    except OSError as fault:
        _stop(f"--output: {fault.filename}: {reason_of(fault)}")
    typer.echo(str(target))


def _stop(message: str) -> None:
    typer.echo(f"stressbench: {message}", err=True)
    raise typer.Exit(2)
