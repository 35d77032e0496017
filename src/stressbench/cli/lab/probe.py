"""`stressbench lab probe`: test whether labs work on this machine."""

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.exit_status import ExitStatus
from stressbench.labs.capabilities import capabilities
from stressbench.labs.status import Capability
from stressbench.report.labs import probe_document
from stressbench.report.renderers.text import show

_HELP = """\
Test whether this machine offers what labs need, as the current user, and print the remedy for what is missing.

Exit status: 0 labs work here, 3 something that every lab needs is missing.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("probe", help=_HELP)(probe)


def probe(as_json: LabAsJson = False) -> None:
    """Print one line per requirement of labs, and exit with 3 if a mandatory one is not met."""
    results = capabilities()
    if as_json:
        print_json(results, tuple[Capability, ...])
    else:
        show(probe_document(results))
    if any(one.needed and not one.there for one in results):
        raise typer.Exit(ExitStatus.fault)
