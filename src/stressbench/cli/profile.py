"""`stressbench profile`: where an MPI program's time goes and what it sends, without its source."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from stressbench.cli.following import EXIT_STATUS, FOLLOWS, NOTHING, WithNames, Words, say, stop
from stressbench.console import echo
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.trace import Trace, TraceFileError, TraceMode
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import Taken, TraceWish, check_output, take
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.traffic import document as documents
from stressbench.tracing.profile import Profile, profile_of

_HELP = f"""\
Run an MPI program and print where its time went: point-to-point, collectives, waits, I/O, by call and by call site.

CMD is a whole launch; its output and exit status pass through, and the tables follow on standard output. No payload is
kept. The program needs no change: a library is put into it by LD_PRELOAD.

\b
Examples:
    stressbench profile mpirun -n 4 ./solver input.txt
    stressbench profile -o solver.html -- srun -n 512 ./solver input.txt
    stressbench profile -o solver.json mpirun -n 4 ./solver && jq .columns solver.json
    stressbench profile -o solver.trace mpirun -n 4 ./solver; stressbench trace show solver.trace

-o says by its ending what to write: .html a page with matrix and timeline drawn, .json every number, .trace the file
that all of these are made from. Tables are then not printed. --json alone prints the numbers behind CMD's own output.

{EXIT_STATUS}"""
_KINDS = (".html", ".json", ".trace")


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("profile", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(profile)


def profile(
    words: Words,
    as_json: Annotated[bool, typer.Option("--json", help="Every number, for programs; seconds and bytes.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="A .html, .json or .trace file, in place of tables."),
    ] = None,
    with_names: WithNames = False,
) -> None:
    """Run, read, show."""
    try:
        if output is not None:
            check_output(output, endings=_KINDS, replace=output.suffix != ".trace")
            if as_json and output.suffix != ".json":
                raise LaunchMistake(f"--json: -o {output} asks for something else; name a .json file, or leave one out")
        with _trace_file(output) as path:
            wish = TraceWish(words=tuple(words), mode=TraceMode.profile, output=path, names=with_names)
            taken = take(wish, environment=os.environ)
            _tell(taken, output=output, as_json=as_json)
    except LaunchMistake as mistake:
        raise stop(str(mistake)) from None
    raise typer.Exit(taken.status or (NOTHING if taken.trace is None else 0))


class _NotWritten(Exception):
    """The output could not be written, though its trace is there: why, and the status to end with."""

    def __init__(self, reason: str, status: int) -> None:
        self.status = status
        super().__init__(reason)


@contextmanager
def _trace_file(output: Path | None) -> Iterator[Path]:
    """The file that rank 0 writes: in the current folder, which hosts share more often than /tmp.

    It goes at the end, but where it is all that is left of what was measured.
    """
    if output is not None and output.suffix == ".trace":
        yield output
        return
    folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path(tempfile.gettempdir())
    path = folder / f".stressbench-{secrets.token_hex(6)}.trace"
    try:
        yield path
    except _NotWritten as fault:
        kept = path.with_name(path.name.removeprefix("."))
        path.rename(kept)
        told = f"{fault}; what was measured is in {kept}: `stressbench trace show --profile {kept}`"
        raise stop(told, status=fault.status) from None
    finally:
        path.unlink(missing_ok=True)


def _tell(taken: Taken, *, output: Path | None, as_json: bool) -> None:
    for sentence in taken.sentences:
        say(sentence)
    if taken.trace is None:
        return
    try:
        write(taken.trace, output=output, as_json=as_json)
    except TraceFileError as fault:
        raise stop(str(fault), status=taken.status or NOTHING) from None
    except OSError as fault:
        raise _NotWritten(f"--output: {fault.filename}: {reason_of(fault)}", taken.status or NOTHING) from None
    if output is not None:
        say(f"wrote {output}")


def write(trace: Trace, *, output: Path | None, as_json: bool) -> None:
    """The profile of `trace` where it was asked for; TraceFileError and OSError pass."""
    if output is not None and output.suffix == ".trace":
        return
    found = profile_of(trace)
    if as_json or (output is not None and output.suffix == ".json"):
        text = TypeAdapter(Profile).dump_json(found, indent=2)
        if output is None:
            echo(text)
        else:
            write_output(output, text + b"\n")
    elif output is not None:
        write_output(output, render("html", documents.page(found)))
    else:
        show(documents.brief(found))
