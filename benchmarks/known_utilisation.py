"""`stressbench impact` on links with a known load: estimates for utilisations of 0, 10, 30, 50, 70 and 90 %.

    stressbench lab up tiny
    .venv/bin/python benchmarks/known_utilisation.py --on lab:tiny [--shares 0,0.1,0.3,0.5,0.7,0.9] [--seconds 60]
    stressbench lab up benchmarks/known_utilisation/leaves-200.toml
    .venv/bin/python benchmarks/known_utilisation.py --on lab:leaves-200 --rate 200Mbit

Goal: within 5 points from 10 to 90 %, and below 3 % on an idle link. Two hosts send each other bursts that arrive as a
Poisson process (benchmarks/known_load.py) and keep the link between them busy for a known share of the time; a pair of
probes shares that link. Evaluated in four ways: from undelayed probes, each direction by itself, as `impact` does
without further information; from mean latencies with the service time of a burst on the link (`--link`, `--packet`),
and without; and as in the paper. `--one-way`: only one host sends.

"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import compare
import known_load

from stressbench.console.escaping import escaped
from stressbench.formats.profiles.profile import read_profile
from stressbench.interference.probe_statistics import PING_PONG_ESTIMATOR
from stressbench.interference.queueing import Service
from stressbench.interference.undelayed import estimate_from_undelayed
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Utilisation, estimate_utilisation

GOAL = 0.05
IDLE_GOAL = 0.03
START_S, END_S = 4.0, 1.0  # seconds left out at both ends, as ranks start and end one after the other
LOAD = Path(known_load.__file__)


@dataclass(frozen=True, kw_only=True)
class Load:
    """A load: utilisation of the link, bytes of frames per burst, one or both directions."""

    share: float
    rate_bits_per_s: float
    burst: int
    one_way: bool = False
    seconds: float = 60

    @property
    def service(self) -> Service:
        """Time (s) for which a burst occupies the link."""
        frames = max(1, round(self.burst / known_load.FRAME))
        return Service(mean_s=8 * known_load.FRAME * frames / self.rate_bits_per_s, variance_s2=0)

    def command(self, *, seed: int) -> list[str]:
        """The command that `impact` measures."""
        return [
            sys.executable, str(LOAD), "--peers", "h1,-" if self.one_way else "h1,h0", "--rate",
            f"{self.rate_bits_per_s / 1e6:g}Mbit", "--share", f"{self.share:g}", "--burst", str(self.burst), "--for",
            f"{self.seconds:g}", "--seed", str(seed),
        ]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Estimates:
    """Utilisations by each estimate: `forward` and `backward` from undelayed probes, the others from mean latencies.

    `counted`: that of the busiest link by its own counters, None without counters.
    """

    load: Load
    paper: Utilisation
    probes_only: Utilisation
    with_service_time: Utilisation
    forward: Utilisation
    backward: Utilisation
    counted: float | None

    @property
    def by_direction(self) -> tuple[tuple[Utilisation, float], ...]:
        """Each direction's estimate and its load."""
        return (self.forward, self.load.share), (self.backward, 0.0 if self.load.one_way else self.load.share)


def measure(load: Load, *, on: str, seed: int = 1, every: str = "100ms", idle: str = "15s") -> Estimates:
    """Measure the load with one pair of probes on the first two hosts of a lab."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "load.json"
        command = [
            sys.executable, "-m", "stressbench", "impact", "--on", on, "-n", "2", "--pairs", "1", "--every", every,
            "--idle", idle, "--no-after", "-o", str(file), "--", *load.command(seed=seed),
        ]  # fmt: skip
        completed = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False, cwd=name)
        if completed.returncode:
            raise SystemExit(
                f"{' '.join(command)} ended with status {completed.returncode}\n{escaped(completed.stderr)}"
            )
        profile = read_profile(file)
    assert profile.impact is not None
    probes = profile.impact.probes
    assert probes.times is not None
    steady = (probes.times >= START_S) & (probes.times <= load.seconds - END_S)
    idle_s, loaded_s = profile.idle.array, probes.array[steady]
    idle_ways, loaded_ways = profile.idle.directions, probes.directions
    assert idle_ways is not None and loaded_ways is not None
    forward, backward = (
        estimate_from_undelayed(idle, loaded[steady], directions=1, weights=probes.weights[steady])
        for idle, loaded in zip(idle_ways, loaded_ways, strict=True)
    )
    return Estimates(
        load=load, forward=forward, backward=backward, counted=max((profile.links or {}).values(), default=None),
        paper=estimate_utilisation(idle_s, loaded_s, estimator=PAPER_ESTIMATOR, steady=False),
        probes_only=estimate_utilisation(idle_s, loaded_s, estimator=PING_PONG_ESTIMATOR, steady=False),
        with_service_time=estimate_utilisation(
            idle_s, loaded_s, estimator=PING_PONG_ESTIMATOR, packets=load.service, steady=False
        ),
    )  # fmt: skip


def cell(utilisation: Utilisation) -> str:
    """Table cell with the utilisation in percent and its interval, or the bounds that are known."""
    if utilisation.low is None:
        return f"- ({utilisation.reason})"
    low, high = 100 * utilisation.low, None if utilisation.high is None else 100 * utilisation.high
    if utilisation.value is None:
        return f"at least {low:.1f}" if high is None else f"{low:.1f} to {high:.1f}"
    return f"{100 * utilisation.value:.1f} ({low:.1f} to {'?' if high is None else f'{high:.1f}'})"


def misses_goal(estimates: Estimates) -> bool:
    """Whether the estimate of a direction misses the goal."""
    for one, share in estimates.by_direction:
        if one.value is None or abs(one.value - share) > (GOAL if share else IDLE_GOAL):
            return True
    return False


def rows(loads: Sequence[Load], *, on: str, seed: int) -> Iterator[tuple[bool, list[str]]]:
    """Measure the loads one after the other; yields whether the goal is missed, and the table row."""
    for number, load in enumerate(loads):
        estimates = measure(load, on=on, seed=seed + number)
        yield misses_goal(estimates), [
            f"{load.share:.0%}", "-" if estimates.counted is None else f"{100 * estimates.counted:.1f}",
            cell(estimates.forward), cell(estimates.backward), "no" if misses_goal(estimates) else "yes",
            *map(cell, (estimates.with_service_time, estimates.probes_only, estimates.paper)),
        ]  # fmt: skip


def main() -> int:
    """Print the table. Exit status 1 if the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="lab:tiny", help="a lab that is up [%(default)s]")
    parser.add_argument("--rate", type=known_load.bits_per_s, default=1e8, help="rate of its links [100Mbit]")
    parser.add_argument("--shares", default="0,0.1,0.3,0.5,0.7,0.9", help="[%(default)s]")
    parser.add_argument("--burst", type=int, default=131072, help="bytes of frames per burst [%(default)s]")
    parser.add_argument("--seconds", type=float, default=60, help="seconds per utilisation [%(default)s]")
    parser.add_argument("--one-way", action="store_true", help="only the first host sends")
    parser.add_argument("--seed", type=int, default=1, help="[%(default)s]")
    arguments = parser.parse_args()
    loads = [
        Load(
            share=float(word),
            rate_bits_per_s=arguments.rate,
            burst=arguments.burst,
            one_way=arguments.one_way,
            seconds=arguments.seconds,
        )
        for word in arguments.shares.split(",")
    ]
    results = []
    for result in rows(loads, on=arguments.on, seed=arguments.seed):
        results.append(result)
        sys.stderr.write(f"{len(results)} of {len(loads)} loads measured\n")
    header = [
        "load", "by link counters", "undelayed, there", "undelayed, back", f"within {GOAL:.0%}", "mean, knowing bursts",
        "mean, knowing nothing", "as in the paper",
    ]  # fmt: skip
    sys.stdout.write(compare.table(header, [row for _, row in results]) + "\n")
    return 1 if any(is_missed for is_missed, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
