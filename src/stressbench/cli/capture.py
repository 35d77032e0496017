"""`stressbench capture`: every call of an MPI program, in order, in a small file."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.following import EXIT_STATUS, FOLLOWS, NOTHING, WithNames, Words, say, stop
from stressbench.formats.trace import TraceFileError, TraceMode
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import Taken, TraceWish, check_output, take
from stressbench.tracing.completeness import completeness_sentences

_HELP = f"""\
Run an MPI program and write down every call it makes, in order and rank by rank, to FILE.trace.

Kept are operation, partner, tag, size, communicator, requests and the time outside MPI between calls; never what is
sent. What repeats is stored once. CMD's output and exit status pass through.

\b
Examples:
    stressbench capture -o cg.trace mpirun -n 4 ./cg.A.x
    stressbench capture -o cg.trace -- srun -n 512 ./cg.D.x
    stressbench trace show cg.trace
    stressbench trace diff cg.trace other.trace

{EXIT_STATUS}"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("capture", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(capture)


def capture(
    words: Words,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.trace", help="The file to write.")],
    with_names: WithNames = False,
) -> None:
    """Run and tell what was taken down."""
    try:
        check_output(output, endings=(".trace",), replace=False)
        wish = TraceWish(words=tuple(words), mode=TraceMode.capture, output=output, names=with_names)
        taken = take(wish, environment=os.environ)
    except LaunchMistake as mistake:
        raise stop(str(mistake)) from None
    tell(taken)
    raise typer.Exit(taken.status or (NOTHING if taken.trace is None else 0))


def tell(taken: Taken) -> None:
    """How the launch ended, and what the file holds."""
    for sentence in taken.sentences:
        say(sentence)
    if taken.trace is not None:
        try:
            for sentence in completeness_sentences(taken.trace):
                say(sentence)
        except TraceFileError as fault:
            say(str(fault))
