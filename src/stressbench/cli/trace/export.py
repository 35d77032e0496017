"""`stressbench trace export`: a trace or a workload in another format."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json, print_or_write
from stressbench.cli.options.common import (
    Engine,
    placement_option,
    ranks_option,
    ranks_per_node_option,
    set_option,
)
from stressbench.cli.options.documents import AsJson, output_option
from stressbench.console import echo, emit, note
from stressbench.errors import UserError
from stressbench.experiments.exporting.export import WORKLOAD_SUFFIX, export_trace, export_workload
from stressbench.experiments.exporting.summary import Export, ExportFormat, sentence
from stressbench.experiments.exporting.workload import WorkloadRanks
from stressbench.experiments.traces import reference_profile_json

_HELP = """\
Convert a trace for simulators and trace viewers, or for comparison with motifs. With the .sb file of a workload, the
calls of all its jobs are converted, placed as in a run, without a launch.

\b
--format
    goal        LogGOPSim, ATLAHS, HTSIM: sends, receives and computation, with their dependencies
    simgrid-ti  SimGrid: a directory for `smpirun -replay`
    otf2        Vampir, Scalasca: an archive in a directory; needs OTF2's Python bindings
    perfetto    ui.perfetto.dev: a timeline in a browser, with arrows for messages

In goal and simgrid-ti, collectives are messages (docs/how-to/export-traces.md has the algorithms), and the times
between calls are computation. In otf2 and perfetto, times are the recorded means or, without a recording, those of a
simple model.

--profile: the JSON of the reference communication profiles that motifs are compared with: point-to-point traffic by
pair of ranks, collectives, calls, and the calls of each rank in order (at most 100,000). Counts are those of the whole
run or, with --iteration, of one pass of the outermost loop that rank 0 repeats most.

\b
Examples:
    stressbench trace export cg.trace --format goal -o cg.goal
    stressbench trace export cg.trace --format perfetto -o cg.json
    stressbench trace export workloads/demo.sb -n 8 --ranks-per-node 1 --format simgrid-ti -o demo
    stressbench trace export --profile cg.trace -o cg.json
    stressbench trace export --profile --iteration cg.trace | jq .sequence_all_ranks

Exit status: 0 success, 2 the file cannot be read or does not have the requested content, 3 a program failed.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("export", help=_HELP)(export)


def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.trace|FILE.sb", help="Trace of `stressbench capture`, or workload.")
    ],
    export_format: Annotated[
        ExportFormat | None, typer.Option("--format", help="Format of another tool.", show_default=False)
    ] = None,
    profile: Annotated[bool, typer.Option("--profile", help="Write the JSON of a reference profile.")] = False,
    iteration: Annotated[bool, typer.Option("--iteration", help="Count one pass of the main loop only.")] = False,
    output: Annotated[
        Path | None,
        output_option("OUT", "Output file, or new directory; default with --profile: standard output."),
    ] = None,
    ranks: Annotated[int | None, ranks_option("MPI ranks of the workload.")] = None,
    ranks_per_node: Annotated[
        int | None, ranks_per_node_option("Ranks of each node of the workload; default: all on one.")
    ] = None,
    place: Annotated[
        str | None, placement_option("Placement of jobs with [NODES]: linear, interleaved or random:SEED.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        set_option("Override a [SET] variable of FILE; can be repeated.", metavar="NAME=VALUE"),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(metavar="R", help="Repetitions of each job; default: its [REPEAT], or 1.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    engine: Engine = None,
) -> None:
    """Write the file in the format of another tool, or print or write the reference profile of a trace."""
    if (export_format is None) is not profile:
        raise UserError(f"expected either --format, one of {', '.join(ExportFormat)}, or --profile")
    is_workload = file.suffix == WORKLOAD_SUFFIX
    if not is_workload:
        _refuse_options_of_workloads(
            file, {"--ranks": ranks, "--ranks-per-node": ranks_per_node, "--place": place, "--set": sets,
                   "--repetitions": repetitions},
        )  # fmt: skip
    if export_format is None:
        _print_profile(file, iteration=iteration, output=output, as_json=as_json, is_workload=is_workload)
        return
    if iteration:
        raise UserError("--iteration: expected --profile, since other formats have the whole run")
    if output is None:
        raise UserError(f"-o/--output is missing: name what --format {export_format} writes")
    if not is_workload:
        written = export_trace(file, export_format=export_format, output=output)
    elif ranks is None:
        raise UserError("-n/--ranks is missing: a workload has no number of ranks of its own")
    else:
        launch = WorkloadRanks(
            ranks=ranks,
            ranks_per_node=ranks_per_node,
            place=place,
            variables=tuple(sets or ()),
            repetitions=repetitions,
        )
        written = export_workload(
            file, launch, export_format=export_format, output=output, engine=engine, progress=emit
        )  # fmt: skip
    note(sentence(written))
    if as_json:
        print_json(written, Export)
    else:
        echo(str(output))


def _refuse_options_of_workloads(file: Path, values: dict[str, object]) -> None:
    for name, value in values.items():
        if value is not None:
            raise UserError(f"{name}: {file} is a trace, which has its ranks already; expected a workload, FILE.sb")


def _print_profile(file: Path, *, iteration: bool, output: Path | None, as_json: bool, is_workload: bool) -> None:
    if is_workload:
        raise UserError(f"--profile: {file} is a workload; expected a trace")
    if as_json:
        raise UserError("--json: the profile is JSON already; expected --format")
    print_or_write(reference_profile_json(file, iteration=iteration).decode(), output)
