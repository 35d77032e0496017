"""`stressbench impact` on links with a known load: estimates for utilisations of 0, 10, 30, 50, 70 and 90 %.

    stressbench lab up tiny
    .venv/bin/python benchmarks/known_utilisation.py --on lab:tiny [--shares 0,0.1,0.3,0.5,0.7,0.9] [--seconds 60]

Goal: within 5 points from 30 to 70 %, and below 3 % on an idle link. Two hosts send each other bursts that arrive as a
Poisson process (benchmarks/known_load.py) and keep the link between them busy for a known share of the time; a pair of
probes shares that link. Evaluated in three ways: as in the paper, as `impact` does without further information, and
with the service time of a burst on the link (`--link`, `--packet`). `--one-way`: only one host sends, which the model
does not cover.

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
import numpy as np

from stressbench.console.escaping import escaped
from stressbench.formats.profiles.profile import read_profile
from stressbench.interference.probe_statistics import PING_PONG_ESTIMATOR
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Utilisation, estimate_utilisation

GOAL = 0.05
IDLE_GOAL = 0.03
GOAL_RANGE = (0.3, 0.7)
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
    """Utilisation estimated as in the paper, from probes alone, and with the known service time of bursts as well."""

    load: Load
    paper: Utilisation
    probes_only: Utilisation
    with_service_time: Utilisation


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
    return Estimates(
        load=load,
        paper=estimate_utilisation(idle_s, loaded_s, estimator=PAPER_ESTIMATOR, steady=False),
        probes_only=estimate_utilisation(idle_s, loaded_s, estimator=PING_PONG_ESTIMATOR, steady=False),
        with_service_time=estimate_utilisation(
            idle_s, loaded_s, estimator=PING_PONG_ESTIMATOR, packets=load.service, steady=False
        ),
    )


def cell(utilisation: Utilisation) -> str:
    """Table cell with the utilisation in percent and its interval."""
    if utilisation.low is None:
        return f"- ({utilisation.reason})"
    if utilisation.value is None:
        return f"at least {100 * utilisation.low:.1f}"
    return f"{100 * utilisation.value:.1f} ({100 * utilisation.low:.1f} to {100 * (utilisation.high or np.nan):.1f})"


def misses_goal(estimates: Estimates) -> bool:
    """Whether this row has a goal and misses it."""
    share, estimate = estimates.load.share, estimates.with_service_time.value
    if share == 0:
        return estimate is None or estimate >= IDLE_GOAL
    return GOAL_RANGE[0] <= share <= GOAL_RANGE[1] and (estimate is None or abs(estimate - share) > GOAL)


def rows(loads: Sequence[Load], *, on: str, seed: int) -> Iterator[tuple[bool, list[str]]]:
    """Measure the loads one after the other; yields whether the goal is missed, and the table row."""
    for number, load in enumerate(loads):
        estimates = measure(load, on=on, seed=seed + number)
        yield misses_goal(estimates), [
            f"{load.share:.0%}", *map(cell, (estimates.with_service_time, estimates.probes_only, estimates.paper)),
            "no" if misses_goal(estimates) else "yes",
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
    results = list(rows(loads, on=arguments.on, seed=arguments.seed))
    header = ["load", "read, knowing bursts", "read, knowing nothing", "read as in the paper", f"within {GOAL:.0%}"]
    sys.stdout.write(compare.table(header, [row for _, row in results]) + "\n")
    return 1 if any(is_missed for is_missed, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
