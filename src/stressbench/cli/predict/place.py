"""`stressbench predict place`: which applications should share a switch."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.profile_selection import (
    WHICH_PROFILES,
    ModelName,
    Profiles,
    SelectionOptions,
)
from stressbench.cli.options.report_page import ReportPage
from stressbench.console import emit
from stressbench.experiments.interference.prediction import model_named, propose_placement
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.interference.placement_plan import PlacementPlan
from stressbench.report.interference import placement
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Propose which applications should share a switch: the placement with the smallest sum of predicted slowdowns. It is the
optimum, not a heuristic. Groups without a prediction do not share a switch, and are listed.

\b
Examples:
    stressbench predict place profiles --switches 3 --per-switch 2
    stressbench predict place cg.json fft.json amg.json --switches 2
    stressbench predict place cg cg fft --store profiles --switches 2 --model Monotone --json

{WHICH_PROFILES}
Exit status: 0 success, 1 no placement can be predicted, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("place", help=_HELP, no_args_is_help=True)(place)


@with_options
def place(
    *, switches: Annotated[int, typer.Option(metavar="N", min=1, help="Number of switches.")],
    words: Profiles = None,
    per_switch: Annotated[int, typer.Option(metavar="K", min=1, help="Applications that fit on each switch.")] = 2,
    selection: SelectionOptions, model: ModelName = None, page: ReportPage = None, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Print the placement with the smallest sum of predicted slowdowns."""
    check_report_page(page)
    chosen = model_named(model)
    plan = propose_placement(selection.profiles(words), switches=switches, per_switch=per_switch, model=chosen)
    if page is not None:
        write_report_page(page, render("html", placement.page(plan)), progress=emit)
    if as_json:
        print_json(plan, PlacementPlan)
        return
    show(placement.brief(plan))
