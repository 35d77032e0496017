"""`stressbench profile`: where an MPI program's time goes and what it sends, without its source."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.documents import AsJson, output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.wrapped_command import EXIT_STATUS, OPTIONS_BELONG_TO_COMMAND, LaunchCommand, WithNames
from stressbench.console import echo, emit, error
from stressbench.errors import UserError
from stressbench.experiments.capture import CaptureFailed, profile_json, profile_program
from stressbench.report.renderers.text import show
from stressbench.report.traffic import document as documents

_HELP = f"""\
Run an MPI program and print where its time goes: point-to-point, collectives, waits and I/O, by call and by call site.

CMD is a whole launch. Its output and exit status pass through, and the tables follow on standard output. No payload is
kept. The program needs no change: a library is loaded into it with LD_PRELOAD.

\b
Examples:
    stressbench profile mpirun -n 4 ./solver input.txt
    stressbench profile -o solver.html -- srun -n 512 ./solver input.txt
    stressbench profile -o solver.json mpirun -n 4 ./solver && jq .columns solver.json
    stressbench profile --figures figures mpirun -n 4 ./solver
    stressbench profile -o solver.trace mpirun -n 4 ./solver; stressbench trace show solver.trace

The suffix of -o selects what is written instead of the tables: .html a page with the communication matrix and a
timeline, .json every number, .trace the trace file from which both are made. --json alone prints the numbers after
CMD's own output.

{EXIT_STATUS}"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("profile", help=_HELP, context_settings=OPTIONS_BELONG_TO_COMMAND, no_args_is_help=True)(profile)


@with_options
def profile(
    *,
    words: LaunchCommand,
    as_json: AsJson = False,
    output: Annotated[
        Path | None,
        output_option("FILE", "Write a .html, .json or .trace file instead of tables."),
    ] = None,
    figures: FigureFiles,
    with_names: WithNames = False,
) -> None:
    """Run the program under the tracer, and print the tables of its profile or write it to a file."""
    if as_json and output is not None and output.suffix != ".json":
        raise UserError(f"--json: -o {output} is not a .json file; name a .json file, or omit one of them")
    if figures.figures is not None and output is not None and output.suffix == ".trace":
        raise UserError(f"--figures: -o {output} is a trace, which is not evaluated; name an .html or .json file")
    figures.check()
    try:
        result = profile_program(words, output=output, with_names=with_names, progress=emit)
    except CaptureFailed as fault:
        error(str(fault))
        raise typer.Exit(fault.status) from None
    if (found := result.profile) is not None:
        figures.write(lambda: documents.page(found), sources=())
    if result.profile is not None and output is None:
        if as_json:
            echo(profile_json(result.profile), nl=False)
        else:
            show(documents.brief(result.profile))
    raise typer.Exit(result.exit_status)
