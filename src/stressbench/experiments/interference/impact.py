"""The impact of a program on the network, measured with light probes beside it (ImpactB)."""

import random
from collections.abc import Iterator
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.runner import MeasurementRunner, read_launch
from stressbench.experiments.interference.spec import MeasurementSpec, probe_load
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.link_shares import LinkShares, link_shares, mean_link_shares
from stressbench.interference.probe_statistics import probing_time_s
from stressbench.interference.probes import ProbeSeries, concatenate_series
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import LEAST_SAMPLES
from stressbench.report.units import count

_MOST_RUNS = 10
_ROUND_BESIDE_S = 5.0
"""The network is not probed between rounds, and that takes longer while a program fills the queues of its links."""


def measure_impact(
    spec: MeasurementSpec, *, effect_runs: int = 0, packets: Service | None = None, progress: Progress = silent
) -> ImpactData:
    """Probe the idle machine, then the machine while the program runs, then the idle machine again.

    With `effect_runs` above 0, the program runs that many times with probes and as many times without, in random order,
    to measure the effect of the probes. A program that is too short for enough probes runs again. `packets`: the
    service time of the packets that load the network, None: unknown. Raises LaunchMistake for what the user can
    correct, MeasurementAborted where a launch fails or is interrupted.
    """
    try:
        with scratch_directory("impact") as folder:
            return _measure(spec, folder, effect_runs=effect_runs, packets=packets, progress=progress)
    except KeyboardInterrupt:
        raise MeasurementAborted("interrupted; no result is reported", status=ExitStatus.interrupted) from None


def _measure(
    spec: MeasurementSpec, folder: Path, *, effect_runs: int, packets: Service | None, progress: Progress
) -> ImpactData:
    runner = MeasurementRunner(spec, folder, progress=progress)
    runner.check(probe_load(spec))
    before = runner.probe_idle("idle, before")
    probed = _ProbedRuns(spec, runner, progress=progress)
    without_s: list[float] = []
    for with_probes in _order(effect_runs, seed=spec.seed):
        if with_probes:
            probed.run()
        else:
            without_s.append(_time_without_probes(spec, runner, progress=progress))
    probed.run_until_enough()
    return ImpactData(
        probing=spec.schedule, before=before, beside=probed.series,
        after=runner.probe_idle("idle, after") if spec.probe_after else (), with_probes_s=tuple(probed.times_s),
        without_s=tuple(without_s), packets=packets, links=mean_link_shares(probed.links),
    )  # fmt: skip


class _ProbedRuns:
    """Runs of the program with probes: `times_s` of those that were complete, and shares of the `links`."""

    def __init__(self, spec: MeasurementSpec, runner: MeasurementRunner, *, progress: Progress) -> None:
        self._spec = spec
        self._runner = runner
        self._progress = progress
        self._series: list[tuple[ProbeSeries, ...]] = []
        self._reached_limit = False
        self.times_s: list[float] = []
        self.links: list[LinkShares | None] = []

    @property
    def series(self) -> tuple[ProbeSeries, ...]:
        """Probes of each pair, of all runs one after the other."""
        return tuple(concatenate_series(pair) for pair in zip(*self._series, strict=True))

    def run(self) -> None:
        """Run the program once."""
        spec = self._spec
        self._progress(f"{spec.name} on {count(spec.shape.ranks, 'rank')}, with probes")
        result = self._runner.run_with_load(probe_load(spec, round_s=_ROUND_BESIDE_S))
        if result.reached_limit:
            self._reached_limit = True
            self._progress(
                f"{spec.name} was ended at --time-limit, after {result.took_s:.3g} s; probes until then are used"
            )
        else:
            self.times_s.append(result.time_s)
        run = read_launch(result.load_file)
        self._series.append(self._runner.series(run, during=result))
        interval = result.interval_in(run)
        self.links.append(None if interval is None else link_shares(run, began_s=interval[0], ended_s=interval[1]))

    def run_until_enough(self) -> None:
        """Run a short program again until there are enough probes. Raises MeasurementAborted if that takes too long."""
        while (probe_count := sum(len(pair) for run in self._series for pair in run)) < LEAST_SAMPLES:
            if self._reached_limit or probe_count * _MOST_RUNS < LEAST_SAMPLES * len(self._series):
                raise self._too_few_probes(probe_count)
            self._progress(
                f"{self._spec.name} was probed {count(probe_count, 'time')}; at least {LEAST_SAMPLES} probes are "
                "needed, so that it runs again"
            )
            self.run()

    def _too_few_probes(self, probe_count: int) -> MeasurementAborted:
        spec, probing = self._spec, self._spec.schedule
        runs = f" in {len(self.times_s)} runs" if len(self.times_s) > 1 else ""
        length = f" took {sum(self.times_s):.3g} s{runs}, too short" if self.times_s else ""
        return MeasurementAborted(
            f"{spec.name}{length}: it was probed {count(probe_count, 'time')}, but at least {LEAST_SAMPLES} probes are "
            f"needed, which takes {probing_time_s(LEAST_SAMPLES, probing):.3g} s with {count(probing.pairs, 'pair')} "
            f"every {probing.interval_s * 1e3:g} ms, and longer if they are delayed. Use a larger problem, or probe "
            "more often (--every)",
            status=ExitStatus.fault,
        )


def _order(effect_runs: int, *, seed: int) -> Iterator[bool]:
    """Runs with probes (True) and without, in pairs of random order. A single run with probes for 0 `effect_runs`."""
    if not effect_runs:
        yield True
    source = random.Random(seed)
    for _ in range(effect_runs):
        yield from source.choice(([True, False], [False, True]))


def _time_without_probes(spec: MeasurementSpec, runner: MeasurementRunner, *, progress: Progress) -> float:
    progress(f"{spec.name} on {count(spec.shape.ranks, 'rank')}, without probes")
    result = runner.run_isolated()
    if result.reached_limit:
        raise MeasurementAborted(
            f"{spec.name} was ended at --time-limit, so that its time without probes is unknown; leave out --effect "
            "or raise the limit",
            status=ExitStatus.fault,
        )
    return result.time_s
