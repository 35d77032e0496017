"""`stressbench study verify`: is a study as it was written?"""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.study.common import say, told
from stressbench.console import echo
from stressbench.study.packing import verify as check

_DIFFERS = 3
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
    with told():
        verdict = check(path)
    for complaint in verdict.complaints:
        say(complaint)
    if verdict.complaints:
        raise typer.Exit(_DIFFERS)
    echo(f"{path}: {verdict.right} files are as they were")
