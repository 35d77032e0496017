"""What the subcommands share: mistakes and their status, places, progress, and carrying a study out."""

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated, TypeAlias

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from stressbench.cli.places import engine_for, place_of, set_rate
from stressbench.console import Console, echo
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.launch.batch import batch_systems
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.place import Place
from stressbench.results.material import Material
from stressbench.results.selections import selections_of
from stressbench.results.study import StudyReport
from stressbench.study.cells import Cell
from stressbench.study.directory import Directory, locked, now, require_same_workloads
from stressbench.study.errors import StudyFault, StudyMistake
from stressbench.study.fields import seconds_of
from stressbench.study.file import Study
from stressbench.study.launching import Launching
from stressbench.study.manifest import PolicyRecord, Record
from stressbench.study.results import is_narrow, report_of
from stressbench.study.running import (
    DONE,
    FAULT,
    INTERRUPTED,
    Campaign,
    OneAtATime,
    Order,
    Policy,
    Pool,
    Result,
    Stop,
    Tally,
)
from stressbench.study.slowed import slowed
from stressbench.study.standing import retries_of, standings
from stressbench.study.workers import Workers

MISTAKE = 2
EXIT_STATUS = (
    "Exit status: 0 all runs are done, 2 something to put right (nothing was started), 3 runs failed for good, "
    "130 interrupted,\nor the time limit came first: `study resume` goes on."
)
_BESIDE_EACH_OTHER = ("slurm", "flux", "simgrid")
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)

Folder: TypeAlias = Annotated[Path, typer.Argument(metavar="DIR", help="A study's directory.", show_default=False)]
StudyWord: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE.toml", help="A study that ships (`study list`), or a study file.", show_default=False
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="For programs; times in seconds, unknown is null.")]
Retries: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="How often a run that failed is tried again, in all, kept in DIR; default: as the file says, or 1.",
    ),
]
TimeLimit: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="T", help="Start nothing that would not end within this time, for example 55min."),
]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(metavar="N", min=1, help="Runs at once, where each has nodes of its own: slurm, flux, and simgrid."),
]


def say(sentence: str) -> None:
    """A line on standard error."""
    echo(f"stressbench: {sentence}", err=True)


@contextmanager
def told() -> Iterator[None]:
    """Mistakes become one message and status 2, faults one and status 3."""
    try:
        yield
    except (StudyMistake, LaunchMistake) as mistake:
        echo(
            "\n".join(
                f"stressbench: {line}" if not number else line for number, line in enumerate(str(mistake).splitlines())
            ),
            err=True,
        )
        raise typer.Exit(MISTAKE) from None
    except StudyFault as fault:
        say(str(fault))
        raise typer.Exit(FAULT) from None
    except KeyboardInterrupt:  # before the first run, or after the last one
        raise typer.Exit(INTERRUPTED) from None


class CliPlaces:
    """Places as `stressbench run --on` has them."""

    def place(self, on: str, *, rate: str | None = None, rails: int | None = None) -> Place:
        """Where ranks go, over such links."""
        return place_of(on, environment=os.environ, rate=rate, rails=rails)

    def set_rate(self, on: str, rate: str) -> None:
        """As `stressbench lab set all rate=...` does."""
        set_rate(on, rate)

    def engine(self, place: Place, given: Path | None) -> Path | None:
        """The engine that was given, or the one that the place needs."""
        return engine_for(place, given, environment=os.environ)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was typed about how to run; None leaves it to the study file."""

    retries: int | None = None
    time_limit: str | None = None
    jobs: int = 1

    def policy(self, study: Study, records: Sequence[Record] = ()) -> Policy:
        """With what the file and the manifest say. Raises StudyMistake."""
        limit_s = study.time_limit_s
        if self.time_limit is not None:
            try:
                limit_s = seconds_of(self.time_limit)
            except ValueError as fault:
                raise StudyMistake(f"--time-limit: '{self.time_limit}': {fault}") from fault
        before = retries_of(records, written=study.retries)
        return Policy(retries=before if self.retries is None else self.retries, time_limit_s=limit_s)

    def check(self, study: Study) -> None:
        """Raise StudyMistake where something does not fit the study, before anything is written."""
        self.policy(study)
        self._require_room(study)

    def pool(self, study: Study) -> Pool:
        """Where runs run. Raises StudyMistake where several at once would disturb each other."""
        self._require_room(study)
        if self.jobs == 1:
            return OneAtATime()
        if any(cell.on in batch_systems() for cell in study.cells):
            say("runs at once have nodes of their own but share the network: one may measure another's traffic")
        return Workers(self.jobs)

    def _require_room(self, study: Study) -> None:
        if self.jobs == 1:
            return
        if study.rate_command is not None:
            raise StudyMistake(
                f"--jobs {self.jobs}: rate_command sets one rate for all that runs; expected 1 where a study has one"
            )
        for cell in study.cells:
            if cell.on.partition(":")[0] not in _BESIDE_EACH_OTHER:
                raise StudyMistake(
                    f"--jobs {self.jobs}: runs on {cell.on} would share cores and links and measure each other; "
                    f"expected 1 there (several at once are for {', '.join(_BESIDE_EACH_OTHER)})"
                )


def carry_out(directory: Directory, wanted: Wanted) -> None:
    """Run what is open, and end with the study's status."""
    pool = wanted.pool(directory.study)
    launching = Launching(
        study=directory.study, folder=directory.folder, places=CliPlaces(), environment=os.environ, say=say,
        note=directory.write,
    )  # fmt: skip
    with locked(directory.path), _told_of_slow_networks(directory):
        require_same_workloads(directory)
        _say_complaints(directory)
        launching.check()
        policy = _policy(directory, wanted)
        launching.put_back(slowed(directory.read().records).values())
        target = directory.study.target
        with _shown(directory) as watcher:
            campaign = Campaign(
                directory, policy=policy, watcher=watcher,
                narrow=(lambda _: False) if target is None else partial(is_narrow, target=target),
            )  # fmt: skip
            execute = replace(launching, is_stopping=lambda: campaign.is_stopping)
            with _stopping(campaign, pool), execute.rate_put_back():
                stop = campaign.carry_out(execute, pool=pool)
    raise typer.Exit(_close(directory, stop, campaign.tally()))


@contextmanager
def _told_of_slow_networks(directory: Directory) -> Iterator[None]:
    """However it ends, a person hears of what could not be put back."""
    try:
        yield
    finally:
        for on, record in slowed(directory.read().records).items():
            if record.command is not None:
                say(f"injection bandwidth may still be {record.rate} of its own: `{record.command} 1` puts it back")
            else:
                lab = on.partition(":")[2]
                say(f"links of {on} may still be at {record.rate}: `stressbench lab set all rate=full --lab {lab}`")


def _policy(directory: Directory, wanted: Wanted) -> Policy:
    """What was typed about retries is written down: `study status`, and whoever resumes, go by it."""
    records = directory.read().records
    policy = wanted.policy(directory.study, records)
    if policy.retries != retries_of(records, written=directory.study.retries):
        directory.write(PolicyRecord(at=now(), retries=policy.retries))
    return policy


def _close(directory: Directory, stop: Stop, tally: Tally) -> int:
    where = shlex.quote(str(directory.path))
    counts = f"{tally.done} of {tally.total} runs are done"
    if tally.spared:
        counts += f", {tally.spared} were not needed"
    if tally.failed:
        counts += f", {tally.failed} failed"
    if stop is not Stop.done:
        why = "stopped" if stop is Stop.interrupted else "the time limit came first"
        say(f"{why}: {counts}; `stressbench study resume {where}` goes on")
        return INTERRUPTED
    say(f"{counts}; `stressbench study report {where}` tells what they found")
    if tally.failed:
        say(f"`stressbench study status {where}` names what failed; `study resume {where} --retries N` tries again")
    return FAULT if tally.failed else DONE


def _say_complaints(directory: Directory) -> None:
    for complaint in directory.read().complaints:
        say(complaint)


@contextmanager
def _stopping(campaign: Campaign, pool: Pool) -> Iterator[None]:
    """Between launches, a request to stop is one to start nothing more; during one, the launch hears it itself."""

    def heard(number: int, _: FrameType | None) -> None:
        campaign.ask_to_stop()
        if isinstance(pool, Workers) and number != signal.SIGINT:  # a terminal gives Ctrl-C to all by itself
            pool.hand_on(number)

    listened = [number for number in _STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, heard) for number in listened}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def described(cell: Cell, factors: Sequence[str]) -> str:
    """Values of the factors that vary; all where none does."""
    return ", ".join(f"{name} = {value}" for name, value in cell.values.items() if name in factors or not factors)


def duration_text(seconds: float | None) -> str:
    """`1 h 05 min`, `12 min`, `40 s`; `unknown`."""
    if seconds is None:
        return "unknown"
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    return f"{round(seconds / 60)} min" if seconds >= 120 else f"{seconds:.0f} s"


class _Lines:
    """A line a launch, and a bar beneath them on a terminal."""

    def __init__(self, directory: Directory, progress: Progress | None) -> None:
        from stressbench.study.cells import varying

        self._factors = varying(directory.study.cells)
        self._progress = progress
        self._task = None if progress is None else progress.add_task("", total=None, left="")

    def waits(self, path: Path) -> None:
        """Say for what."""
        self._say(f"a launch from before still writes to {path}; waiting for its end")

    def starts(self, order: Order, tally: Tally) -> None:
        """Say what begins."""
        word = "goes on" if order.continues else "starts"
        self._say(f"{order.run.id} {word}: {described(order.run.cell, self._factors)}")
        self._show(tally)

    def ended(self, order: Order, result: Result, tally: Tally) -> None:
        """Say what failed."""
        if result.status not in (DONE, INTERRUPTED):
            self._say(f"{order.run.id} failed (status {result.status}): {result.reason or 'no reason is known'}")
        if self._progress is None and tally.left_s:
            self._say(f"{tally.done} of {tally.total} runs are done; about {duration_text(tally.left_s)} left")
        self._show(tally)

    def _show(self, tally: Tally) -> None:
        if self._progress is not None and self._task is not None:
            left = "" if tally.left_s is None else f"about {duration_text(tally.left_s)} left"
            self._progress.update(
                self._task, completed=tally.done + tally.spared + tally.failed, total=tally.total, left=left
            )

    def _say(self, sentence: str) -> None:
        if self._progress is None:
            say(sentence)
        else:
            self._progress.console.print(f"stressbench: {sentence}", soft_wrap=True)


@contextmanager
def _shown(directory: Directory) -> Iterator[_Lines]:
    if not sys.stderr.isatty():
        yield _Lines(directory, None)
        return
    console = Console(stderr=True, highlight=False, markup=False)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[left]}", markup=False))
    # Once a second: drawing takes a core that ranks may want.
    with Progress(*columns, console=console, refresh_per_second=1) as progress:
        yield _Lines(directory, progress)


def runs_of(directory: Directory) -> tuple[Mapping[str, Run], tuple[str, ...]]:
    """The runs that are done, by id, and a sentence for each that cannot be read."""
    runs, complaints = {}, []
    for standing in standings(directory.study.runs, directory.read().records):
        if standing.state == "done" and standing.file is not None:
            try:
                runs[standing.run.id] = read_run(directory.path / standing.file)
            except RunFileError as fault:
                complaints.append(f"{fault}; the run is left out")
    return runs, tuple(complaints)


def report_on(directory: Directory) -> StudyReport:
    """What the directory's runs say."""
    return told_by(directory)[0]


def told_by(directory: Directory) -> tuple[StudyReport, Material]:
    """The report, and what a page shows beside it."""
    manifest = directory.read()
    runs, complaints = runs_of(directory)
    found = standings(directory.study.runs, manifest.records)
    chosen = selections_of(runs)
    report = report_of(directory.study, found, runs, chosen=chosen, notes=(*manifest.complaints, *complaints))
    file, text = directory.newest_file()
    return report, Material(
        runs=runs,
        name=file,
        text=text,
        seed=directory.study.seed,
        environment=directory.environment_text(),
        chosen=chosen,
    )
