"""`stressbench study resume`: continue a study."""

from dataclasses import replace

import typer

from stressbench.cli.console.studies import run_and_exit
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.study import EXIT_STATUS, Folder, Share, StudyRunOptions
from stressbench.experiments.study.directory import open_directory

_HELP = f"""\
Continue a study after Ctrl-C, kill -9, a crash, or the end of an allocation.

Completed runs are kept, and an interrupted run is continued in its file. Failed runs are repeated as often as --retries
allows, which counts earlier attempts.

\b
Examples:
    stressbench study resume placement
    stressbench study resume placement --retries 5 --time-limit 55min

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("resume", help=_HELP)(resume)


@with_options
def resume(*, folder: Folder, study_options: StudyRunOptions, share: Share = False) -> None:
    """Carry out the open runs of the study in `folder`."""
    run_and_exit(open_directory(folder), replace(study_options.value(), share=share))
