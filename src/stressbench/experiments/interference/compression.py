"""Measures the slowdown of a program in a congested network at a series of congestion levels (CompressionB)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.kept_rings import KeptRings
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.ring_plan import RingPlan
from stressbench.experiments.interference.runner import MeasurementRunner, ProgramRun, read_launch
from stressbench.experiments.interference.spec import BackgroundLoad, MeasurementSpec, probe_load, ring_load
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.run import Run
from stressbench.formats.units import duration_text
from stressbench.interference.compression import next_configuration
from stressbench.interference.compression_analysis import (
    CompressionData,
    CongestionLevel,
    has_enough_probes,
    ring_waits,
)
from stressbench.interference.congestor_ring import CongestorRing, congestor_ring, with_measured_pace
from stressbench.interference.errors import Inconclusive
from stressbench.interference.link_shares import LinkShares, link_shares
from stressbench.interference.probe_statistics import idle_drift, is_significant_drift
from stressbench.interference.probes import ProbeSeries
from stressbench.interference.round_times import round_times
from stressbench.report.units import count

_MIN_RUN_TO_START_RATIO = 2.0
_RING_LIMIT_S, _RING_LIMIT_RATIO = 30.0, 3.0
"""Probes beside a ring take at most so long, or that many times as long as on the idle machine, whichever is more."""


@dataclass(frozen=True, kw_only=True)
class CompressionMeasurement:
    """The data of a measurement. `interrupted`: why runs are missing, None for a complete measurement.

    `earlier_rings`: when those rings were probed that are of earlier measurements, in ascending order.
    """

    data: CompressionData
    interrupted: str | None
    earlier_rings: tuple[datetime, ...]

    def saved_extent(self, *, is_requested: bool) -> str:
        """A sentence on the results of an interrupted measurement, which are lost unless a profile `is_requested`."""
        runs = [len(one.times_s) for one in self.data.completed_levels]
        times_each = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
        extent = (
            f"{len(runs)} congestion levels with {times_each} times each, and {len(self.data.alone_s)} isolated times"
        )
        return f"kept {extent}" if is_requested else f"{extent} are lost: -o or --store would have kept them"


def measure_compression(
    spec: MeasurementSpec, plan: RingPlan, *, rings: Path | None = None, progress: Progress = silent
) -> CompressionMeasurement:  # fmt: skip
    """Probe each congestion level without the program, then run the program isolated and beside each level.

    `rings`: a directory of this machine with probes of earlier measurements, which are used, and to which new ones are
    added.

    If it is interrupted after the program has run isolated and beside at least one level, the result holds what was
    measured. Raises LaunchMistake for what the user can correct, MeasurementAborted where a launch fails or is
    interrupted earlier.
    """
    try:
        with scratch_directory("compress") as folder:
            return _Measurement(spec, plan, folder, rings, progress).measure()
    except KeyboardInterrupt:
        raise MeasurementAborted("interrupted; no result is reported", status=ExitStatus.interrupted) from None


@dataclass(kw_only=True)
class _Level:
    """A congestor ring that was probed, and times of the program beside it, s."""

    ring: CongestorRing
    probes: tuple[ProbeSeries, ...]
    links: LinkShares | None
    times_s: list[float]
    ended_at_s: list[float]

    def level(self) -> CongestionLevel:
        """What was measured so far."""
        return CongestionLevel(
            configuration=self.ring.configuration, probes=self.probes, times_s=tuple(self.times_s),
            ended_at_s=tuple(self.ended_at_s), links=self.links,
        )  # fmt: skip


class _Measurement:
    def __init__(
        self, spec: MeasurementSpec, plan: RingPlan, folder: Path, rings: Path | None, progress: Progress
    ) -> None:  # fmt: skip
        self._spec = spec
        self._rings_folder = rings
        self._plan = plan
        self._progress = progress
        # The first round of a workload establishes connections and is not timed.
        self._runner = MeasurementRunner(replace(spec, rounds=spec.rounds + 1), folder, progress=progress)
        self._start_s: float | None = None
        self._run_times_s: list[float] = []
        self._levels: list[_Level] = []
        self._isolated_s: list[float] = []
        self._kept: KeptRings | None = None
        self._earlier_rings: list[datetime] = []
        self._idle_of_rings: tuple[ProbeSeries, ...] = ()
        self._before: tuple[ProbeSeries, ...] = ()
        self._after: tuple[ProbeSeries, ...] = ()

    def measure(self) -> CompressionMeasurement:
        self._runner.check(self._load(congestor_ring(self._plan.candidates[0], nodes=self._plan.nodes)))
        if self._spec.workload is None:
            self._trial_run()
        self._probe_idle()
        self._probe_levels()
        interrupted = None
        try:
            self._run_program()
            if self._spec.probe_after:
                self._after = self._runner.probe_idle("idle, after")
        except MeasurementAborted as aborted:
            if aborted.exit_status is not ExitStatus.interrupted or not self._has_result():
                raise
            interrupted = aborted.reason
        except KeyboardInterrupt:
            if not self._has_result():
                raise
            interrupted = "interrupted"
        return CompressionMeasurement(
            data=self._data(), interrupted=interrupted, earlier_rings=tuple(sorted(self._earlier_rings))
        )

    def _has_result(self) -> bool:
        return bool(self._data().completed_levels and self._isolated_s)

    def _data(self) -> CompressionData:
        return CompressionData(
            probing=self._spec.schedule, before=self._before, after=self._after, alone_s=tuple(self._isolated_s),
            levels=tuple(one.level() for one in self._levels if one.times_s or one.ended_at_s),
            start_s=self._start_s, packets=self._plan.packets,
        )  # fmt: skip

    def _trial_run(self) -> None:
        """Check that the program works. Not counted, since file caches are cold."""
        name, ranks = self._spec.name, count(self._spec.shape.ranks, "rank")
        self._progress(f"{name} on {ranks}, isolated: a trial run that is not counted")
        result = self._runner.run_isolated()
        self._require_time(result)
        self._run_times_s.append(result.took_s)
        if result.includes_start:
            self._require_more_than_start(result)

    def _require_more_than_start(self, result: ProgramRun) -> None:
        """Require that a launch, which is all that can be timed of a program without MPI, is not mostly start-up."""
        name, ranks = self._spec.name, count(self._spec.shape.ranks, "rank")
        self._start_s = self._runner.start_time_s()
        if result.took_s < _MIN_RUN_TO_START_RATIO * self._start_s:
            raise MeasurementAborted(
                f"{name} took {result.took_s:.3g} s, too short: starting {ranks} of a program that does nothing takes "
                f"{self._start_s:.3g} s. Use a larger problem",
                effect="; no result is reported",
                status=ExitStatus.fault,
            )

    def _require_time(self, result: ProgramRun) -> None:
        if result.reached_limit:
            raise MeasurementAborted(
                f"{self._spec.name} reached --time-limit without congestion, after {result.took_s:.3g} s, so that "
                "there is no isolated time to compare with; raise the limit",
                effect="; no result is reported",
                status=ExitStatus.fault,
            )

    def _probe_idle(self) -> None:
        """Probe the idle machine, and look at how it was when the rings that are kept were probed."""
        run = self._runner.run_idle("idle, before")
        self._before = self._idle_of_rings = self._runner.series(run)
        if self._rings_folder is None:
            return
        self._kept = KeptRings(
            folder=self._rings_folder, idle_now=run, rounds=self._spec.schedule.rounds(self._spec.idle_s),
            progress=self._progress,
        )  # fmt: skip
        earlier = self._kept.idle(probe_load(self._spec))
        self._idle_of_rings = self._runner.series(earlier)
        drift = idle_drift(self._idle_of_rings, self._before)
        if drift is not None and is_significant_drift(drift):
            since = earlier.header.started_at.isoformat()
            self._progress(
                f"CAUTION: idle latencies are {drift.centre:.2f} times those of {since}, when the rings in "
                f"{self._rings_folder} were probed: remove it to probe them again"
            )

    def _load(self, ring: CongestorRing, *, is_steady: bool = False) -> BackgroundLoad:
        return ring_load(self._spec, ring, pairing=self._plan.pairing, is_steady=is_steady)

    def _probe_levels(self) -> None:
        """Measure the utilisation of each congestion level, without the program."""
        plan = self._plan
        too_heavy: list[Configuration] = []
        while (configuration := self._next_configuration(too_heavy)) is not None:
            ring = congestor_ring(configuration, nodes=plan.nodes)
            run = self._probed_ring(ring, remaining=plan.max_levels - len(self._levels) - len(too_heavy))
            probes = self._runner.series(run)
            if has_enough_probes(probes):
                first_ended_s = max((one.ended_s for one in run.rounds[:1]), default=0.0)
                links = link_shares(run, began_s=first_ended_s, ended_s=inf)
                self._levels.append(
                    _Level(ring=with_measured_pace(ring, run), probes=probes, links=links, times_s=[], ended_at_s=[])
                )
            else:
                probe_count = sum(map(len, probes))
                self._progress(f"{configuration} is left out: only {count(probe_count, 'probe')} completed next to it")
                too_heavy.append(configuration)
        if not self._levels:
            raise MeasurementAborted(
                "too few probes came through at every congestion level", effect="; no result is reported",
                status=ExitStatus.fault,
            )  # fmt: skip

    def _probed_ring(self, ring: CongestorRing, *, remaining: int) -> Run:
        """Probes beside a ring, kept or new. `remaining`: the number of levels that are not probed yet, with this."""
        load, name = self._load(ring), str(ring.configuration)
        kept = None if self._kept is None else self._kept.find(name, load)
        if kept is not None:
            self._earlier_rings.append(kept.header.started_at)
            self._progress(f"{name}: probes of {kept.header.started_at.isoformat()}")
            return kept
        self._progress(
            f"{name}: probing the ring for {self._spec.idle_s:g} s"
            + self._remaining(probing=remaining, runs=self._plan.runs * (1 + len(self._levels) + remaining))
        )
        limit_s = max(_RING_LIMIT_S, _RING_LIMIT_RATIO * self._spec.idle_s)
        run = self._runner.run_load(load, step=name, limit_s=limit_s)
        if self._kept is not None:
            self._kept.keep(name, load, run)
        return run

    def _next_configuration(self, too_heavy: Sequence[Configuration]) -> Configuration | None:
        """The next congestion level to probe; None when there are enough."""
        plan, tried_count = self._plan, len(self._levels) + len(too_heavy)
        if tried_count >= plan.max_levels:
            return None
        if plan.measures_all:
            return plan.candidates[tried_count]
        levels = [one.level() for one in self._levels]
        probed = ring_waits(self._idle_of_rings, levels)
        waits = replace(probed, waits_s={**probed.waits_s, **dict.fromkeys(too_heavy, inf)})
        return next_configuration(waits, plan.candidates, changes_pauses=plan.changes_pauses)

    def _run_program(self) -> None:
        """Run the program isolated and beside every level, in random order, as often as planned."""
        name, runs = self._spec.name, self._plan.runs
        random_source = random.Random(self._spec.seed)
        for number in range(1, runs + 1):
            order: list[_Level | None] = [None, *self._levels]
            random_source.shuffle(order)
            for position, level in enumerate(order):
                if level is not None and level.ended_at_s:
                    continue
                remaining_runs = len(order) - position + (runs - number) * len(order)
                condition = "isolated" if level is None else f"beside {level.ring.configuration}"
                self._progress(
                    f"{name} {condition}, run {number} of {runs}" + self._remaining(probing=0, runs=remaining_runs)
                )
                self._run_once(level)

    def _run_once(self, level: _Level | None) -> None:
        if level is None:
            result = self._runner.run_isolated()
        else:
            result = self._runner.run_with_load(self._load(level.ring, is_steady=True))
        self._run_times_s.append(result.took_s)
        if level is None:
            self._require_time(result)
            self._isolated_s += _times_of(result)
        elif result.reached_limit:
            self._progress(f"{self._spec.name} was ended at --time-limit, after {result.took_s:.3g} s")
            level.ended_at_s.append(result.time_s)
        else:
            level.times_s += _times_of(result)

    def _remaining(self, *, probing: int, runs: int) -> str:
        """Text with the number of launches left, and their time if the program has already run once."""
        probing += self._spec.probe_after
        launches = f"; launches left: {probing + runs}"
        if not self._run_times_s:
            return launches
        run_s = sum(self._run_times_s) / len(self._run_times_s)
        return f"{launches}, about {duration_text(probing * self._spec.idle_s + runs * run_s)}"


def _times_of(result: ProgramRun) -> tuple[float, ...]:
    """The time of the program, or for a workload the times of its rounds, s."""
    if result.run_file is None:
        return (result.time_s,)
    try:
        return round_times(read_launch(result.run_file))
    except Inconclusive as fault:
        raise MeasurementAborted(str(fault), effect="; no result is reported", status=ExitStatus.fault) from None
