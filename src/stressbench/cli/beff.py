"""`stressbench beff`: the effective bandwidth of a machine."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.common import verify_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.suite import SuiteOptions, memory_option
from stressbench.console import emit, error
from stressbench.experiments.balance import evaluate_balanced_b_eff, measure_balanced_b_eff, rmax_choice
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.experiments.suites import BEffOptions
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff as documents
from stressbench.suites.beff import BalancedBEff

_HELP = """\
Measure the effective bandwidth b_eff (Rabenseifner and Koniges): one number for a network, and its components.

All ranks send messages around rings: six patterns of neighbours and thirty random ones, with 21 message sizes and three
methods of sending; the best of three attempts counts. This takes two to ten minutes; --quick makes one ninth of the
measurements, and its result is marked as not comparable. -o keeps the time of every loop; --from evaluates such a file
again, without MPI.

\b
Examples:
    stressbench beff -n 8 -o machine.jsonl
    stressbench beff -n 128 --on slurm --memory 2GiB --extra -o machine.jsonl
    stressbench beff --on lab:tiny --lmax 256KiB --quick
    stressbench beff -n 8 --rmax hpcc --report machine.html
    stressbench beff --from machine.jsonl --figures figures
    stressbench beff --from machine.jsonl --json

Exit status: 0 success, 2 invalid input, 3 the run failed, 130 interrupted (there is no result).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("beff", help=_HELP)(beff)


@with_options
def beff(
    *,
    suite: SuiteOptions,
    figures: FigureFiles,
    memory: Annotated[str | None, memory_option("the longest message")] = None,
    lmax: Annotated[str | None, typer.Option(metavar="SIZE", help="Longest message, instead of --memory.")] = None,
    random_patterns: Annotated[
        str | None, typer.Option("--random", metavar="uniform|legacy", help="How random patterns are drawn.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Measure fewer patterns with fewer attempts; less accurate.")
    ] = False,
    extra: Annotated[
        bool,
        typer.Option("--extra", help="Also measure ping-pong, bisections and grids, which b_eff does not include."),
    ] = False,
    verify: Annotated[bool, verify_option("Check every byte received instead of two.")] = False,
    rmax: Annotated[
        str | None,
        typer.Option(
            metavar="GFLOPS|hpcc",
            help="Linpack's Rmax of these ranks, for the balance factor; hpcc: measure it afterwards with hpcc.",
        ),
    ] = None,
) -> None:
    """Measure b_eff, or evaluate a protocol file, and print the result."""
    choice = rmax_choice(rmax)
    check_report_page(suite.page)
    figures.check()
    if suite.protocol_file is not None:
        result = evaluate_balanced_b_eff(suite.protocol_file, rmax=choice)
    else:
        target = suite.target
        choice.require_target(target, on=suite.on)
        options = BEffOptions(memory=memory, longest=lmax, random_patterns=random_patterns, quick=quick, extra=extra)
        result = measure_balanced_b_eff(
            suite.launch(target, verify=verify), options, rmax=choice, output=suite.output, progress=emit
        )
    if result.hpcc_fault is not None:
        error(result.hpcc_fault)
    if suite.page is not None:
        write_report_page(suite.page, render("html", documents.page(result.b_eff, rmax=result.rmax)), progress=emit)
    figures.write(lambda: documents.page(result.b_eff, rmax=result.rmax), sources=suite.sources)
    if suite.as_json:
        print_json(result.balanced, BalancedBEff)
    else:
        show(documents.brief(result.b_eff, rmax=result.rmax, published=suite.published))
    raise typer.Exit(result.status)
