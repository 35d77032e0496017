"""Output of `stressbench corun`."""

from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.exit_status import ExitStatus
from stressbench.results.coruns import Corun


def print_and_exit(result: Corun, figures: FigureFiles, *, sources: Iterable[Path], as_json: bool) -> NoReturn:
    """Print the slowdowns, write the figures, and end with the exit status: `interrupted` where blocks are missing."""
    from stressbench.report.coruns import brief, page

    if as_json:
        print_json(result, Corun)
    else:
        from stressbench.report.renderers.text import show

        show(brief(result))
    figures.write(lambda: page(result), sources=sources)
    raise typer.Exit(ExitStatus.ok if result.complete else ExitStatus.interrupted)
