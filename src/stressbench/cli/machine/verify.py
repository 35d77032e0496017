"""`stressbench machine verify`: check that a result and its run files have not changed, and agree."""

import typer

from stressbench.cli.options.machine import MachinePath
from stressbench.console import echo, error
from stressbench.exit_status import ExitStatus
from stressbench.experiments.machine.verifying import verify_machine

_HELP = """\
Check that neither a result nor the run files beside it have changed, and that its figures follow from them. A result
that was published without its run files is compared with its own checksum only.

\b
Examples:
    stressbench machine verify tiny
    stressbench machine verify machine.json

Exit status: 0 nothing has changed, 2 there is no result, or its content does not have its checksum, 3 run files are
missing or have changed, or figures do not follow from them (one line each).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("verify", help=_HELP)(verify)


def verify(path: MachinePath) -> None:
    """Check the result at `path` and print one line per difference, or the number of unchanged files."""
    verdict = verify_machine(path)
    for complaint in verdict.complaints:
        error(complaint)
    if verdict.complaints:
        raise typer.Exit(ExitStatus.fault)
    files = f"{verdict.intact} {'file is' if verdict.intact == 1 else 'files are'} unchanged"
    echo(f"{path}: {files}{f', and {verdict.figures} figures follow from them' if verdict.figures else ''}")
