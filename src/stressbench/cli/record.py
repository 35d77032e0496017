"""`stressbench record`: a workload that repeats the calls of an MPI program without the program."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.captures import JobName
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.wrapped_command import EXIT_STATUS, OPTIONS_BELONG_TO_COMMAND, LaunchCommand, WithNames
from stressbench.console import emit, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.capture import record_program

_HELP = f"""\
Run an MPI program, capture every call of each rank, and write a workload that repeats the calls without the program.

Two files are written: APP.sb, a workload with one job, and APP.trace next to it, which the job's motif `replay` reads.
Both can be shared: they contain no source code, payload, path or host name. The workload needs as many ranks as the
program had. The engine opens the trace by the path in APP.sb, relative to the directory that it is started in.

\b
Examples:
    stressbench record -o cg.sb mpirun -n 4 ./cg.A.x
    stressbench run cg.sb -n 4
    stressbench-mpi describe cg.sb

If a trace cannot be replayed, the reason is printed and the trace is kept. Reasons are several threads that call MPI,
windows with memory attached later, intercommunicators, processes that join later, or an incomplete call sequence.

{EXIT_STATUS}"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("record", help=_HELP, context_settings=OPTIONS_BELONG_TO_COMMAND, no_args_is_help=True)(record)


def record(
    words: LaunchCommand,
    output: Annotated[Path, output_option("APP.sb", "Workload file to write.")],
    job: JobName = None,
    with_names: WithNames = False,
) -> None:
    """Capture the program, write the workload, and print the command that runs it."""
    launch, is_written = record_program(words, output=output, job=job, with_names=with_names, progress=emit)
    if launch.trace is None or not is_written:
        raise typer.Exit(launch.status or ExitStatus.fault)
    note(f"next: {shlex.join(('stressbench', 'run', str(output), '-n', str(launch.trace.header.ranks)))}")
    raise typer.Exit(launch.status)
