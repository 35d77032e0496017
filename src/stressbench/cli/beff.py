"""`stressbench beff`: the effective bandwidth of a machine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.common import AsJson, Engine, TargetName
from stressbench.cli.options.report_page import ReportPage
from stressbench.cli.options.study_creation import OneRankCount
from stressbench.cli.options.suite import ProtocolFile, WithPublished
from stressbench.console import emit, error, note
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.linpack import HPCC, measure_rmax, require_hpcc, rmax_from_text
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.experiments.suites import SuiteLaunch, evaluate_b_eff, motif_options, run_b_eff, suite_launch
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.targets import resolve_target
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff as documents
from stressbench.suites.beff import BalancedBEff, BEff, balanced
from stressbench.suites.hpcc import Rmax

_HELP = """\
Measure the effective bandwidth b_eff (Rabenseifner and Koniges): one number for a network, and its components.

All ranks send around rings: six patterns of neighbours and thirty random ones, 21 message sizes, three ways to send;
the best of three attempts counts. This takes two to ten minutes; --quick makes a ninth of the measurements, and its
result is marked as not comparable. -o keeps the time of every loop; --from evaluates such a file again, without MPI.

\b
Examples:
    stressbench beff -n 8 -o machine.jsonl
    stressbench beff -n 128 --on slurm --memory 2GiB --extra -o machine.jsonl
    stressbench beff --on lab:tiny --lmax 256KiB --quick
    stressbench beff -n 8 --rmax hpcc --report machine.html
    stressbench beff --from machine.jsonl --json

Exit status: 0 success, 2 invalid input, 3 the run failed, 130 interrupted (there is no result).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("beff", help=_HELP)(beff)


def beff(
    ranks: OneRankCount = None,
    on: TargetName = "local",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.jsonl", help="Protocol to write: every loop's time.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory per rank; 1/128 of it is the longest message. Default: detected."),
    ] = None,
    lmax: Annotated[str | None, typer.Option(metavar="SIZE", help="Longest message, instead of --memory.")] = None,
    random_patterns: Annotated[
        str | None, typer.Option("--random", metavar="uniform|legacy", help="How random patterns are drawn.")
    ] = None,
    seed: Annotated[str, typer.Option(metavar="S", help="Seed of the random patterns.")] = "1",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer patterns and attempts: less exact.")] = False,
    extra: Annotated[
        bool,
        typer.Option("--extra", help="Also measure ping-pong, bisections and grids, which b_eff does not include."),
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Check every byte received instead of two.")] = False,
    rmax: Annotated[
        str | None,
        typer.Option(
            metavar="GFLOPS|hpcc",
            help="Linpack's Rmax of these ranks, for the balance factor; hpcc: measure it afterwards with hpcc.",
        ),
    ] = None,
    page: ReportPage = None,
    published: WithPublished = False,
    protocol_file: ProtocolFile = None,
    engine: Engine = None,
    as_json: AsJson = False,
) -> None:
    """Measure b_eff, or evaluate a protocol file, and print the result."""
    status = ExitStatus.ok
    balance = None if rmax is None or rmax == HPCC else rmax_from_text(rmax)
    check_report_page(page)
    if protocol_file is not None:
        if rmax == HPCC:
            raise UserError(f"--rmax {HPCC}: needs a measurement; with --from give Rmax in GFlop/s")
        result = evaluate_b_eff(protocol_file)
    else:
        target = resolve_target(on, environment=os.environ)
        if rmax == HPCC:
            require_hpcc(target, on=on)
        launch = suite_launch(target, ranks, on=on, engine=engine, seed=seed, verify=verify)
        options = motif_options(
            ("--memory", memory), ("--lmax", lmax), ("--random", random_patterns),
            flags=(("--quick", quick), ("--extra", extra)),
        )  # fmt: skip
        result = run_b_eff(launch, options, output=output, progress=emit)
        if rmax == HPCC:
            balance = _run_hpcc(launch, result)
            status = ExitStatus.fault if balance is None else ExitStatus.ok
    if page is not None:
        write_report_page(page, render("html", documents.page(result, rmax=balance)), progress=emit)
    _print(result, rmax=balance, as_json=as_json, published=published)
    raise typer.Exit(status)


def _run_hpcc(launch: SuiteLaunch, result: BEff) -> Rmax | None:
    """Rmax as measured by hpcc; None if hpcc fails, so that b_eff is printed anyway."""
    note("b_eff is measured; running hpcc")
    try:
        return measure_rmax(
            launch.target, ranks=result.ranks,
            memory_bytes=None if result.memory_bytes is None else result.memory_bytes * result.ranks,
            engine=launch.engine, environment=os.environ,
        )  # fmt: skip
    except LaunchMistake as mistake:
        error(str(mistake))
        return None


def _print(result: BEff, *, rmax: Rmax | None, as_json: bool, published: bool) -> None:
    if as_json:
        flops_per_s = None if rmax is None else rmax.flops_per_s
        print_json(balanced(result, rmax_flops_per_s=flops_per_s), BalancedBEff)
        return
    show(documents.brief(result, rmax=rmax, published=published))
