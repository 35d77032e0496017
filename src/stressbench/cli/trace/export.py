"""`stressbench trace export`: a trace in another format."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write
from stressbench.cli.options.documents import output_option
from stressbench.errors import UserError
from stressbench.experiments.traces import reference_profile_json

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
    output: Annotated[Path | None, output_option("FILE.json")] = None,
) -> None:
    """Print or write the reference profile of a trace as JSON."""
    if not profile:
        raise UserError("--profile is missing: no other format is available")
    print_or_write(reference_profile_json(file, iteration=iteration).decode(), output)
