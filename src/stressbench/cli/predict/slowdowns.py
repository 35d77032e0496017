"""`stressbench predict slowdowns`, also the default of `stressbench predict`: slowdowns in a co-run of all."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.profile_selection import (
    WHICH_PROFILES,
    ModelName,
    Profiles,
    SelectionOptions,
)
from stressbench.cli.options.report_page import ReportPage
from stressbench.console import emit
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.prediction import model_named, predict_slowdowns
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.formats.files import recorded_reads
from stressbench.interference.corun_prediction import CoRunPrediction
from stressbench.interference.models import DEFAULT_MODEL, Model
from stressbench.report.interference import predictions
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Predict how much each application is slowed down while all of them run at the same time: its contended time divided by
its isolated time, with a 95 % interval, or the reason why no prediction is possible. Predictions are made from profiles
of each application by itself; nothing is run.

\b
Examples:
    stressbench predict cg.json fft.json
    stressbench predict cg.json cg.json                                # two copies
    stressbench predict cg fft amg --store profiles --machine lab-tiny
    stressbench predict cg.json fft.json --all-models --report both.html --figures figures
    stressbench predict profiles --json | jq '.applications[] | [.application, .foretold[0].prediction.slowdown]'

{WHICH_PROFILES}
The default model is {DEFAULT_MODEL}, which predicts from how long messages wait beside each application. Of the models
that need no measured co-runs, it had the smallest error with real programs on labs (docs/how-to/predict.md). No model
has been validated with co-runs on a cluster yet.

Exit status: 0 at least one prediction, 1 no prediction is possible, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("slowdowns", help=_HELP, no_args_is_help=True)(slowdowns)


@with_options
def slowdowns(
    *, words: Profiles = None, selection: SelectionOptions, model: ModelName = None,
    all_models: Annotated[bool, typer.Option("--all-models", help="Print the prediction of every model.")] = False,
    page: ReportPage = None, figures: FigureFiles, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Print the predicted slowdown of each application when all of them run together."""
    check_report_page(page)
    figures.check()
    if all_models and model is not None:
        raise UserError(f"--all-models and --model {model}: expected one of them")
    models = tuple(Model) if all_models else (model_named(model),)
    with recorded_reads() as sources:
        prediction = predict_slowdowns(selection.profiles(words), models=models)
    if page is not None:
        write_report_page(page, render("html", predictions.page(prediction)), progress=emit)
    figures.write(lambda: predictions.page(prediction), sources=sources)
    if as_json:
        print_json(prediction, CoRunPrediction)
    else:
        show(predictions.brief(prediction))
    if not prediction.has_predictions:
        raise typer.Exit(ExitStatus.negative)
