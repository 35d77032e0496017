"""`stressbench predict place`: who should share a switch."""

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
from stressbench.interference.errors import CannotTell, ProfileFileError
from stressbench.interference.seating import Seating, seat, why_nobody_can_tell
from stressbench.report.interference import placement
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Say which applications should share a switch: the arrangement whose predicted slow-downs sum up to least. It is the
best of all, not a guess; groups of which nobody can tell are kept apart, and named.

\b
Examples:
    stressbench predict place profiles --switches 3 --per-switch 2
    stressbench predict place cg.json fft.json amg.json --switches 2
    stressbench predict place cg cg fft --store profiles --switches 2 --model Monotone --json

{WHICH_PROFILES}
Exit status: 0 advised, 1 could not tell (no arrangement is left), 2 something to put right.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("place", help=_HELP, no_args_is_help=True)(place)


def place(
    switches: Annotated[int, typer.Option(metavar="N", min=1, help="How many switches there are.")],
    words: Words = None,
    per_switch: Annotated[int, typer.Option(metavar="K", min=1, help="How many applications fit on each.")] = 2,
    store: StoreFolder = None,
    machine: Machine = None,
    model: OneModel = None,
    page: Report = None,
    as_json: AsJson = False,
) -> None:
    """Read, place, print."""
    require_page(page)
    chosen = model_of(model)
    try:
        profiles = profiles_of(words or (), store=store, machine=machine)
    except ProfileFileError as mistake:
        raise stop(str(mistake)) from None
    try:
        found = seat(profiles, chosen, switches=switches, per_switch=per_switch)
    except ValueError as mistake:
        raise stop(f"--switches {switches} --per-switch {per_switch}: {mistake}") from None
    except CannotTell as reason:
        why = "; ".join(why_nobody_can_tell(profiles, chosen))
        raise stop(f"cannot tell: {reason} ({why})", status=CANNOT_TELL) from None
    if page is not None:
        put_page(page, render("html", placement.page(found)))
    if as_json:
        echo(TypeAdapter(Seating).dump_json(found, indent=2))
        return
    show(placement.brief(found))
