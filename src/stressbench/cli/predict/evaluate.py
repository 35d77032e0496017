"""`stressbench predict evaluate`: predictions against co-runs that were measured."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from stressbench.cli.following import stop
from stressbench.cli.pages import Report, put_page, require_page
from stressbench.cli.predict.common import (
    CANNOT_TELL,
    WHICH_PROFILES,
    AsJson,
    Machine,
    StoreFolder,
    Words,
    profiles_of,
)
from stressbench.console import echo
from stressbench.formats.run import RunFileError
from stressbench.interference.coruns import read_coruns
from stressbench.interference.errors import ProfileFileError
from stressbench.interference.judging import Judgement, judge
from stressbench.report.interference import judgement
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Compare what models predict with co-runs that were measured: mean absolute error, quartiles, share within 5 and within
10 points, how many intervals held, and how many co-runs a model could not tell of.

\b
Examples:
    stressbench predict evaluate profiles --observed co-runs.jsonl
    stressbench predict evaluate cg.json fft.json --observed pair.jsonl --pairs
    stressbench predict evaluate profiles --observed co-runs.jsonl --report models.html
    stressbench predict evaluate profiles --observed run1.jsonl --observed run2.jsonl --csv > scores.csv
    stressbench predict evaluate profiles --observed co-runs.jsonl --json | jq '.scores[0].model'

FILE has a co-run a line (docs/predict.md; schema/observation.schema.json), or is a run file of `stressbench run`: each
of its jobs that was measured alone and beside the others is a co-run, its job's name the application's.

\b
    {{"type": "observation", "schema_version": 1, "victim": "cg", "aggressors": ["fft"], "slowdown": 1.32,
     "interval": [1.29, 1.36], "source": "three runs by hand"}}

(on one line). Co-runs with somebody who has no profile are left out, and named. Models that learn (Blend) predict each
victim without having seen a co-run with it.

{WHICH_PROFILES}
Exit status: 0 compared, 1 no model could tell of any co-run, 2 something to put right.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("evaluate", help=_HELP, no_args_is_help=True)(evaluate)


def evaluate(
    observed: Annotated[list[Path], typer.Option(metavar="FILE", help="Measured co-runs; may be given several times.")],
    words: Words = None,
    store: StoreFolder = None,
    machine: Machine = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="A line a co-run, too: measured, and what each says.")] = False,
    page: Report = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="A line a model; with --pairs: a co-run and model.")] = False,
) -> None:
    """Read, compare, print."""
    require_page(page)
    if as_json and as_csv:
        raise stop("--json and --csv: expected one of them")
    try:
        profiles = profiles_of(words or (), store=store, machine=machine)
        co_runs = [one for path in observed for one in read_coruns(path)]
    except (ProfileFileError, RunFileError) as mistake:
        raise stop(str(mistake)) from None
    try:
        found = judge(profiles, co_runs)
    except ValueError as mistake:
        raise stop(str(mistake)) from None
    if not found.co_runs:
        why = "; ".join(dict.fromkeys(one.reason for one in found.left_out)) or "every job is background"
        raise stop(f"--observed {' '.join(map(str, observed))}: no co-run of these profiles: {why}")
    if page is not None:
        put_page(page, render("html", judgement.page(found)))
    _show(found, pairs=pairs, as_json=as_json, as_csv=as_csv)
    if not found.tells:
        raise typer.Exit(CANNOT_TELL)


def _show(found: Judgement, *, pairs: bool, as_json: bool, as_csv: bool) -> None:
    if as_json:
        echo(TypeAdapter(Judgement).dump_json(found, indent=2))
    elif as_csv:
        echo(render("csv", judgement.brief(found, pairs=pairs)), nl=False)
    else:
        show(judgement.brief(found, pairs=pairs))
