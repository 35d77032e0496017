"""`stressbench trace levels`: the levels of a captured multigrid."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write
from stressbench.cli.options.documents import output_option
from stressbench.experiments.traces import multigrid_levels

_HELP = """\
Write the levels of the multigrid in a capture of AMG (hypre): which ranks exchange how many bytes on each level. With
such a file, the motif `amg --levels FILE` sends in a V-cycle what the captured program sent, call by call.

The levels are those of the V-cycle that the capture repeats most. A capture in which no V-cycle is recognised is
refused.

\b
Examples:
    stressbench capture -o app.trace mpirun -n 8 amg -n 16 16 16 -P 2 2 2
    stressbench trace levels app.trace -o app.levels

Exit status: 0 success, 2 the file cannot be read or has no V-cycle.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("levels", help=_HELP)(levels)


def levels(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="Trace file of `stressbench capture`.")],
    output: Annotated[Path | None, output_option("FILE.levels")] = None,
) -> None:
    """Print or write the levels of the multigrid in a trace."""
    print_or_write(multigrid_levels(file), output)
