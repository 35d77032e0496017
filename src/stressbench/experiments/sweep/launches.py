"""Launches of a program under a sequence of conditions, and the checks that such sweeps share."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from stressbench.errors import Interrupted
from stressbench.exit_status import ExitStatus
from stressbench.experiments.new_directory import make_new_directory
from stressbench.experiments.progress import Progress
from stressbench.experiments.sweep.figures import parse_figure
from stressbench.formats.errors import reason_of
from stressbench.formats.launches.journal import FILE, BaseLaunch, Journal, Plan
from stressbench.formats.run import Kind
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.file import MAX_RUNS
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LaunchTarget
from stressbench.levels import Level
from stressbench.stop_signals import handled_by

SUFFIX = ".sb"
_LONGEST_SLEEP_S = 0.5  # a signal does not end a sleep
STANDARD_OUTPUT = "the last 32 KiB of what {program} prints on standard output"

Condition = TypeVar("Condition")
P = TypeVar("P", bound=Plan)
L = TypeVar("L", bound=BaseLaunch)


@dataclass(frozen=True, kw_only=True)
class LaunchSweep(Generic[Condition, P, L]):
    """Launches in this `order`, pairs of condition and repetition. `prepare` sets the condition before `launch`.

    `read_from` names the text in which figures of merit are searched, for messages. `command` is the command group
    whose `report` shows the results. A launch starts at least `interval_s` after the one before.
    """

    plan: P
    order: Sequence[tuple[Condition, int]]
    launch: Callable[[Condition, int], tuple[L, Outcome]]
    journal: Journal[P, L]
    command: str
    read_from: str
    progress: Progress
    prepare: Callable[[Condition], object] = lambda _: None
    interval_s: float = 0.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep

    def run(self, output: Path) -> int:
        """Start all launches, append their records to a journal in `output`, and return how many launches failed.

        Raises Interrupted after a stop signal, StudyMistake where `output` is not empty or the plan is wrong, and
        StudyFault.
        """
        path, failed, runs, program = self._begin(output), 0, self.plan.runs, self.plan.command[0]
        report_command = f"`stressbench {self.command} report {output}`"
        stop_signals: list[int] = []
        next_start_s = self.clock()
        with handled_by(
            lambda number, _: stop_signals.append(number)
        ):  # between launches; during one, the launch handles it
            for condition, repetition in self.order:
                self._wait_until(next_start_s, stop_signals)
                next_start_s = self.clock() + self.interval_s
                if not stop_signals:
                    self.prepare(condition)
                if stop_signals:
                    raise _stopped(report_command)
                self.progress(f"launch {repetition + 1} of {runs}: {condition}", level=Level.progress)
                record, outcome = self.launch(condition, repetition)
                if outcome.stop_requests:
                    raise _stopped(report_command)
                self.journal.append(path, record)
                if record.status != ExitStatus.ok:
                    failed += 1
                    self.progress(f"{program} ended with status {record.status} under {condition}", level=Level.warning)
                else:
                    self._require_figures(record, path)
        done = len(self.order) - failed
        self.progress(f"{done} launches are done; {report_command} shows the results", level=Level.note)
        return failed

    def _wait_until(self, start_s: float, stop_signals: Sequence[int]) -> None:
        """Wait for this time of the clock, or for a stop signal."""
        while not stop_signals and (left_s := start_s - self.clock()) > 0:
            self.sleep(min(left_s, _LONGEST_SLEEP_S))

    def _begin(self, output: Path) -> Path:
        self.journal.require_readable(self.plan)
        make_new_directory(output, begins="a program's launches begin")
        path = output / FILE
        try:
            self.journal.append(path, self.plan)
        except OSError as fault:
            raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
        return path

    def _require_figures(self, record: L, path: Path) -> None:
        """Raise StudyFault where the first launch lacks a figure: the other launches would lack it, too."""
        missing = [name for name, value in record.figures.items() if value is None]
        if missing and record.repetition == 0:
            raise StudyFault(
                f"--fom {missing[0]}: '{self.plan.figures[missing[0]]}' finds no number in {self.read_from}; "
                f"{path} has the launches so far"
            )


def ranks_of(counts: Sequence[int], target: LaunchTarget) -> tuple[int, ...]:
    """The given numbers of ranks, or the default of the launch target. Raises StudyMistake where both are missing."""
    if counts:
        return tuple(counts)
    if target.ranks is None:
        raise StudyMistake("-n is missing, for example -n 8")
    return (target.ranks,)


def require_few_launches(conditions: int, *, runs: int) -> None:
    """Raise StudyMistake for more than MAX_RUNS launches: the order of all of them is drawn before the first one."""
    if conditions * runs > MAX_RUNS:
        raise StudyMistake(f"--runs: {conditions} conditions, {runs} times each: expected at most {MAX_RUNS} launches")


def figures_of(
    texts: Sequence[str], *, option: str = "--fom", beside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Expressions by name from texts `NAME=REGEX`. Raises StudyMistake, also where a name repeats or is in `beside`."""
    found: dict[str, str] = {}
    for text in texts:
        try:
            name, pattern = parse_figure(text)
        except ValueError as fault:
            raise StudyMistake(f"{option} {text}: {fault}") from fault
        if name in found or name in (beside or {}):
            raise StudyMistake(f"{option} {text}: {name} is given twice")
        found[name] = pattern
    return found


def is_program(words: Sequence[str]) -> bool:
    """Whether the words are a program with its arguments rather than workloads."""
    return any(not word.endswith(SUFFIX) for word in words)


def refuse_workload_options(words: Sequence[str], given: Iterable[tuple[str, bool]]) -> None:
    """Raise StudyMistake for an option that applies to workloads only; `given`: options, and whether each was given."""
    if missing := next((word for word in words[:1] if word.endswith(SUFFIX)), None):
        raise StudyMistake(f"{missing}: is a workload, but {words[1]} is not; expected workloads, or a program")
    if wrong := next((option for option, was in given if was), None):
        raise StudyMistake(f"{wrong}: is for workloads, and {words[0]} is a program; leave it out")


def refuse_to_plan(words: Sequence[str]) -> None:
    """Raise StudyMistake where the words are a program, since only workloads can be planned."""
    if is_program(words):
        raise StudyMistake(f"{words[0]}: plans are of workloads, whose names end in {SUFFIX}")


def require_no_rounds(folder: Path, *, motifs: bool, time: Kind | None) -> None:
    """Raise StudyMistake for options that select rounds and motifs: launches of a program have none."""
    if motifs or time is not None:
        option = "--motifs" if motifs else "--time"
        raise StudyMistake(f"{option}: {folder} holds launches of a program, which has no motifs and rounds")


def _stopped(shown_by: str) -> Interrupted:
    return Interrupted(f"stopped; {shown_by} shows what was measured before")
