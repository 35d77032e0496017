"""Terminal output of studies: their plan, progress and outcome."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from stressbench.cli.console.documents import print_json
from stressbench.console import emit, is_quiet, note, stderr_console, warning
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.execution import StudyOptions, StudyProgress, run_study
from stressbench.experiments.study.plan import plan_of
from stressbench.experiments.study.running import RunCounts, Stop
from stressbench.formats.study.file import Study
from stressbench.formats.units import duration_text
from stressbench.report.renderers.text import show
from stressbench.report.study.plan import plan_document
from stressbench.results.study_plan import StudyPlan

if TYPE_CHECKING:
    from rich.progress import Progress


def run_and_exit(directory: Directory, options: StudyOptions) -> NoReturn:
    """Run the open runs of the study, show progress, and end with the exit status of the study."""
    outcome = run_study(directory, options, progress=emit, watcher=progress_of(directory))
    where = shlex.quote(str(directory.path))
    if outcome.stop is not Stop.done:
        note(f"{outcome.summary}; `stressbench study resume {where}` continues")
    else:
        note(f"{outcome.summary}; `stressbench study report {where}` shows the results")
    if outcome.status == ExitStatus.fault:
        warning(f"`stressbench study status {where}` names what failed; `study resume {where} --retries N` tries again")
    raise typer.Exit(outcome.status)


class _ProgressBar(StudyProgress):
    """Prints one line per launch, and a progress bar below them."""

    def __init__(self, directory: Directory, bar: "Progress") -> None:
        super().__init__(directory, emit)
        self._bar = bar
        self._task = bar.add_task("", total=None, left="")

    def show(self, counts: RunCounts, *, is_end: bool) -> None:  # noqa: ARG002  StudyProgress's signature
        """Update the bar."""
        left = "" if counts.left_s is None else f"about {duration_text(counts.left_s)} left"
        self._bar.update(
            self._task, completed=counts.done + counts.skipped + counts.failed, total=counts.total, left=left
        )


@contextmanager
def progress_of(directory: Directory) -> Iterator[StudyProgress]:
    """Context of the progress of a study: lines, and a bar on a terminal."""
    if is_quiet() or not sys.stderr.isatty():
        yield StudyProgress(directory, emit)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}", markup=False))
    # Once a second only: drawing takes time from a core that ranks may need.
    with Progress(*columns, console=stderr_console(), refresh_per_second=1) as bar:
        yield _ProgressBar(directory, bar)


def print_plan(study: Study, *, folder: Path, as_json: bool) -> None:
    """Print the cells and the order of runs of a study whose paths are relative to `folder`. Raises StudyMistake."""
    plan = plan_of(study, folder=folder)
    if as_json:
        print_json(plan, StudyPlan)
        return
    show(plan_document(plan))
