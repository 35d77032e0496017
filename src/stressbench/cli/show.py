"""`stressbench show`: the results of a run in the terminal, or as JSON."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import json_option
from stressbench.cli.options.share import share
from stressbench.experiments.run_summary import motif_counts, motif_limit
from stressbench.formats.run import read_run
from stressbench.report.renderers.text import show as print_document
from stressbench.report.run.summary import DEFAULT_LINKS, DEFAULT_MOTIFS, SummaryParts, document_of
from stressbench.stats import TARGET, IntervalMethod, RunSummary, summarise

_HELP = """\
Show what a run measured: isolated and contended times of each job and motif, and the congestion impact.

The completed rounds of an incomplete run are shown. Warnings about doubtful numbers follow the table.

\b
Examples:
    stressbench show demo.jsonl
    stressbench show demo.jsonl --jobs-only
    stressbench show demo.jsonl --tails --plan 2%
    stressbench show demo.jsonl --telemetry
    stressbench show demo.jsonl --json | jq '.jobs[] | {name, impact: .timing.impact.ratio}'

Exit status: 0 success, 2 the file cannot be read or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("show", help=_HELP)(show)


def show(
    file: Annotated[Path, typer.Argument(metavar="RUN.jsonl", help="Run file of `stressbench run`.")],
    steps: Annotated[
        bool, typer.Option("--steps/--jobs-only", help="Show rows for jobs and motifs, or for jobs only.")
    ] = True,
    links: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Links to show at most, busiest first, if link traffic was counted."),
    ] = DEFAULT_LINKS,
    motifs: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Motifs to show per job at most, those that took longest; 0: all."),
    ] = DEFAULT_MOTIFS,
    tails: Annotated[
        bool,
        typer.Option("--tails", help="Also show median and percentiles 95, 99 and 99.9, with intervals and ratios."),
    ] = False,
    telemetry: Annotated[
        bool,
        typer.Option("--telemetry", help="Also show the counters of the hosts, the busiest NICs, and slow hosts."),
    ] = False,
    plan: Annotated[
        str | None,
        typer.Option(
            metavar="2%", help="Estimate how many more rounds narrow the interval of the impact to plus or minus this."
        ),
    ] = None,
    interval: Annotated[
        IntervalMethod, typer.Option(help="Interval of the congestion impact (docs/explanation/statistics.md).")
    ] = IntervalMethod.ranks,
    as_json: Annotated[bool, json_option("JSON output with every number; times in seconds.")] = False,
    include_extra: Annotated[
        bool,
        typer.Option("--include-extra", help="Include the extra repetitions of sustained jobs in contended rounds."),
    ] = False,
) -> None:
    """Print the summary of a run file."""
    target = TARGET if plan is None else share(plan, option="--plan", zero=False)
    run = read_run(file)
    most_steps = motif_limit(motifs, jobs_only=not steps, as_values=as_json)
    summary = summarise(run, include_extra=include_extra, interval=interval, target=target, most_steps=most_steps)
    if as_json:
        print_json(summary, RunSummary)
    else:
        parts = SummaryParts(
            steps=steps,
            links=links,
            tails=tails,
            plan=plan is not None,
            motif_counts=motif_counts(run),
            telemetry=telemetry,
        )
        print_document(document_of(summary, parts=parts))
