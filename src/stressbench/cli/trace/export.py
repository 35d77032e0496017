"""`stressbench trace export`: a trace in another format."""

from pathlib import Path
from typing import Annotated

import orjson
import typer
from pydantic import TypeAdapter

from stressbench.console import echo
from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.trace import read_trace
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.reference import ReferenceProfile, reference_profile

_HELP = """\
Convert a trace to another format. --profile: the JSON of the reference communication profiles that motifs are compared
with: point-to-point traffic by pair of ranks, collectives, calls, and the calls of each rank in order (at most
100,000).

Counts are those of the whole run or, with --iteration, of one pass of the outermost loop that rank 0 repeats most.

\b
Examples:
    stressbench trace export --profile cg.trace -o cg.json
    stressbench trace export --profile --iteration cg.trace | jq .sequence_all_ranks

Exit status: 0 success, 2 the file cannot be read or does not have the requested content.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("export", help=_HELP)(export)


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="Trace file of `stressbench capture`.")],
    profile: Annotated[bool, typer.Option("--profile", help="Write the JSON of a reference profile.")] = False,
    iteration: Annotated[bool, typer.Option("--iteration", help="Count one pass of the main loop only.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Output file; default: standard output.")
    ] = None,
) -> None:
    """Read, count, write."""
    if not profile:
        raise UserError("--profile is missing: it is the only format so far")
    try:
        found = reference_profile(read_trace(file), iteration=iteration)
        text = _text(found)
        if output is None:
            echo(text)
        else:
            write_output(output, text)
    except TooManyCalls as fault:
        raise UserError(f"{file}: {fault}") from None
    except OSError as fault:
        raise UserError(f"--output: {fault.filename}: {reason_of(fault)}") from None


def _text(found: ReferenceProfile) -> bytes:
    """JSON with one key per line, without the keys whose value is unknown."""
    record = TypeAdapter(ReferenceProfile).dump_python(found, mode="json", exclude_none=True)
    try:
        lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in record.items()]
    except TypeError:
        raise UserError("the sum of the ranks' counts exceeds 64 bits, which JSON readers cannot represent") from None
    return b"{\n" + b",\n".join(lines) + b"\n}\n"
