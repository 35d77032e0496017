"""`stressbench rails report`: what each policy did, and which NIC carried the bytes."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.experiments.sweep.rails.results import rail_results
from stressbench.formats.run import Kind
from stressbench.report.rails import FORMATS

_FORMATS = tuple(FORMATS)
_HELP = """\
Tell each policy's times or figures of merit as boxes and whiskers, their ratios to the default with 95 % intervals,
bandwidth by message size, and the bytes that each NIC really carried beside those it was asked to.

DIR is what `rails run` made, or any study that has the factor `policy`.

\b
Examples:
    stressbench rails report dual
    stressbench rails report dual --motifs --format csv -o dual.csv
    stressbench rails report apart --time contended --format html -o apart.html
    stressbench profile -o amg.json mpirun -n 4 ./amg && stressbench rails report amg --profile amg.json
    stressbench rails report dual --format json | jq '.carried[] | {policy, job, loads}'

Exit status: 0, 2 where DIR holds nothing of the kind or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `rails run` made.", show_default=False)],
    kind: Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="How to tell it.")] = "text",
    motifs: Annotated[bool, typer.Option("--motifs", help="Each motif of a job, too.")] = False,
    time: Annotated[
        Kind | None,
        typer.Option("--time", help="Of rounds in which jobs run alone (isolated, the default), or all together."),
    ] = None,
    profiles: Annotated[
        list[Path] | None,
        typer.Option("--profile", metavar="FILE", help="A .json of `stressbench profile`, or a .trace; repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Default: standard output.")
    ] = None,
) -> None:
    """Read all, tell it."""
    render = renderer_named(kind, FORMATS)
    print_or_write(render(rail_results(folder, time=time, motifs=motifs, profiles=profiles or ())), output)
