"""`stressbench compare`: is B slower than A?"""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from stressbench.analysis import Comparison, ComparisonError, compare
from stressbench.model import RunFileError, read_run
from stressbench.report.terminal import print_comparison, standard_output

_MISTAKE = 2
_SLOWER = 1
_HELP = """\
Compare two runs of the same workload, job by job: slower, faster, no difference, or cannot tell.

\b
Examples:
    stressbench compare before.jsonl after.jsonl
    stressbench compare before.jsonl after.jsonl --effect 5% --exit-code

Exit status: 0; with --exit-code 1 when a time of B is slower; 2 a file cannot be read, or the workloads differ.
"""


class EffectError(Exception):
    """`--effect` that is no share; the message says what would be right."""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compare", help=_HELP)(compare_runs)


def parse_effect(text: str) -> float:
    """`2%` or `0.02` as 0.02; EffectError unless it is from 0 to below 100 %."""
    number, scale = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        effect = float(number) / scale
    except ValueError:
        raise EffectError(f"--effect {text}: expected a share such as 2% or 0.02") from None
    if not 0 <= effect < 1:
        raise EffectError(f"--effect {text}: expected at least 0% and less than 100%")
    return effect


def compare_runs(
    a: Annotated[Path, typer.Argument(metavar="A.jsonl", help="The run to measure against.")],
    b: Annotated[Path, typer.Argument(metavar="B.jsonl", help="The run in question.")],
    effect: Annotated[str, typer.Option(metavar="2%", help="The smallest change that matters.")] = "2%",
    as_json: Annotated[bool, typer.Option("--json", help="For programs; times in seconds.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Compare runs of different workloads too.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when a time of B is slower.")] = False,
) -> None:
    """Read, compare, print."""
    try:
        comparison = compare(read_run(a), read_run(b), effect=parse_effect(effect), force=force)
    except (RunFileError, ComparisonError, EffectError) as mistake:
        typer.echo(f"stressbench: {mistake}", err=True)
        raise typer.Exit(_MISTAKE) from None
    if as_json:
        typer.echo(TypeAdapter(Comparison).dump_json(comparison, indent=2))
    else:
        print_comparison(comparison, console=standard_output())
    if exit_code and comparison.slower:
        raise typer.Exit(_SLOWER)
