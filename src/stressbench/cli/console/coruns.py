"""Output of `stressbench corun`."""

from typing import NoReturn

import typer

from stressbench.cli.console.documents import print_json
from stressbench.exit_status import ExitStatus
from stressbench.results.coruns import Corun


def print_and_exit(result: Corun, *, as_json: bool) -> NoReturn:
    """Print the slowdowns, and end with the exit status: `interrupted` where blocks are missing."""
    if as_json:
        print_json(result, Corun)
    else:
        from stressbench.report.coruns import brief
        from stressbench.report.renderers.text import show

        show(brief(result))
    raise typer.Exit(ExitStatus.ok if result.complete else ExitStatus.interrupted)
