"""`stressbench machine resume`: continue a measurement."""

import typer

from stressbench.cli.console.machines import measure_and_exit
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.machine import EXIT_STATUS, MachineFolder
from stressbench.cli.options.study import SequentialStudyOptions
from stressbench.experiments.machine.directory import open_machine_directory

_HELP = f"""\
Continue a measurement after Ctrl-C, kill -9, a crash, or the end of an allocation, with the options of `machine run`.

Completed runs are kept, and an interrupted one is continued in its file. Failed runs are repeated as often as --retries
allows, which counts earlier attempts.

\b
Examples:
    stressbench machine resume tiny
    stressbench machine resume cluster --time-limit 20min

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("resume", help=_HELP)(resume)


@with_options
def resume(folder: MachineFolder, study_options: SequentialStudyOptions) -> None:
    """Measure what is missing in `folder`."""
    options = study_options.value()
    measure_and_exit(open_machine_directory(folder), options)
