"""What `rails run -- CMD` and `degrade run -- CMD` share: words that are checked, and launches one after the other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

import typer

from stressbench.cli.study.common import say
from stressbench.formats.errors import reason_of
from stressbench.formats.launches.journal import FILE, Journal, Launched, Plan
from stressbench.formats.run import Kind
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.launch.execute import Outcome, stopping
from stressbench.launch.place import Place
from stressbench.study.programs.figures import parse_figure
from stressbench.study.running import DONE, FAULT, INTERRUPTED

SUFFIX = ".sb"
STANDARD_OUTPUT = "the last 32 KiB of what {program} prints on standard output"

Condition = TypeVar("Condition")
P = TypeVar("P", bound=Plan)
L = TypeVar("L", bound=Launched)


@dataclass(frozen=True, kw_only=True)
class Turns(Generic[Condition, P, L]):
    """Launches that are to come: `launch` does one when all is `ready` for it; its figures are `read_from` there.

    `report` is the command that tells of them.
    """

    plan: P
    turns: Sequence[tuple[Condition, int]]
    launch: Callable[[Condition, int], tuple[L, Outcome]]
    journal: Journal[P, L]
    report: str
    read_from: str
    ready: Callable[[Condition], object] = lambda _: None

    def carry_out(self, output: Path) -> NoReturn:
        """All of them; ends with the status of what came of them. Raises StudyMistake and StudyFault."""
        path, failed, runs, program = self._begin(output), 0, self.plan.runs, self.plan.command[0]
        told = f"`stressbench {self.report} report {output}`"
        asked: list[int] = []
        with stopping(lambda number, _: asked.append(number)):  # between launches; during one, the launch hears it
            for condition, repetition in self.turns:
                if not asked:
                    self.ready(condition)
                if asked:
                    _stopped(told)
                say(f"launch {repetition + 1} of {runs}: {condition}")
                record, outcome = self.launch(condition, repetition)
                if outcome.stop_requests:
                    _stopped(told)
                self.journal.append(path, record)
                if record.status != DONE:
                    failed += 1
                    say(f"{program} ended with status {record.status} under {condition}")
                else:
                    self._require_figures(record, path)
        say(f"{len(self.turns) - failed} launches are done; {told} tells what they found")
        raise typer.Exit(FAULT if failed else DONE)

    def _begin(self, output: Path) -> Path:
        if output.exists() and (not output.is_dir() or any(output.iterdir())):
            raise StudyMistake(f"--output: {output} is there already; a program's launches begin in a new directory")
        path = output / FILE
        try:
            output.mkdir(parents=True, exist_ok=True)
            self.journal.append(path, self.plan)
        except OSError as fault:
            raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
        return path

    def _require_figures(self, record: L, path: Path) -> None:
        """A figure that the first launch does not have is not worth the other ones. Raises StudyFault."""
        missing = [name for name, value in record.figures.items() if value is None]
        if missing and record.repetition == 0:
            raise StudyFault(
                f"--fom {missing[0]}: '{self.plan.figures[missing[0]]}' finds no number in {self.read_from}; "
                f"{path} has the launches so far"
            )


def ranks_of(counts: Sequence[int], place: Place) -> tuple[int, ...]:
    """Numbers of ranks as typed, or the place's own. Raises StudyMistake."""
    if counts:
        return tuple(counts)
    if place.ranks is None:
        raise StudyMistake("-n is missing: how many ranks? For example -n 8")
    return (place.ranks,)


def figures_of(
    texts: Sequence[str], *, option: str = "--fom", beside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Expressions by name, none of a name that is `beside` them. Raises StudyMistake."""
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
    """Whether the words are a program, and no workloads."""
    return any(not word.endswith(SUFFIX) for word in words)


def refuse_workload_options(words: Sequence[str], given: Iterable[tuple[str, bool]]) -> None:
    """What a program cannot obey is not accepted in silence; `given`: options, and whether typed. StudyMistake."""
    if missing := next((word for word in words[:1] if word.endswith(SUFFIX)), None):
        raise StudyMistake(f"{missing}: is a workload, and {words[1]} is none; expected workloads, or a program")
    if wrong := next((option for option, was in given if was), None):
        raise StudyMistake(f"{wrong}: is for workloads, and {words[0]} is a program; leave it out")


def refuse_to_plan(words: Sequence[str]) -> None:
    """Raise StudyMistake where the words are a program."""
    if is_program(words):
        raise StudyMistake(f"{words[0]}: plans are of workloads, whose names end in {SUFFIX}")


def _stopped(told: str) -> NoReturn:
    say(f"stopped; {told} tells what was measured before")
    raise typer.Exit(INTERRUPTED)


def require_no_rounds(folder: Path, *, motifs: bool, time: Kind | None) -> None:
    """Of launches of a program nobody can ask for what only rounds of a workload have. Raises StudyMistake."""
    if motifs or time is not None:
        option = "--motifs" if motifs else "--time"
        raise StudyMistake(f"{option}: {folder} holds launches of a program, which has no motifs and rounds")
