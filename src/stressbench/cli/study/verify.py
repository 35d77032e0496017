"""`stressbench study verify`: is a study as it was written?"""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.console import echo, error
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.packing import verify as check

_HELP = """\
Check that nothing of a study is missing or changed: a pack, an unpacked one, or a study's directory.

Of a pack each file is compared with its SHA-256. Of a directory the runs that are done are compared with what the
manifest noted when they finished.

\b
Examples:
    stressbench study verify placement.tar.gz
    stressbench study verify placement

Exit status: 0 all is as it was, 2 there is no study to check, 3 something is missing or changed: a line each.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("verify", help=_HELP)(verify)


def verify(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A pack or a directory.", show_default=False)],
) -> None:
    """Check, tell."""
    verdict = check(path)
    for complaint in verdict.complaints:
        error(complaint)
    if verdict.complaints:
        raise typer.Exit(ExitStatus.fault)
    echo(f"{path}: {verdict.right} files are as they were")
