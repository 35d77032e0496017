"""`stressbench study resume`: go on where a study was."""

import typer

from stressbench.cli.console.studies import carry_out
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.study import EXIT_STATUS, Folder, StudyRunOptions
from stressbench.experiments.study.directory import open_directory

_HELP = f"""\
Go on with a study, however it ended: Ctrl-C, kill -9, a crash, the end of an allocation.

Runs that are done stay. One that was cut off is continued in its file. One that failed is tried again as often as
--retries allows, the tries before counted in.

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
def resume(folder: Folder, how: StudyRunOptions) -> None:
    """Carry out the runs of the study in `folder` that are open."""
    carry_out(open_directory(folder), how.value())
