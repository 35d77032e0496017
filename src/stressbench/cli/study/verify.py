"""`stressbench study verify`: check that no file of a study is missing or changed."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.console import echo, error
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.packing import verify as check

_HELP = """\
Check that nothing in a study is missing or changed: a packed study, an unpacked one, or the directory of a study.

Each file of a packed study is compared with its SHA-256. In a directory, completed runs are compared with the checksums
that the manifest recorded when they finished.

\b
Examples:
    stressbench study verify placement.tar.gz
    stressbench study verify placement

Exit status: 0 nothing is missing or changed, 2 there is no study to check, 3 something is missing or changed (one line
each).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("verify", help=_HELP)(verify)


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="FILE|DIR", help="A packed study, or a directory.", show_default=False)
    ],
) -> None:
    """Check the study and print one line per difference, or the number of unchanged files."""
    verdict = check(path)
    for complaint in verdict.complaints:
        error(complaint)
    if verdict.complaints:
        raise typer.Exit(ExitStatus.fault)
    echo(f"{path}: {verdict.intact} files are unchanged")
