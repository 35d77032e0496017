"""`stressbench trace export`: a capture in another form."""

from pathlib import Path
from typing import Annotated

import orjson
import typer
from pydantic import TypeAdapter

from stressbench.cli.following import stop
from stressbench.console import echo
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.trace import TraceFileError, read_trace
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.reference import ReferenceProfile, reference_profile

_HELP = """\
Write what a capture says in another form. --profile: the JSON of the reference communication profiles, that motifs are
compared with: who sends what to whom, collectives, calls, and each rank's calls in order (where they are at most
100,000).

Counts are of the whole run; with --iteration those of one pass of the outermost loop that rank 0 repeats most.

\b
Examples:
    stressbench trace export --profile cg.trace -o cg.json
    stressbench trace export --profile --iteration cg.trace | jq .sequence_all_ranks

Exit status: 0 written, 2 the file cannot be read or does not hold what is asked for.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("export", help=_HELP)(export)


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="What `stressbench capture` wrote.")],
    profile: Annotated[bool, typer.Option("--profile", help="The JSON of the reference profiles.")] = False,
    iteration: Annotated[bool, typer.Option("--iteration", help="One pass of the main loop, not the whole.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Default: standard output.")
    ] = None,
) -> None:
    """Read, count, write."""
    if not profile:
        raise stop("export what? --profile is all there is")
    try:
        found = reference_profile(read_trace(file), iteration=iteration)
        text = _text(found)
        if output is None:
            echo(text)
        else:
            write_output(output, text)
    except TooManyCalls as fault:
        raise stop(f"{file}: {fault}") from None
    except TraceFileError as fault:
        raise stop(str(fault)) from None
    except OSError as fault:
        raise stop(f"--output: {fault.filename}: {reason_of(fault)}") from None


def _text(found: ReferenceProfile) -> bytes:
    """JSON without what is not known, a key a line."""
    record = TypeAdapter(ReferenceProfile).dump_python(found, mode="json", exclude_none=True)
    try:
        lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in record.items()]
    except TypeError:
        raise stop("the ranks' counts together go beyond 64 bits: nobody could read the profile") from None
    return b"{\n" + b",\n".join(lines) + b"\n}\n"
