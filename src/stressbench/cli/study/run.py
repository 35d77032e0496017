"""`stressbench study run`: run the study in a file."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.studies import run_and_exit
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.study import EXIT_STATUS, Share, StudyArgument, StudyRunOptions
from stressbench.console import emit
from stressbench.experiments.study.execution import begin_study

_HELP = f"""\
Run all cells of a study (a file or a shipped one) in random order, into one directory.

Everything is checked before the first run starts: the file, and the workload of each cell by the engine. Ctrl-C ends
the current run after its round. Failed runs are repeated after all others.

If the directory already has a study, the file must have the same cells or more, and the same [run] and seed: completed
runs are kept, and the others are run.

\b
Examples:
    stressbench study run small -o placement                     # a shipped one: `stressbench study list`
    stressbench study run mine.toml -o placement --time-limit 55min
    stressbench study run larger.toml -o placement               # more cells or repetitions
    stressbench study run simulated.toml -o simulated --jobs 4   # on = "simgrid:tinis": virtual time
    stressbench study run mine.toml -o placement --share         # each task of a job array (sbatch --array)

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


@with_options
def run(
    *,
    what: StudyArgument,
    output: Annotated[Path, output_option("DIR", "New directory, or a study to extend.")],
    study_options: StudyRunOptions,
    share: Share = False,
) -> None:
    """Carry out the study `what` in the directory `output`."""
    options = replace(study_options.value(), share=share)
    run_and_exit(begin_study(what, output, options, progress=emit), options)
