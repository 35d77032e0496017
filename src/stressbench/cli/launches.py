"""What `impact` and `compress` are made of: launches of probes, of a program beside probes, of a program alone."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.cli.companions import Companion, probes_of_errand
from stressbench.cli.errands import Errand
from stressbench.cli.following import say
from stressbench.cli.places import engine_for
from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of
from stressbench.formats.run import Run, RunFileError, read_run
from stressbench.interference.errors import Inconclusive
from stressbench.interference.probes import ProbeSeries, read_probe_series, series_between
from stressbench.launch import program as launching
from stressbench.launch import session
from stressbench.launch.beside import BothEnded, Member, run_beside
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.ending import explain
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.first_round import FirstRound
from stressbench.launch.growing_file import GrowingFile
from stressbench.launch.place import Shared
from stressbench.launch.stopping import Patience

_UNTIL_STOPPED = 1_000_000
_PROGRAM_GRACE_S = 10.0
_COMPANION_GRACE_S = 20.0
_START_MAY_TAKE_S = 120.0
_NOTHING = "true"


class Ended(Exception):
    """Nothing more can be measured: why, as a sentence, and the exit status. `tail` is what that means for a claim."""

    def __init__(self, message: str, *, status: int, tail: str = "; nothing is claimed") -> None:
        self.message = message
        self.status = status
        super().__init__(message + tail)


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A run of the program: how long its launch took, s, or after which time it was ended at --time-limit (`limited`).

    `run_file`: a workload's own.
    """

    took_s: float
    limited: bool
    run_file: Path | None


@dataclass(frozen=True, kw_only=True)
class RanBeside(Ran):
    """One beside a companion: how both ended, and what the companion wrote."""

    both: BothEnded
    companion_file: Path

    def during(self, companion: Run) -> tuple[float, float] | None:
        """From when to when the program ran, s since the companion's engine began; None where nobody knows.

        The engine says when rounds began since its start, and nobody when that was: its first round was seen to end.
        """
        if self.both.program is None or self.both.ready_s is None or not companion.rounds:
            return None
        first = companion.rounds[0]
        zero_s = self.both.ready_s - (first.started_s + first.duration_s)
        return self.both.program.began_s - zero_s, self.both.program.ended_s - zero_s


class Launches:
    """One after the other, for one errand, with files of theirs in `folder`.

    Everything raises LaunchMistake, and Ended where nothing can be told.
    """

    def __init__(self, errand: Errand, folder: Path) -> None:
        self._errand = errand
        self._folder = folder
        self._launches = 0

    def check(self, companion: Companion) -> None:
        """What is wrong with the program or its companion is told before anything is measured."""
        self._program()
        _prepared(self._wish(companion, rounds=1))

    def probe(self, companion: Companion, *, called: str) -> Run:
        """The companion without the program, for as long as probes run alone."""
        wish = self._wish(companion, rounds=self._errand.probing.rounds(self._errand.idle_s))
        ending = session.run(_prepared(wish), run_file=wish.run_file.path)
        if ending.status != ExitStatus.ok:
            for sentence in explain(ending, wish=wish):
                if "--continue" not in sentence:
                    say(sentence)
            raise Ended(f"{called}: probes ended early", status=ending.status)
        if ending.outcome.was_asked_to_stop:  # in their last round
            raise Ended(f"interrupted at the end of {called}", status=ExitStatus.interrupted)
        return read(wish.run_file.path)

    def idle(self, called: str) -> tuple[ProbeSeries, ...]:
        """Probes alone, pair by pair."""
        say(f"{called}: probes alone for {self._errand.idle_s:g} s")
        return self.pairs(self.probe(probes_of_errand(self._errand), called=called))

    def pairs(self, run: Run, *, beside: RanBeside | None = None) -> tuple[ProbeSeries, ...]:
        """Probes of each pair; those beside a program only from its start to its end."""
        try:
            found = read_probe_series(run, self._errand.probing)
        except Inconclusive as fault:
            raise Ended(str(fault), status=ExitStatus.fault, tail="") from None
        during = None if beside is None else beside.during(run)
        if during is None:
            return found
        return tuple(series_between(pair, began_s=during[0], ended_s=during[1]) for pair in found)

    def beside(self, companion: Companion) -> RanBeside:
        """The program with a companion that begins before it and ends after it."""
        wish = self._wish(companion, rounds=_UNTIL_STOPPED)
        prepared, companion_file = _prepared(wish), wish.run_file.path
        file = GrowingFile(companion_file)
        program, run_file = self._program()
        ended = _run_beside(
            program,
            Member(
                command=prepared.command, patience=Patience(grace_s=_COMPANION_GRACE_S), begun=file.has_grown,
                finished=file.has_ended,
            ),
            FirstRound(companion_file),
        )  # fmt: skip
        outcome = self._judged(ended, companion)
        return RanBeside(
            took_s=_wall_s(outcome), limited=ended.out_of_time, run_file=run_file, both=ended,
            companion_file=companion_file,
        )  # fmt: skip

    def alone(self) -> Ran:
        """The program without a companion, started in the same way."""
        program, run_file = self._program()
        return self._alone(program, name=self._errand.name, run_file=run_file)

    def nothing(self) -> float:
        """How long it takes to start as many ranks of a program that does nothing, s."""
        errand = self._errand
        program, _ = Launches(replace(errand, workload=None, words=(_NOTHING,)), self._folder)._program()
        return self._alone(program, name=_NOTHING, run_file=None).took_s

    def _alone(self, program: Member, *, name: str, run_file: Path | None) -> Ran:
        limit_s = self._errand.limit_s
        try:
            outcome = execute(program.command, patience=program.patience, finished=program.finished, say=_quiet)
        except OSError as fault:
            raise LaunchMistake(f"{program.command.argv[0]}: {reason_of(fault)}") from fault
        took_s, stopped = _wall_s(outcome), outcome.stop_requests > 0
        if stopped and (limit_s is None or took_s < limit_s):
            raise Ended(f"interrupted; {name} was ended", status=ExitStatus.interrupted, tail=", nothing is claimed")
        if not stopped:
            _require_success(outcome, name=name)
        return Ran(took_s=took_s, limited=stopped, run_file=run_file)

    def _judged(self, ended: BothEnded, companion: Companion) -> Outcome:
        """The program's outcome where it ended well, or at its time limit; else raises why not."""
        name, outcome, called = self._errand.name, ended.program, companion.called
        if ended.interrupted:
            raise Ended(
                f"interrupted; {name} and its probes were ended", status=ExitStatus.interrupted,
                tail=", nothing is claimed",
            )  # fmt: skip
        if outcome is None:
            raise Ended(
                f"{called} ended with status {ended.companion.status} before their first round; {name} was not started",
                status=ExitStatus.fault, tail="",
            )  # fmt: skip
        if ended.forsaken:
            raise Ended(
                f"{called} ended with status {ended.companion.status} while {name} ran, so it was ended, too",
                status=ExitStatus.fault,
            )
        if not ended.out_of_time:
            _require_success(outcome, name=name)
        return outcome

    def _wish(self, companion: Companion, *, rounds: int) -> session.Wish:
        errand = self._errand
        self._launches += 1
        workload = self._folder / f"{companion.name}.sb"
        workload.write_text(companion.workload, encoding="utf-8")
        options = EngineOptions(
            isolated="0", contended=str(rounds), warmup="0", finish="once", seed=str(errand.seed),
            place=companion.placement,
        )  # fmt: skip
        hosts = companion.ranks // companion.ranks_per_node
        return session.Wish(
            workload=workload,
            ranks=companion.ranks,
            ranks_per_node=companion.ranks_per_node,
            run_file=RunFile(path=self._folder / f"{companion.name}-{self._launches}.jsonl"),
            options=options.with_stall_limit(errand.place.stall_limit),
            engine=engine_for(errand.place, errand.engine, environment=os.environ),
            place=Shared(place=errand.place.one_a_host(hosts), others=errand.shape.ranks),
            on=errand.on,
        )

    def _program(self) -> tuple[Member, Path | None]:
        """What starts it, and the file that it will write if it is a workload."""
        errand = self._errand
        place = Shared(place=errand.place, others=errand.companions)
        engine = engine_for(errand.place, errand.engine, environment=os.environ)
        patience = Patience(grace_s=_PROGRAM_GRACE_S if errand.limit_s is None else 0.0, limit_s=errand.limit_s)
        if errand.workload is None:
            command = launching.command_of(
                errand.words, folder=Path.cwd(), ranks=errand.shape.ranks, place=place, engine=engine,
                environment=os.environ,
            )  # fmt: skip
            return Member(command=command, patience=patience), None
        self._launches += 1
        options = EngineOptions(isolated="0", contended=str(errand.rounds), seed=str(errand.seed))
        wish = session.Wish(
            workload=errand.workload, ranks=errand.shape.ranks, ranks_per_node=errand.shape.ranks_per_node,
            run_file=RunFile(path=self._folder / f"workload-{self._launches}.jsonl"),
            options=options.with_stall_limit(errand.place.stall_limit), engine=engine, place=place, on=errand.on,
        )  # fmt: skip
        file = GrowingFile(wish.run_file.path)
        member = Member(
            command=_prepared(wish).command, patience=patience, begun=file.has_grown, finished=file.has_ended
        )  # fmt: skip
        return member, wish.run_file.path


def read(path: Path) -> Run:
    """The run file of a launch. Raises Ended."""
    try:
        return read_run(path)
    except RunFileError as fault:
        raise Ended(str(fault), status=ExitStatus.fault, tail="") from None


def _require_success(outcome: Outcome, *, name: str) -> None:
    took = f"after {_wall_s(outcome):.3g} s"
    if outcome.status == 0 or outcome.hung_at_the_end:  # its work was done, and it was ended
        if outcome.swept and not outcome.hung_at_the_end:
            many = "a process" if outcome.swept == 1 else f"{outcome.swept} processes"
            say(f"{name} left {many} behind, which were ended")
        return
    death = diagnose(outcome)
    if death is not None:
        rank = "a rank" if death.rank is None else f"rank {death.rank}"
        how = f"{rank} of {name} was ended by {death.signal_name} {took}"
    else:
        how = f"{name} ended with status {outcome.status} {took}"
    raise Ended(how, status=ExitStatus.fault, tail="; nothing is claimed of a program that fails")


def _prepared(wish: session.Wish) -> session.Prepared:
    prepared = session.prepare(wish, environment=os.environ)
    if isinstance(prepared, int):
        raise Ended(f"{wish.workload} was refused", status=prepared, tail="")
    return prepared


def _run_beside(program: Member, companion: Member, first_round: FirstRound) -> BothEnded:
    try:
        return run_beside(program, companion, ready=first_round.is_written, ready_within_s=_START_MAY_TAKE_S, say=say)
    except OSError as fault:
        raise LaunchMistake(f"{program.command.argv[0]}: {reason_of(fault)}") from fault


def _wall_s(outcome: Outcome) -> float:
    return outcome.ended_s - outcome.began_s


def _quiet(_: str) -> None:
    """What `execute` says to an engine is not for a program."""
