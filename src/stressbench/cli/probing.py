"""What `impact` does, launch by launch: probes alone, probes beside a program, the program alone."""

import os
import random
from dataclasses import dataclass
from pathlib import Path

from stressbench.cli.following import say, stop
from stressbench.cli.places import engine_for
from stressbench.launch import session
from stressbench.launch.beside import BothEnded, Member, run_beside
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.ending import explain
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.first_round import FirstRound
from stressbench.launch.growing_file import GrowingFile
from stressbench.launch.place import Place, Shared
from stressbench.launch.program import command_of
from stressbench.launch.stopping import Patience
from stressbench.launch.target import Shape
from stressbench.model import RunFileError, read_run
from stressbench.model.errors import reason_of
from stressbench.sensitivity.errors import CannotTell
from stressbench.sensitivity.finding import Measured, seconds_for
from stressbench.sensitivity.pingpongs import Probes, Probing, between, one_after_the_other, probes_of
from stressbench.sensitivity.probing import LEAST_SAMPLES

_UNTIL_STOPPED = 1_000_000
_PROGRAM_GRACE_S = 10.0
_PROBES_GRACE_S = 20.0
_START_MAY_TAKE_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What is to be measured. `words`: a program, or None for all jobs of `workload` together, `rounds` times.

    `name`: for sentences. `effect`: how often the program also runs without probes, at least 0; as often with them,
    and once where it is 0. Times in s; `limit_s` is that of each run of the program.
    """

    name: str
    words: tuple[str, ...]
    workload: Path | None
    rounds: int
    shape: Shape
    probing: Probing
    place: Place
    on: str
    placement: str | None
    engine: Path | None
    seed: int
    idle_s: float
    after: bool
    effect: int
    limit_s: float | None

    @property
    def probes(self) -> int:
        """Ranks that send them."""
        return 2 * self.probing.pairs


def measure(errand: Errand, *, folder: Path) -> Measured:
    """All launches, one after the other, files of theirs in `folder`.

    Raises LaunchMistake, and typer.Exit with the status and the reason said where nothing can be told.
    """
    return _Measurement(errand, folder).take()


class _Measurement:
    def __init__(self, errand: Errand, folder: Path) -> None:
        self._errand = errand
        self._folder = folder
        self._launches = 0
        self._with_probes_s: list[float] = []
        self._without_s: list[float] = []

    def take(self) -> Measured:
        errand = self._errand
        self._program()  # what is wrong with it is told before anything is measured
        before = self._idle("idle, before")
        beside: list[tuple[Probes, ...]] = []
        for with_probes in _order(errand):
            if with_probes:
                beside.append(self._beside())
            else:
                self._alone()
        loaded = tuple(one_after_the_other(pair) for pair in zip(*beside, strict=True))
        self._require_enough(loaded)
        after = self._idle("idle, after") if errand.after else ()
        return Measured(
            probing=errand.probing, before=before, beside=loaded, after=after,
            with_probes_s=tuple(self._with_probes_s), without_s=tuple(self._without_s),
        )  # fmt: skip

    def _idle(self, called: str) -> tuple[Probes, ...]:
        errand = self._errand
        say(f"{called}: probes alone for {errand.idle_s:g} s")
        wish = self._probes(rounds=errand.probing.rounds(errand.idle_s))
        ending = session.run(_prepared(wish), run_file=wish.run_file.path)
        if ending.status != session.DONE:
            for sentence in explain(ending, wish=wish):
                if "--continue" not in sentence:
                    say(sentence)
            raise stop(f"{called}: probes ended early; nothing is claimed", status=ending.status)
        return self._read(wish.run_file.path)

    def _beside(self) -> tuple[Probes, ...]:
        errand = self._errand
        wish = self._probes(rounds=_UNTIL_STOPPED)
        probes, run_file = _prepared(wish), wish.run_file.path
        file = GrowingFile(run_file)
        say(f"{errand.name} on {errand.shape.ranks} ranks, with probes")
        ended = _run_beside(
            self._program(),
            Member(
                command=probes.command, patience=Patience(grace_s=_PROBES_GRACE_S), begun=file.has_grown,
                finished=file.has_ended,
            ),
            FirstRound(run_file),
        )  # fmt: skip
        outcome = self._judged(ended)
        return self._read(run_file, ended=ended, outcome=outcome)

    def _judged(self, ended: BothEnded) -> Outcome:
        """The program's outcome where it ended well, or at its time limit; else says why not."""
        name, outcome = self._errand.name, ended.program
        if ended.interrupted:
            raise stop(f"interrupted; {name} and its probes were ended, nothing is claimed", status=session.INTERRUPTED)
        if outcome is None:
            raise stop(
                f"probes ended with status {ended.companion.status} before their first round; {name} was not started",
                status=session.FAULT,
            )
        if ended.forsaken:
            raise stop(
                f"probes ended with status {ended.companion.status} while {name} ran, so it was ended, too; "
                "nothing is claimed",
                status=session.FAULT,
            )
        if ended.out_of_time:
            say(f"{name} was ended at --time-limit, after {_wall_s(outcome):.3g} s; what probes saw until then counts")
            return outcome
        self._require_success(outcome)
        self._with_probes_s.append(_wall_s(outcome))
        return outcome

    def _require_success(self, outcome: Outcome) -> None:
        name, took = self._errand.name, f"after {_wall_s(outcome):.3g} s"
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
        raise stop(f"{how}; nothing is claimed of a program that fails", status=session.FAULT)

    def _alone(self) -> None:
        errand = self._errand
        say(f"{errand.name} on {errand.shape.ranks} ranks, without probes")
        program = self._program()
        try:
            outcome = execute(program.command, patience=program.patience, finished=program.finished, say=_quiet)
        except OSError as fault:
            raise LaunchMistake(f"{program.command.argv[0]}: {reason_of(fault)}") from fault
        if outcome.stop_requests and (errand.limit_s is None or _wall_s(outcome) < errand.limit_s):
            raise stop(f"interrupted; {errand.name} was ended, nothing is claimed", status=session.INTERRUPTED)
        if outcome.stop_requests:
            raise stop(
                f"{errand.name} was ended at --time-limit, so that nobody knows how long it takes; leave --effect or "
                "the limit out",
                status=session.FAULT,
            )
        self._require_success(outcome)
        self._without_s.append(_wall_s(outcome))

    def _require_enough(self, beside: tuple[Probes, ...]) -> None:
        errand, found = self._errand, sum(map(len, beside))
        if found >= LEAST_SAMPLES:
            return
        every, pairs = errand.probing.interval_s, errand.probing.pairs
        took = "" if not self._with_probes_s else f" took {sum(self._with_probes_s):.3g} s, too short:"
        raise stop(
            f"{errand.name}{took} {found} probes came in that time, and {LEAST_SAMPLES} are the least, which is "
            f"{seconds_for(LEAST_SAMPLES, errand.probing):.3g} s of {'one pair' if pairs == 1 else f'{pairs} pairs'} "
            f"every {every * 1e3:g} ms. Give it more to do, or probe more often (--every)",
            status=session.FAULT,
        )

    def _probes(self, *, rounds: int) -> session.Wish:
        errand = self._errand
        self._launches += 1
        workload = self._folder / "probes.sb"
        workload.write_text(errand.probing.workload, encoding="utf-8")
        options = EngineOptions(
            isolated="0", contended=str(rounds), warmup="0", finish="once", seed=str(errand.seed),
            place=errand.placement,
        )  # fmt: skip
        return session.Wish(
            workload=workload,
            ranks=errand.probes,
            ranks_per_node=1,
            run_file=RunFile(path=self._folder / f"probes-{self._launches}.jsonl"),
            options=options.with_stall_limit(errand.place.stall_limit),
            engine=engine_for(errand.place, errand.engine, environment=os.environ),
            place=Shared(place=errand.place.one_a_host(errand.probes), others=errand.shape.ranks),
            on=errand.on,
        )

    def _program(self) -> Member:
        """What starts it beside probes; without them it starts in the same way."""
        errand = self._errand
        place = Shared(place=errand.place, others=errand.probes)
        engine = engine_for(errand.place, errand.engine, environment=os.environ)
        patience = Patience(grace_s=_PROGRAM_GRACE_S if errand.limit_s is None else 0.0, limit_s=errand.limit_s)
        if errand.workload is None:
            command = command_of(
                errand.words, folder=Path.cwd(), ranks=errand.shape.ranks, place=place, engine=engine,
                environment=os.environ,
            )  # fmt: skip
            return Member(command=command, patience=patience)
        self._launches += 1
        options = EngineOptions(isolated="0", contended=str(errand.rounds), seed=str(errand.seed))
        wish = session.Wish(
            workload=errand.workload, ranks=errand.shape.ranks, ranks_per_node=errand.shape.ranks_per_node,
            run_file=RunFile(path=self._folder / f"workload-{self._launches}.jsonl"),
            options=options.with_stall_limit(errand.place.stall_limit), engine=engine, place=place, on=errand.on,
        )  # fmt: skip
        file = GrowingFile(wish.run_file.path)
        return Member(
            command=_prepared(wish).command, patience=patience, begun=file.has_grown, finished=file.has_ended
        )  # fmt: skip

    def _read(
        self, path: Path, *, ended: BothEnded | None = None, outcome: Outcome | None = None
    ) -> tuple[Probes, ...]:
        """Probes of each pair; those beside a program only from its start to its end."""
        try:
            run = read_run(path)
            pairs = probes_of(run, self._errand.probing)
        except (RunFileError, CannotTell) as fault:
            raise stop(str(fault), status=session.FAULT) from None
        if ended is None or outcome is None or ended.ready_s is None or not run.rounds:
            return pairs
        # The engine says when rounds began since its start, and nobody when that was: its first round was seen to end.
        first = run.rounds[0]
        zero_s = ended.ready_s - (first.started_s + first.duration_s)
        began_s, ended_s = outcome.began_s - zero_s, outcome.ended_s - zero_s
        return tuple(between(pair, began_s=began_s, ended_s=ended_s) for pair in pairs)


def _order(errand: Errand) -> list[bool]:
    """Runs with probes (True) and without, in pairs of random order; once with them where nobody asks for the rest."""
    source = random.Random(errand.seed)
    pairs = [source.choice(([True, False], [False, True])) for _ in range(errand.effect)]
    return [one for pair in pairs for one in pair] or [True]


def _prepared(wish: session.Wish) -> session.Prepared:
    prepared = session.prepare(wish, environment=os.environ)
    if isinstance(prepared, int):
        raise stop(f"{wish.workload} was refused", status=prepared)
    return prepared


def _run_beside(program: Member, probes: Member, first_round: FirstRound) -> BothEnded:
    try:
        return run_beside(program, probes, ready=first_round.is_written, ready_within_s=_START_MAY_TAKE_S, say=say)
    except OSError as fault:
        raise LaunchMistake(f"{program.command.argv[0]}: {reason_of(fault)}") from fault


def _wall_s(outcome: Outcome) -> float:
    return outcome.ended_s - outcome.began_s


def _quiet(_: str) -> None:
    """What `execute` says to an engine is not for a program."""
