"""The impact of a program on the network, measured with light probes beside it (ImpactB)."""

import random
from collections.abc import Iterator
from pathlib import Path

from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.outcome import MeasurementAborted
from stressbench.experiments.interference.runner import LoadedProgramRun, MeasurementRunner, read_launch
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


def measure_impact(
    spec: MeasurementSpec, *, effect_runs: int = 0, packets: Service | None = None, progress: Progress = silent
) -> ImpactData:
    """Probe the idle machine, then the machine while the program runs, then the idle machine again.

    With `effect_runs` above 0, the program runs that many times with probes and as many times without, in random order,
    to measure the effect of the probes. `packets`: the service time of the packets that load the network, None:
    unknown. Raises LaunchMistake for what the user can correct, MeasurementAborted where a launch fails or is
    interrupted.
    """
    try:
        with scratch_directory("impact") as folder:
            return _measure(spec, folder, effect_runs=effect_runs, packets=packets, progress=progress)
    except KeyboardInterrupt:
        raise MeasurementAborted("interrupted; no result is reported", status=ExitStatus.interrupted) from None


def _measure(
    spec: MeasurementSpec, folder: Path, *, effect_runs: int, packets: Service | None, progress: Progress
) -> ImpactData:
    runner, probes = MeasurementRunner(spec, folder, progress=progress), probe_load(spec)
    runner.check(probes)
    before = runner.probe_idle("idle, before")
    series: list[tuple[ProbeSeries, ...]] = []
    with_probes_s: list[float] = []
    without_s: list[float] = []
    links: list[LinkShares | None] = []
    for with_probes in _order(effect_runs, seed=spec.seed):
        if not with_probes:
            without_s.append(_time_without_probes(spec, runner, progress=progress))
            continue
        progress(f"{spec.name} on {count(spec.shape.ranks, 'rank')}, with probes")
        result = runner.run_with_load(probes)
        with_probes_s += _known_time(spec, result, progress=progress)
        run = read_launch(result.load_file)
        series.append(runner.series(run, during=result))
        interval = result.interval_in(run)
        links.append(None if interval is None else link_shares(run, began_s=interval[0], ended_s=interval[1]))
    beside = tuple(concatenate_series(pair) for pair in zip(*series, strict=True))
    _require_enough_probes(spec, beside, took_s=sum(with_probes_s))
    return ImpactData(
        probing=spec.schedule, before=before, beside=beside,
        after=runner.probe_idle("idle, after") if spec.probe_after else (), with_probes_s=tuple(with_probes_s),
        without_s=tuple(without_s), packets=packets, links=mean_link_shares(links),
    )  # fmt: skip


def _order(effect_runs: int, *, seed: int) -> Iterator[bool]:
    """Runs with probes (True) and without, in pairs of random order. A single run with probes for 0 `effect_runs`."""
    if not effect_runs:
        yield True
    source = random.Random(seed)
    for _ in range(effect_runs):
        yield from source.choice(([True, False], [False, True]))


def _known_time(spec: MeasurementSpec, result: LoadedProgramRun, *, progress: Progress) -> list[float]:
    """The time of the run, s, or an empty list where it reached the time limit."""
    if not result.reached_limit:
        return [result.took_s]
    progress(f"{spec.name} was ended at --time-limit, after {result.took_s:.3g} s; probes until then are used")
    return []


def _time_without_probes(spec: MeasurementSpec, runner: MeasurementRunner, *, progress: Progress) -> float:
    progress(f"{spec.name} on {count(spec.shape.ranks, 'rank')}, without probes")
    result = runner.run_isolated()
    if result.reached_limit:
        raise MeasurementAborted(
            f"{spec.name} was ended at --time-limit, so that its time without probes is unknown; leave out --effect "
            "or raise the limit",
            status=ExitStatus.fault,
        )
    return result.took_s


def _require_enough_probes(spec: MeasurementSpec, beside: tuple[ProbeSeries, ...], *, took_s: float) -> None:
    probe_count, interval_s, pairs = sum(map(len, beside)), spec.schedule.interval_s, spec.schedule.pairs
    if probe_count >= LEAST_SAMPLES:
        return
    length = f" took {took_s:.3g} s, too short" if took_s else ""
    raise MeasurementAborted(
        f"{spec.name}{length}: it was probed {probe_count} times, but at least {LEAST_SAMPLES} probes are needed, "
        f"which takes {probing_time_s(LEAST_SAMPLES, spec.schedule):.3g} s with {count(pairs, 'pair')} every "
        f"{interval_s * 1e3:g} ms. Use a larger problem, or probe more often (--every)",
        status=ExitStatus.fault,
    )
