"""`stressbench study run`: a study from its file."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.study.common import (
    EXIT_STATUS,
    CliPlaces,
    Jobs,
    Retries,
    StudyWord,
    TimeLimit,
    Wanted,
    carry_out,
    told,
)
from stressbench.formats.study.file import read_study
from stressbench.study.catalog import study_file
from stressbench.study.directory import take_up
from stressbench.study.places import require_links

_HELP = f"""\
Run all cells of a study, a file or one that ships, in random order, into one directory.

Everything is checked before the first run starts: the file, and each cell's workload by the engine. Ctrl-C ends the
current run after its round. A run that fails is tried again when all others have had their turn.

With a directory that holds a study already, the file must have the same cells or more, and the same [run] and seed:
what is there is kept, and the rest is run.

\b
Examples:
    stressbench study run small -o placement                     # one that ships: `stressbench study list`
    stressbench study run mine.toml -o placement --time-limit 55min
    stressbench study run larger.toml -o placement               # more cells or repetitions
    stressbench study run simulated.toml -o simulated --jobs 4   # on = "simgrid:tinis": virtual time

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


def run(
    what: StudyWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="New, or a study that grows.", show_default=False)
    ],
    retries: Retries = None,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
) -> None:
    """Check, take up, carry out."""
    wanted = Wanted(retries=retries, time_limit=time_limit, jobs=jobs)
    with told():
        file = study_file(what)
        study, text = read_study(file)
        wanted.check(study)
        folder = file.absolute().parent
        require_links(study, CliPlaces(), text=text, source=str(file), folder=folder)
        directory = take_up(output, study=study, text=text, folder=folder)
        carry_out(directory, wanted)
