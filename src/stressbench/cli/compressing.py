"""What `compress` does, launch by launch: rings with probes, then the program alone and beside each ring."""

import random
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from stressbench.cli.companions import Companion, with_ring
from stressbench.cli.compression_plan import Plan
from stressbench.cli.errands import Errand
from stressbench.cli.following import say
from stressbench.cli.launches import Ended, Launches, Ran, read
from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.units import duration_text
from stressbench.interference.compression import next_configuration
from stressbench.interference.errors import CannotTell
from stressbench.interference.link_shares import Shares, link_shares
from stressbench.interference.pingpongs import Probes
from stressbench.interference.rings import Ring, paced, ring_of, workload_of
from stressbench.interference.rounds import round_times
from stressbench.interference.suffering import Compressed, Suffered, enough, loads_of
from stressbench.launch import session
from stressbench.report.units import count

_MOSTLY_START = 2.0


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What was measured; `interrupted` says that somebody stopped it, so that runs are missing."""

    measured: Compressed
    interrupted: str | None


def measure(errand: Errand, plan: Plan, *, folder: Path) -> Taken:
    """All launches, one after the other, files of theirs in `folder`.

    An interruption is raised, as Ended, only while there is no compression with a time. Raises LaunchMistake, and
    Ended where nothing can be told.
    """
    return _Compression(errand, plan, folder).take()


@dataclass(kw_only=True)
class _Level:
    """A ring that was calibrated, and times of the program beside it, s."""

    ring: Ring
    probes: tuple[Probes, ...]
    links: Shares | None
    times_s: list[float]
    ended_at_s: list[float]


class _Compression:
    def __init__(self, errand: Errand, plan: Plan, folder: Path) -> None:
        self._errand = errand
        self._plan = plan
        self._launches = Launches(replace(errand, rounds=errand.rounds + 1), folder)  # a workload's first is no time
        self._start_s: float | None = None
        self._runs_took_s: list[float] = []
        self._levels: list[_Level] = []
        self._alone_s: list[float] = []
        self._before: tuple[Probes, ...] = ()
        self._after: tuple[Probes, ...] = ()

    def take(self) -> Taken:
        self._launches.check(self._companion(ring_of(self._plan.candidates[0], nodes=self._plan.nodes)))
        if self._errand.workload is None:
            self._try()
        self._before = self._launches.idle("idle, before")
        self._calibrate()
        try:
            self._run_all()
            if self._errand.after:
                self._after = self._launches.idle("idle, after")
        except Ended as ended:
            if ended.status != session.INTERRUPTED or not self._measured().kept or not self._alone_s:
                raise
            return Taken(measured=self._measured(), interrupted=ended.message)
        except KeyboardInterrupt:
            if not self._measured().kept or not self._alone_s:
                raise
            return Taken(measured=self._measured(), interrupted="interrupted")
        return Taken(measured=self._measured(), interrupted=None)

    def _measured(self) -> Compressed:
        return Compressed(
            probing=self._errand.probing, before=self._before, after=self._after, alone_s=tuple(self._alone_s),
            levels=tuple(
                Suffered(
                    configuration=one.ring.configuration, probes=one.probes, times_s=tuple(one.times_s),
                    ended_at_s=tuple(one.ended_at_s), links=one.links,
                )
                for one in self._levels
                if one.times_s or one.ended_at_s
            ),
            start_s=self._start_s, traffic=self._plan.link.traffic,
        )  # fmt: skip

    def _try(self) -> None:
        """Does it work, how long does it take, and how much of that is starting it? Does not count: files are cold."""
        errand, name = self._errand, self._errand.name
        self._start_s = self._launches.nothing()
        say(f"{name} on {count(errand.shape.ranks, 'rank')}, alone: a trial that does not count")
        ran = self._launches.alone()
        self._require_time(ran)
        if ran.took_s < _MOSTLY_START * self._start_s:
            raise Ended(
                f"{name} took {ran.took_s:.3g} s, too short: to start {count(errand.shape.ranks, 'rank')} of a program "
                f"that does nothing takes {self._start_s:.3g} s. Give it more to do",
                status=session.FAULT,
            )
        self._runs_took_s.append(ran.took_s)

    def _require_time(self, ran: Ran) -> None:
        if ran.limited:
            raise Ended(
                f"{self._errand.name} alone was ended at --time-limit, after {ran.took_s:.3g} s, so that there is no "
                "time to compare with; give it more",
                status=session.FAULT,
            )

    def _companion(self, ring: Ring) -> Companion:
        plan = self._plan
        return with_ring(self._errand, workload_of(self._errand.probing, ring, pairing=plan.pairing))

    def _calibrate(self) -> None:
        too_heavy: dict[Configuration, float] = {}
        while (following := self._following(too_heavy)) is not None:
            left = self._plan.most_levels - len(self._levels) - len(too_heavy)
            say(
                f"{following}: probes beside the ring for {self._errand.idle_s:g} s"
                + self._said_left(calibrations=left, runs=self._plan.runs * (1 + len(self._levels) + left))
            )
            ring = ring_of(following, nodes=self._plan.nodes)
            run = self._launches.probe(self._companion(ring), called=str(following))
            probes = self._launches.pairs(run)
            if enough(probes):
                links = None if not run.rounds else link_shares(run, began_s=run.rounds[0].duration_s, ended_s=inf)
                self._levels.append(
                    _Level(ring=paced(ring, run), probes=probes, links=links, times_s=[], ended_at_s=[])
                )
            else:
                say(f"{following} is left out: {count(sum(map(len, probes)), 'probe')} came beside it")
                too_heavy[following] = 1.0
        if not self._levels:
            raise Ended("beside no ring enough probes came", status=session.FAULT)

    def _following(self, too_heavy: dict[Configuration, float]) -> Configuration | None:
        """The next ring to calibrate, None when there are enough."""
        plan, tried = self._plan, len(self._levels) + len(too_heavy)
        if tried >= plan.most_levels:
            return None
        if plan.every_one:
            return plan.candidates[tried]
        rings = {one.ring.configuration: one.probes for one in self._levels}
        return next_configuration(
            {**loads_of(self._before, rings, traffic=plan.link.traffic), **too_heavy}, plan.candidates
        )

    def _run_all(self) -> None:
        errand, runs = self._errand, self._plan.runs
        source = random.Random(errand.seed)
        for number in range(1, runs + 1):
            order: list[_Level | None] = [None, *self._levels]
            source.shuffle(order)
            for place, level in enumerate(order):
                if level is not None and level.ended_at_s:
                    continue
                left = len(order) - place + (runs - number) * len(order)
                where = "alone" if level is None else f"beside {level.ring.configuration}"
                say(f"{errand.name} {where}, run {number} of {runs}" + self._said_left(calibrations=0, runs=left))
                self._run(level)

    def _run(self, level: _Level | None) -> None:
        ran = self._launches.alone() if level is None else self._launches.beside(self._companion(level.ring))
        self._runs_took_s.append(ran.took_s)
        if level is None:
            self._require_time(ran)
            self._alone_s += self._times(ran)
        elif ran.limited:
            say(f"{self._errand.name} was ended at --time-limit, after {ran.took_s:.3g} s")
            level.ended_at_s.append(ran.took_s)
        else:
            level.times_s += self._times(ran)

    def _times(self, ran: Ran) -> tuple[float, ...]:
        """Of the launch; of a workload those of its rounds."""
        if ran.run_file is None:
            return (ran.took_s,)
        try:
            return round_times(read(ran.run_file))
        except CannotTell as fault:
            raise Ended(str(fault), status=session.FAULT) from None

    def _said_left(self, *, calibrations: int, runs: int) -> str:
        """This launch and those behind it; how long, once a run of the program has shown it."""
        probing = calibrations + self._errand.after
        said = f"; launches left: {probing + runs}"
        if not self._runs_took_s:
            return said
        took_s = sum(self._runs_took_s) / len(self._runs_took_s)
        return f"{said}, about {duration_text(probing * self._errand.idle_s + runs * took_s)}"
