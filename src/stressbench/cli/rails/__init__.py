"""`stressbench rails`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
Measure which NIC of its host each rank should use. Workloads, or any MPI program, run under several policies: MPI's own
choice, one NIC for all ranks, round-robin, the nearest NIC, and one NIC for each job.

\b
    stressbench lab up dual-rail
    stressbench rails run -n 8 --dry-run                              # list the runs
    stressbench rails run -n 8 -o dual                                # bandwidth by message size, and latency
    stressbench rails run two-jobs.sb --policies default,per-job --contended 6 -o apart
    stressbench rails run -n 64 --on slurm --nics ib0,ib1 --fom 'FOM=FOM: ([0-9.e+]+)' --runs 80 -o amg -- ./amg
    stressbench rails report dual --format html -o dual.html

For workloads, DIR is a study: `study status`, `resume`, `pack` and `verify` work on it. docs/how-to/rails.md describes
the policies, what they mean for each MPI, and their limits.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="rails", about=_HELP)
