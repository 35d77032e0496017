"""`stressbench beff-io`: the effective I/O bandwidth of a file system."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.beff_io import FileSystemOptions
from stressbench.cli.options.common import verify_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.suite import SuiteOptions
from stressbench.console import emit, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.io_settings import DEFAULT_TIME
from stressbench.experiments.report_page import (
    check_report_page,
    check_text_file,
    write_report_page,
    write_text_file,
)
from stressbench.experiments.suites import evaluate_b_eff_io, run_b_eff_io
from stressbench.launch.option_values import size_bytes
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff_io as documents
from stressbench.report.suites.beff_io_text import skampi_text, summary_text
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
    stressbench beff-io --from disk.jsonl --figures figures
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
    suite: SuiteOptions,
    figures: FigureFiles,
    scheduled: Annotated[
        str | None,
        typer.Option(
            "-T", "--time", metavar="T",
            help=f"Scheduled time: of a partition in release 1 (default {DEFAULT_TIME['1']}), "
            f"of all in release 2 ({DEFAULT_TIME['2']}).",
        ),
    ] = None,
    files: FileSystemOptions,
    verify: Annotated[bool, verify_option("Check every byte that is read; slower.")] = False,
    cache: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Size of the file system cache, to check that 20 times as much was written."),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FILE.sum", help="Write the original program's summary.", show_default=False),
    ] = None,
    skampi: Annotated[
        Path | None,
        typer.Option(metavar="FILE.sko", help="Write all patterns as result blocks like SKaMPI's.", show_default=False),
    ] = None,
) -> None:  # fmt: skip
    """Measure b_eff_io, or evaluate a protocol file, and print the result."""
    status: int = ExitStatus.ok
    cache_bytes = None if cache is None else size_bytes(cache, option="--cache")
    check_report_page(suite.page)
    figures.check()
    check_text_file(summary, endings=(".sum", ".txt"), option="--summary")
    check_text_file(skampi, endings=(".sko", ".txt"), option="--skampi")
    if suite.protocol_file is not None:
        result = evaluate_b_eff_io(suite.protocol_file, cache_bytes=cache_bytes)
    else:
        files.check(time=scheduled)
        launch = suite.launch(suite.target, verify=verify)
        result, status = run_b_eff_io(
            launch, files.value(launch, time=scheduled), output=suite.output, cache_bytes=cache_bytes, progress=emit
        )  # fmt: skip
    if suite.page is not None:
        write_report_page(suite.page, render("html", documents.page(result)), progress=emit)
    figures.write(lambda: documents.page(result), sources=suite.sources)
    if summary is not None:
        write_text_file(summary, summary_text(result), option="--summary", progress=emit)
    if skampi is not None:
        write_text_file(skampi, skampi_text(result), option="--skampi", progress=emit)
    _print(result, as_json=suite.as_json, published=suite.published)
    if not result.complete:
        if suite.as_json:
            note(documents.value_text(result))
        raise typer.Exit(status or ExitStatus.fault)
    raise typer.Exit(status)


def _print(result: BEffIO, *, as_json: bool, published: bool) -> None:
    if as_json:
        print_json(result, BEffIO)
        return
    show(documents.brief(result, published=published))
