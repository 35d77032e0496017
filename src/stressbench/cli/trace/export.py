"""`stressbench trace export`: a trace in another format."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json, print_or_write
from stressbench.cli.options.documents import AsJson, output_option
from stressbench.console import echo, note
from stressbench.errors import UserError
from stressbench.experiments.exporting.export import export_trace
from stressbench.experiments.exporting.summary import Export, ExportFormat, sentence
from stressbench.experiments.traces import reference_profile_json

_HELP = """\
Convert a trace for a simulator, a trace viewer, or for comparison with motifs.

--format goal: what each rank sends, receives and computes, with dependencies, for LogGOPSim, ATLAHS and HTSIM.
Collectives become messages (docs/how-to/export-traces.md has the algorithms), and the time between calls computation.

--profile: the JSON of the reference communication profiles that motifs are compared with: point-to-point traffic by
pair of ranks, collectives, calls, and the calls of each rank in order (at most 100,000). Counts are those of the whole
run or, with --iteration, of one pass of the outermost loop that rank 0 repeats most.

\b
Examples:
    stressbench trace export cg.trace --format goal -o cg.goal
    stressbench trace export --profile cg.trace -o cg.json
    stressbench trace export --profile --iteration cg.trace | jq .sequence_all_ranks

Exit status: 0 success, 2 the file cannot be read or does not have the requested content.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("export", help=_HELP)(export)


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="Trace file of `stressbench capture`.")],
    export_format: Annotated[
        ExportFormat | None, typer.Option("--format", help="Format of another tool.", show_default=False)
    ] = None,
    profile: Annotated[bool, typer.Option("--profile", help="Write the JSON of a reference profile.")] = False,
    iteration: Annotated[bool, typer.Option("--iteration", help="Count one pass of the main loop only.")] = False,
    output: Annotated[
        Path | None, output_option("OUT", "Output file; default with --profile: standard output.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a trace in the format of another tool, or print or write its reference profile."""
    if (export_format is None) is not profile:
        raise UserError(f"expected either --format, one of {', '.join(ExportFormat)}, or --profile")
    if export_format is None:
        if as_json:
            raise UserError("--json: the profile is JSON already; expected --format")
        print_or_write(reference_profile_json(file, iteration=iteration).decode(), output)
        return
    if iteration:
        raise UserError("--iteration: expected --profile, since other formats have the whole run")
    if output is None:
        raise UserError(f"-o/--output is missing: name a file for --format {export_format}")
    written = export_trace(file, export_format=export_format, output=output)
    note(sentence(written))
    if as_json:
        print_json(written, Export)
    else:
        echo(str(output))
