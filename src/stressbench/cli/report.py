"""`stressbench report`: run files as an HTML page or in another format, and the data of the figures."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named, write_data
from stressbench.cli.options.documents import DataFolder, format_option, output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.impact_checks import ImpactChecks
from stressbench.cli.options.verdicts import (
    BUSY_SHARE,
    LIMITS,
    BusyAbove,
    SlowedAbove,
    TailAbove,
    TopologyWord,
    verdict_options,
)
from stressbench.formats.run import read_run
from stressbench.report.run import FORMATS, checked, page

_PAGE = "html"
_HELP = """\
Make one self-contained HTML page from one or more run files.

The page begins with who is slowed, by how much, where, how much longer tails are, and what to do next, and with a
picture of the network and the load of its links. It needs neither JavaScript nor a network, and can be printed. The
completed rounds of an incomplete run are shown. Other formats print its tables to standard output, or with summary at
most ten lines. --figures writes its figures as files; --data writes only their data as CSV, and as Parquet with
pyarrow. --junit writes a test for each job, its congestion impact and its tails, which fails if the 95 % interval lies
above --slowed-above or --tail-above, and is skipped if it contains that limit.

\b
Examples:
    stressbench report demo.jsonl
    stressbench report monday.jsonl friday.jsonl -o week.html
    stressbench report demo.jsonl --format md
    stressbench report demo.jsonl --format latex -o demo.tex
    stressbench report demo.jsonl --format summary
    stressbench report demo.jsonl --figures figures
    stressbench report demo.jsonl --data numbers
    stressbench report demo.jsonl --junit report.xml --slowed-above 1.1 --exit-code
    stressbench report demo.jsonl --topology /etc/slurm/topology.conf --slowed-above 1.02

Exit status: 0 success; with --exit-code, 1 if a job is slowed or a tail longer; 2 a file cannot be read or written, or
an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


@with_options
def report(
    *,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN.jsonl...", help="Run files.", show_default=False)],
    kind: Annotated[str, format_option(FORMATS)] = _PAGE,
    output: Annotated[
        Path | None,
        output_option(
            "FILE", "Output file; default: the name of the first run with .html, or standard output for other formats."
        ),
    ] = None,
    data: DataFolder = None,
    figures: FigureFiles,
    checks: ImpactChecks,
    topology: TopologyWord = None,
    slowed_above: SlowedAbove = LIMITS.slowed_above,
    tail_above: TailAbove = LIMITS.tail_above,
    busy_above: BusyAbove = BUSY_SHARE,
) -> None:
    """Read all runs, then write the report; nothing is written if a run cannot be read."""
    render = renderer_named(kind, FORMATS)
    figures.check()
    options = verdict_options(topology, slowed_above=slowed_above, tail_above=tail_above, busy_above=busy_above)
    read = [read_run(path) for path in runs]
    target = output or (runs[0].with_suffix(".html") if kind == _PAGE else None)  # a run that was read has a name
    print_or_write(render(read, options), target)
    if data is not None:
        from stressbench.report.export import export  # figures take a second to import

        write_data(lambda: export(read, data), data)
    sources = {f"run{number}": path for number, path in enumerate(runs, start=1)}
    figures.write(lambda: page(read, options), sources=runs, source_of=sources)
    checks.carry_out(lambda: checked(read, options))
