"""`stressbench degrade report`: the slowdown of each job at each rate, and how much bandwidth it needs."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.cli.options.documents import OutputFile, WithMotifs, format_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.rounds import round_kind_option
from stressbench.cli.options.share import share
from stressbench.cli.options.study import Folder
from stressbench.experiments.sweep.rates.results import rate_results
from stressbench.formats.files import recorded_reads
from stressbench.formats.run import Kind
from stressbench.report.rates import FORMATS, page
from stressbench.results.rates import Node

_HELP = """\
Report the time of each job at each rate relative to the full rate, with 95 % intervals, by number of ranks; the
smallest rate at which it is at most --at-most slower; and the share of its time that is bound by bandwidth.

DIR was written by `degrade run`, or is any study with the factor `rate` whose values include the full rate. For a
program, wall time and figures of merit are reported.

\b
Examples:
    stressbench degrade report fast
    stressbench degrade report fast --at-most 10% --motifs
    stressbench degrade report app --gflops-per-node 115.2 --injection 1.74    # bytes per flop, as the paper's Table 3
    stressbench degrade report fast --format csv -o fast.csv
    stressbench degrade report fast --format html -o fast.html               # factors drawn, all tables
    stressbench degrade report fast --figures figures
    stressbench degrade report fast --format json | jq '.curves[] | {job, ranks, needs, undecided}'

Exit status: 0 success, 2 DIR has no study of rates or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


@with_options
def report(
    *,
    folder: Folder,
    at_most: Annotated[str, typer.Option(metavar="5%", help="Largest acceptable slowdown.")] = "5%",
    kind: Annotated[str, format_option(FORMATS)] = "text",
    motifs: WithMotifs = False,
    time: Annotated[
        Kind | None,
        round_kind_option("Evaluate isolated rounds (default) or contended rounds (default with --compete)."),
    ] = None,
    gflops: Annotated[
        float | None,
        typer.Option(
            "--gflops-per-node", metavar="G", help="Peak performance of a node, in GFLOPS.", show_default=False
        ),
    ] = None,
    injection: Annotated[
        float | None,
        typer.Option(metavar="B", help="Injection bandwidth of a node at the full rate, in GB/s.", show_default=False),
    ] = None,
    output: OutputFile = None,
    figures: FigureFiles,
) -> None:
    """Print or write the results at each rate of the measurements in `folder`."""
    render = renderer_named(kind, FORMATS)
    figures.check()
    with recorded_reads() as sources:
        results = rate_results(
            folder, time=time, motifs=motifs, at_most=share(at_most, option="--at-most", zero=True),
            node=Node(gflops=gflops, injection_gb_per_s=injection),
        )  # fmt: skip
    print_or_write(render(results), output)
    figures.write(lambda: page(results), sources=sources)
