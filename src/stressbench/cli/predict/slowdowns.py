"""`stressbench predict slowdowns`, and `stressbench predict` itself: each application beside all the others."""

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
    OneModel,
    StoreFolder,
    Words,
    model_of,
    profiles_of,
)
from stressbench.console import echo
from stressbench.interference.errors import ProfileFileError
from stressbench.interference.models import BEST, Model
from stressbench.interference.together import Together, foretell
from stressbench.report.interference import predictions
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Predict how much each application is slowed while all of them run at once: time beside the others over time alone, with
its 95 % interval, or why nobody can tell. From profiles of each alone; nothing runs.

\b
Examples:
    stressbench predict cg.json fft.json
    stressbench predict cg.json cg.json                                # two copies
    stressbench predict cg fft amg --store profiles --machine lab-tiny
    stressbench predict cg.json fft.json --all-models --report both.html
    stressbench predict profiles --json | jq '.applications[] | [.application, .foretold[0].prediction.slowdown]'

{WHICH_PROFILES}
The default model is {BEST}: it knows that applications have phases, and of those that need no co-runs it had the least
error in a made-up world (docs/predict.md). None was compared with co-runs on a real machine yet.

Exit status: 0 told of somebody, 1 could not tell of anyone, 2 something to put right.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("slowdowns", help=_HELP, no_args_is_help=True)(slowdowns)


def slowdowns(
    words: Words = None,
    store: StoreFolder = None,
    machine: Machine = None,
    model: OneModel = None,
    all_models: Annotated[bool, typer.Option("--all-models", help="What each of them says.")] = False,
    page: Report = None,
    as_json: AsJson = False,
) -> None:
    """Read, predict, print."""
    require_page(page)
    if all_models and model is not None:
        raise stop(f"--all-models and --model {model}: expected one of them")
    models = tuple(Model) if all_models else (model_of(model),)
    try:
        profiles = profiles_of(words or (), store=store, machine=machine)
    except ProfileFileError as mistake:
        raise stop(str(mistake)) from None
    if len(profiles) < 2:
        raise stop(f"{profiles[0].application} alone: nobody is beside it; expected two profiles or more")
    found = foretell(profiles, models)
    if page is not None:
        put_page(page, render("html", predictions.page(found)))
    if as_json:
        echo(TypeAdapter(Together).dump_json(found, indent=2))
    else:
        show(predictions.brief(found))
    if not found.tells:
        raise typer.Exit(CANNOT_TELL)
