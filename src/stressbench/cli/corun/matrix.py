"""`stressbench corun matrix`: all pairs of programs."""

from typing import Annotated

import typer

from stressbench.cli.console.coruns import print_and_exit
from stressbench.cli.options.after_dashes import split_at_dashes, words_after_dashes
from stressbench.cli.options.common import Engine
from stressbench.cli.options.corun import EXIT_STATUS, CorunOptions, Workloads, command_line
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.wrapped_command import OPTIONS_BELONG_TO_COMMAND
from stressbench.console import emit
from stressbench.experiments.corun.matrix import matrix_spec
from stressbench.experiments.corun.programs import program_names

_HELP = f"""\
Run each pair of the programs at the same time, and measure how much each is slowed by each other one.

Programs, options and results are those of `stressbench corun run`. In each block, every program runs isolated and every
pair together, in random order.

\b
Examples:
    stressbench corun matrix -n 2 --on lab:tiny -o pairs -- ./cg 300 ++ ./ft 64 ++ ./lu 64
    stressbench corun matrix -n 2 --on lab:tiny --self --triple cg,ft,lu -o pairs -- ./cg ++ ./ft ++ ./lu
    stressbench corun matrix -n 2 --on lab:tiny --no-pairs --triple cg,ft,lu -o triples -- ./cg ++ ./ft ++ ./lu
    stressbench corun matrix -n 2 --on lab:tiny --beside mg -o added -- ./cg ++ ./ft ++ ./lu ++ ./mg
    stressbench corun report pairs --format html -o pairs.html

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    command_class = split_at_dashes("[-- CMD... [++ CMD...]...]")
    app.command("matrix", help=_HELP, cls=command_class, context_settings=OPTIONS_BELONG_TO_COMMAND)(matrix)


@with_options
def matrix(
    *, context: typer.Context, workloads: Workloads = None, options: CorunOptions,
    with_copies: Annotated[
        bool, typer.Option("--self", help="Also run two copies of each program beside each other.")
    ] = False,
    triples: Annotated[
        list[str] | None,
        typer.Option("--triple", metavar="A,B,C", help="Also run these programs together; can be repeated."),
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(metavar="A[,B...]", help="Only pairs and copies with one of these programs.", show_default=False),
    ] = None,
    no_pairs: Annotated[bool, typer.Option("--no-pairs", help="Only --triple and --self.")] = False,
    figures: FigureFiles, as_json: AsJson = False, engine: Engine = None,
) -> None:  # fmt: skip
    """Measure all pairs, and print their slowdowns."""
    figures.check()
    spec = options.spec(command_line(workloads, words_after_dashes(context)), engine=engine)
    chosen = matrix_spec(
        spec, pairs=not no_pairs, beside=program_names(beside, option="--beside"), with_copies=with_copies,
        triples=triples or (),
    )  # fmt: skip
    result = chosen.run(progress=emit)
    print_and_exit(result, figures, sources=options.sources, as_json=as_json)
