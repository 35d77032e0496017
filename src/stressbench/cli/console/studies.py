"""Studies on the terminal: their plan, their progress, and how carrying one out ended."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from stressbench.cli.console.documents import print_json
from stressbench.console import Console, echo, emit, is_quiet, note, progress, warning
from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.running import Order, Result, Stop, Tally
from stressbench.experiments.study_plan import plan_of
from stressbench.experiments.study_runs import StudyOptions, StudyOutcome, run_study
from stressbench.formats.study.cells import described, varying
from stressbench.formats.study.file import Study
from stressbench.formats.units import duration_text
from stressbench.report.renderers.text import new_table, print_table
from stressbench.report.terminal import standard_output

if TYPE_CHECKING:
    from rich.progress import Progress


def carry_out(directory: Directory, options: StudyOptions) -> NoReturn:
    """Run what is open in the directory, show progress, and end with the exit status of the study."""
    outcome = run_study(directory, options, report=emit, watcher=_progress_of(directory))
    raise typer.Exit(_close(directory, outcome))


def _close(directory: Directory, outcome: StudyOutcome) -> ExitStatus:
    where, tally = shlex.quote(str(directory.path)), outcome.tally
    counts = f"{tally.done} of {tally.total} runs are done"
    if tally.spared:
        counts += f", {tally.spared} were not needed"
    if tally.failed:
        counts += f", {tally.failed} failed"
    if outcome.stop is not Stop.done:
        why = "stopped" if outcome.stop is Stop.interrupted else "the time limit came first"
        note(f"{why}: {counts}; `stressbench study resume {where}` goes on")
        return ExitStatus.interrupted
    note(f"{counts}; `stressbench study report {where}` shows the results")
    if tally.failed:
        warning(f"`stressbench study status {where}` names what failed; `study resume {where} --retries N` tries again")
    return ExitStatus.fault if tally.failed else ExitStatus.ok


class _StudyProgress:
    """A line per launch, and on terminals a bar beneath them."""

    def __init__(self, directory: Directory, bar: "Progress | None") -> None:
        self._factors = varying(directory.study.cells)
        self._bar = bar
        self._task = None if bar is None else bar.add_task("", total=None, left="")

    def waits(self, path: Path) -> None:
        """A launch of an earlier command still writes."""
        progress(f"a launch from before still writes to {path}; waiting for its end")

    def starts(self, order: Order, tally: Tally) -> None:
        """A run starts or continues."""
        word = "goes on" if order.continues else "starts"
        progress(f"{order.run.id} {word}: {described(order.run.cell, self._factors)}")
        self._show(tally)

    def ended(self, order: Order, result: Result, tally: Tally) -> None:
        """A run ended."""
        if result.status not in (ExitStatus.ok, ExitStatus.interrupted):
            warning(f"{order.run.id} failed (status {result.status}): {result.reason or 'no reason is known'}")
        if self._bar is None and tally.left_s:
            progress(f"{tally.done} of {tally.total} runs are done; about {duration_text(tally.left_s)} left")
        self._show(tally)

    def _show(self, tally: Tally) -> None:
        if self._bar is not None and self._task is not None:
            left = "" if tally.left_s is None else f"about {duration_text(tally.left_s)} left"
            self._bar.update(
                self._task, completed=tally.done + tally.spared + tally.failed, total=tally.total, left=left
            )


@contextmanager
def _progress_of(directory: Directory) -> Iterator[_StudyProgress]:
    if is_quiet() or not sys.stderr.isatty():
        yield _StudyProgress(directory, None)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False, markup=False)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}", markup=False))
    # Once a second: drawing takes a core that ranks may want.
    with Progress(*columns, console=console, refresh_per_second=1) as bar:
        yield _StudyProgress(directory, bar)


def print_plan(study: Study, *, folder: Path, as_json: bool) -> None:
    """Print the cells and the order of runs of a study whose paths are relative to `folder`. Raises StudyMistake."""
    plan = plan_of(study, folder=folder)
    if as_json:
        print_json(plan.values(), Any)
        return
    factors = varying(study.cells)
    if study.about:
        echo(study.about)
    echo(f"{len(study.cells)} cells, {plan.count}, in the order of seed {study.seed}:")
    table = new_table(left=("run", *factors), right=())
    for run in study.runs:
        table.add_row(run.id, *(run.cell.values.get(name, "") for name in factors))
    print_table(standard_output(), table)
    if len(factors) < len(study.cells[0].values):
        fixed = tuple(name for name in study.cells[0].values if name not in factors)
        echo(f"in all cells: {described(study.cells[0], fixed)}")
    echo(f"time: at least {duration_text(plan.least_s)}, at most {duration_text(plan.most_s)}")
