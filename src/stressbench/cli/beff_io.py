"""`stressbench beff-io`: the effective I/O bandwidth of a file system."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.beff_io import FileSystemOptions
from stressbench.cli.options.common import AsJson, Engine, TargetName
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.report_page import ReportPage
from stressbench.cli.options.study_creation import OneRankCount
from stressbench.cli.options.suite import ProtocolFile, WithPublished
from stressbench.console import emit, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.experiments.suites import evaluate_b_eff_io, run_b_eff_io, suite_launch
from stressbench.launch.option_values import size_bytes
from stressbench.launch.targets import resolve_target
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff_io as documents
from stressbench.suites.beff_io import BEffIO

_HELP = """\
Measure the effective I/O bandwidth b_eff_io (Rabenseifner and Koniges): one number for a file system, and its
components.

All ranks write files for a third of T, rewrite them, and read them: 36 patterns of five types through MPI-IO, chunks of
1 kB to M_PART, with and without 8 extra bytes. Release 2 measures all partitions within one T and rewrites with type 0
only. Deviations from the definition (shorter times, limited files, no shared pointers) are allowed and reported.
-o keeps the time of every pattern; --from evaluates such a file again, without MPI.

\b
Examples:
    stressbench beff-io -n 8 --file /scratch/me/b_eff_io -o disk.jsonl
    stressbench beff-io -n 16 -T 30min --release 2 --partitions 4,8,16 --on slurm --report disk.html
    stressbench beff-io -n 4 -T 60s --on lab:tiny-io --limit 256MiB
    stressbench beff-io --from disk.jsonl --cache 8GiB --json

Exit status: 0 success, 2 invalid input, 3 the run failed or --from has an incomplete one, 130 interrupted (what was
measured is printed, without a b_eff_io).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("beff-io", help=_HELP)(beff_io)


@with_options
def beff_io(
    *,
    ranks: OneRankCount = None,
    scheduled: Annotated[
        str | None,
        typer.Option(
            "-T", "--time", metavar="T",
            help="Scheduled time: of a partition in release 1 (default 15min), of all in release 2 (30min).",
        ),
    ] = None,
    on: TargetName = "local",
    files: FileSystemOptions,
    verify: Annotated[bool, typer.Option("--verify", help="Check every byte that is read; slower.")] = False,
    seed: Annotated[str, typer.Option(metavar="S", help="Seed of the run.")] = "1",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.jsonl", help="Protocol to write: every pattern's time."),
    ] = None,
    protocol_file: ProtocolFile = None,
    page: ReportPage = None,
    published: WithPublished = False,
    cache: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="File system cache, to check that 20 times as much was written."),
    ] = None,
    as_json: AsJson = False,
    engine: Engine = None,
) -> None:  # fmt: skip
    """Measure b_eff_io, or evaluate a protocol file, and print the result."""
    status: int = ExitStatus.ok
    cache_bytes = None if cache is None else size_bytes(cache, option="--cache")
    check_report_page(page)
    if protocol_file is not None:
        result = evaluate_b_eff_io(protocol_file, cache_bytes=cache_bytes)
    else:
        spec = files.spec(time=scheduled)
        spec.check()
        target = resolve_target(on, environment=os.environ)
        launch = suite_launch(target, ranks, on=on, engine=engine, seed=seed, verify=verify)
        result, status = run_b_eff_io(
            launch, spec.motif_options(launch), output=output, cache_bytes=cache_bytes, progress=emit
        )  # fmt: skip
    if page is not None:
        write_report_page(page, render("html", documents.page(result)), progress=emit)
    _print(result, as_json=as_json, published=published)
    if not result.complete:
        if as_json:
            note(documents.value_text(result))
        raise typer.Exit(status or ExitStatus.fault)
    raise typer.Exit(status)


def _print(result: BEffIO, *, as_json: bool, published: bool) -> None:
    if as_json:
        print_json(result, BEffIO)
        return
    show(documents.brief(result, published=published))
