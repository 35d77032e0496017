"""`stressbench degrade`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
Measure how much slower workloads, or any MPI program, become with a half, a quarter and an eighth of the injection
bandwidth of each node.

\b
    stressbench lab up fast
    stressbench degrade run workloads/degrade.sb --set pattern=halo --dry-run # what would run
    stressbench degrade run workloads/degrade.sb --set pattern=halo -o halo   # each job isolated, at each rate
    stressbench degrade report halo                                           # factors, and how much bandwidth it needs
    stressbench degrade run app.sb -n 64 --on slurm --rate-command ./set-rate -o app
    stressbench degrade run --hpcc -o hpcc -- hpcc                            # any MPI program, with its figures

For workloads, DIR is a study: `study status`, `resume`, `pack` and `verify` work on it. docs/how-to/degrade.md
describes the method and its limits.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="degrade", about=_HELP)
