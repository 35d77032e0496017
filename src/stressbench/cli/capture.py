"""`stressbench capture`: every call of an MPI program, in order, in a small file."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.documents import output_option
from stressbench.cli.options.wrapped_command import EXIT_STATUS, OPTIONS_BELONG_TO_COMMAND, LaunchCommand, WithNames
from stressbench.console import emit
from stressbench.experiments.capture import capture_program

_HELP = f"""\
Run an MPI program and write every call of each rank, in order, to FILE.trace.

The trace contains the operation, partner, tag, size, communicator and requests of each call, and the time between
calls, but no payload. Repeated sequences are stored once. CMD's output and exit status pass through.

\b
Examples:
    stressbench capture -o cg.trace mpirun -n 4 ./cg.A.x
    stressbench capture -o cg.trace -- srun -n 512 ./cg.D.x
    stressbench trace show cg.trace
    stressbench trace diff cg.trace other.trace

{EXIT_STATUS}"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("capture", help=_HELP, context_settings=OPTIONS_BELONG_TO_COMMAND, no_args_is_help=True)(capture)


def capture(
    words: LaunchCommand,
    output: Annotated[Path, output_option("FILE.trace", "Trace file to write.")],
    with_names: WithNames = False,
    gap_times: Annotated[
        bool, typer.Option("--gap-times", help="Also keep the times before the first 262,144 calls, in order.")
    ] = False,
    cpu_time: Annotated[
        bool,
        typer.Option(
            "--cpu-time", help="Record processor time between calls, not elapsed time: for ranks that share cores."
        ),
    ] = False,
) -> None:
    """Run the program, write its trace, and report what the trace contains."""
    launch = capture_program(
        words, output=output, with_names=with_names, gap_times=gap_times, cpu_time=cpu_time, progress=emit
    )
    raise typer.Exit(launch.exit_status)
