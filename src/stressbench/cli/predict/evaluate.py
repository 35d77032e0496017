"""`stressbench predict evaluate`: predictions compared with measured co-runs."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.profile_selection import WHICH_PROFILES, Profiles, SelectionOptions
from stressbench.cli.options.report_page import ReportPage
from stressbench.console import echo, emit
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.prediction import validate_predictions
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.formats.files import recorded_reads
from stressbench.interference.validation import Validation
from stressbench.report.interference import evaluation
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show

_HELP = f"""\
Compare the predictions of all models with measured co-runs: mean absolute error, quartiles, the share within 5 and
within 10 percentage points, how many intervals contain the measurement, and how many co-runs a model cannot predict.

\b
Examples:
    stressbench predict evaluate profiles --observed co-runs.jsonl
    stressbench predict evaluate cg.json fft.json --observed pair.jsonl --pairs
    stressbench predict evaluate profiles --observed co-runs.jsonl --report models.html
    stressbench predict evaluate profiles --observed run1.jsonl --observed run2.jsonl --csv > scores.csv
    stressbench predict evaluate profiles --observed co-runs.jsonl --json | jq '.scores[0].model'

FILE has one co-run per line (docs/how-to/predict.md; schema/observation.schema.json), or is a run file of
`stressbench run`: each of its jobs with isolated and contended rounds is a co-run, with the job's name as that of the
application.

\b
    {{"type": "observation", "schema_version": 1, "victim": "cg", "aggressors": ["fft"], "slowdown": 1.32,
     "interval": [1.29, 1.36], "source": "three runs by hand"}}

(on one line). Co-runs with an application that has no profile are skipped and listed. Models that are trained (Blend)
predict each victim without having seen a co-run with it.

{WHICH_PROFILES}
Exit status: 0 success, 1 no model can predict any co-run, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("evaluate", help=_HELP, no_args_is_help=True)(evaluate)


@with_options
def evaluate(
    *, observed: Annotated[list[Path], typer.Option(metavar="FILE", help="Measured co-runs; can be repeated.")],
    words: Profiles = None, selection: SelectionOptions,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Also print one line per co-run, with all predictions.")
    ] = False,
    page: ReportPage = None, figures: FigureFiles, as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV output: a row per model, or, with --pairs, per pair.")]
    = False,
) -> None:  # fmt: skip
    """Compare predictions from the profiles with the measured co-runs, and print the errors of each model."""
    check_report_page(page)
    figures.check()
    if as_json and as_csv:
        raise UserError("--json and --csv: expected one of them")
    with recorded_reads() as sources:
        validation = validate_predictions(selection.profiles(words), observed)
    if page is not None:
        write_report_page(page, render("html", evaluation.page(validation)), progress=emit)
    figures.write(lambda: evaluation.page(validation), sources=sources)
    _print(validation, pairs=pairs, as_json=as_json, as_csv=as_csv)
    if not validation.has_predictions:
        raise typer.Exit(ExitStatus.negative)


def _print(validation: Validation, *, pairs: bool, as_json: bool, as_csv: bool) -> None:

    if as_json:
        print_json(validation, Validation)
    elif as_csv:
        echo(render("csv", evaluation.brief(validation, pairs=pairs)), nl=False)
    else:
        show(evaluation.brief(validation, pairs=pairs))
