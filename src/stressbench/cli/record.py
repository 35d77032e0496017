"""`stressbench record`: an MPI program becomes a workload that runs without it."""

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.capture import tell
from stressbench.cli.following import EXIT_STATUS, FOLLOWS, NOTHING, WithNames, Words, say, stop
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.trace import Trace, TraceFileError, TraceMode
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import TraceWish, check_output, take
from stressbench.tracing.replay import replay_suitability, trace_path_for, workload_text

_HELP = f"""\
Run an MPI program, capture every call it makes, and write a workload that repeats them without the program.

Two files come of it: APP.sb, a workload of one job, and APP.trace beside it, which the job's motif `replay` reads. Both
can be given away: no source, no payload, no path, no name is in them. The workload needs as many ranks as the program
had. The engine opens the trace by the path in APP.sb, from the folder that it is started in.

\b
Examples:
    stressbench record -o cg.sb mpirun -n 4 ./cg.A.x
    stressbench run cg.sb -n 4
    stressbench-mpi describe cg.sb

What cannot be replayed is refused with the reason: several threads that call MPI, windows to which memory
is attached later, intercommunicators, processes that join later, a sequence that was given up. The trace is kept in
that case.

{EXIT_STATUS}"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("record", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(record)


def record(
    words: Words,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="APP.sb", help="The workload to write.")],
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the job; default: the program's.")] = None,
    with_names: WithNames = False,
) -> None:
    """Capture, judge, write."""
    trace_file = trace_path_for(output)
    try:
        check_output(output, endings=(".sb",), replace=False)
        check_output(trace_file, endings=(".trace",), replace=False)
        if job is not None and not (job and job.isprintable()):
            raise LaunchMistake(f"--job: {job!r} is not a name")
        wish = TraceWish(words=tuple(words), mode=TraceMode.capture, output=trace_file, names=with_names)
        taken = take(wish, environment=os.environ)
    except LaunchMistake as mistake:
        raise stop(str(mistake)) from None
    tell(taken)
    if taken.trace is None or not _write(taken.trace, output, job=job):
        raise typer.Exit(taken.status or NOTHING)
    raise typer.Exit(taken.status)


def _write(trace: Trace, output: Path, *, job: str | None) -> bool:
    """Whether the workload was written; else the reasons are told."""
    try:
        judged = replay_suitability(trace)
        for reason in judged.refusals:
            say(f"cannot be replayed: {reason}")
        if judged.refusals:
            say(f"no workload was written; {trace.path} stays for `stressbench trace`")
            return False
        name = job or trace.header.program or output.stem
        write_output(output, workload_text(trace, job=name, file=str(trace.path), nodes=judged.nodes))
    except TraceFileError as fault:
        say(str(fault))
        return False
    except OSError as fault:
        say(f"--output: {fault.filename}: {reason_of(fault)}")
        return False
    say(f"next: {shlex.join(('stressbench', 'run', str(output), '-n', str(trace.header.ranks)))}")
    return True
