"""A/A test: jobs that do not disturb each other have an impact of 1, and 95 % of the intervals should contain 1.

    .venv/bin/python benchmarks/aa.py [--seeds 20]                  real ranks on this machine
    .venv/bin/python benchmarks/aa.py --simulated [--seeds 200]     SimGrid's ranks, with simulated noise of a machine

Real: a job and another one that sleeps on its own nodes. Simulated: two jobs, each on its own switch, run once in
virtual time; each further run applies random noise to these times: drift between blocks (a random walk of 5 %), 5 %
(lognormal) between rounds, and 10 % (exponential) between repetitions. All runs are read and evaluated like users'
runs.

Goal: the number of intervals that contain 1 is within the limits of the binomial distribution for 95 %. Simulated runs
also: 93 to 97 % of them.

"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import compare
import mpi
import numpy as np
from scipy import stats

from stressbench.formats.run import read_run
from stressbench.stats import summarise

COVERAGE = 0.95
RANKS = 4
ROUNDS = ("--isolated", "10", "--contended", "10")
MPI_WORKLOAD = """\
[JOB_NAME] working
[NID_LIST] 0-1
[REPEAT] 50
[MOTIF] Compute -m 200us
[MOTIF] AllReduce
[MOTIF] AllToAll -s 32KiB
[JOB_NAME] idle
[NID_LIST] 2-3
[ROLE] background
[MOTIF] Compute -m 50ms --mode sleep
"""
SIMULATED_WORKLOAD = """\
[JOB_NAME] one
[NID_LIST] 0-3
[MOTIF] AllReduce
[JOB_NAME] other
[NID_LIST] 4-7
[MOTIF] AllToAll -s 8KiB
"""


@dataclass(frozen=True)
class Impact:
    """Congestion impact of a job in one run, with its 95 % interval."""

    seed: int
    job: str
    ratio: float
    low: float
    high: float

    @property
    def contains_one(self) -> bool:
        """Whether the interval contains 1."""
        return self.low <= 1 <= self.high


def impacts_of(run: Path, seed: int) -> Iterator[Impact]:
    """Congestion impacts of all measured jobs that have an interval."""
    for job in summarise(read_run(run)).jobs:
        impact = job.timing.impact
        if impact.ratio is not None and impact.low is not None and impact.high is not None:
            yield Impact(seed, job.name, impact.ratio, impact.low, impact.high)


def measure(engine: Path, workload: Path, run: Path, seed: int) -> None:
    """Run the workload once on real ranks with this seed, and write the run file `run`."""
    arguments = ["run", str(workload), "--ranks-per-node", "1", *ROUNDS, "--seed", str(seed), "--output", str(run)]
    mpi.run(mpi.OPEN_MPI, RANKS, [str(engine), *arguments])


def simulate(workload: Path, run: Path) -> list[dict[str, Any]]:
    """Records of one simulated run, by the engine named in STRESSBENCH_SIMGRID or that of build/simgrid."""
    arguments = ["run", str(workload), "--on", "simgrid:tinis", "-n", "8", *ROUNDS, "--repetitions", "5"]
    engine = Path(__file__).resolve().parent.parent / "build" / "simgrid" / "engine" / "stressbench-simgrid"
    command = [str(Path(sys.executable).parent / "stressbench"), *arguments, "--output", str(run)]
    environment = {"STRESSBENCH_SIMGRID": str(engine), **os.environ}
    subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.read_text().splitlines()]


def with_noise(records: Sequence[Mapping[str, Any]], seed: int) -> Iterator[Mapping[str, Any]]:
    """The run's records with simulated noise and drift applied to their times."""
    rng = np.random.default_rng(seed)
    blocks = {record["round"]: record["block"] for record in records if record["type"] == "round"}
    drift = np.cumsum(rng.normal(0, 0.05, 1 + max(blocks.values())))
    job_noise: dict[tuple[int, int], float] = {}  # one factor per round and job
    factors: dict[tuple[int, int, int], float] = {}  # one factor per repetition, for its steps and the whole
    for record in records:
        if record["type"] != "sample":
            yield record
            continue
        number, job, repetition = record["round"], record["job"], record["repetition"]
        job_noise.setdefault((number, job), rng.normal(0, 0.05))
        factor = factors.setdefault(
            (number, job, repetition),
            float(np.exp(drift[blocks[number]] + job_noise[number, job]) * (1 + rng.exponential(0.1))),
        )
        yield {**record, **{key: factor * record[key] for key in ("time_min_s", "time_mean_s", "time_max_s")}}


def main() -> int:
    """Print all impacts and how many intervals contain 1. Exit status 1 if these are too few or too many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=None)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--engine", type=Path, help="stressbench-mpi for Open MPI; default: built by this script")
    arguments = parser.parse_args()
    seeds = arguments.seeds or (200 if arguments.simulated else 20)
    engine = None if arguments.simulated else arguments.engine or mpi.build_engine(mpi.OPEN_MPI)
    impacts: list[Impact] = []
    with tempfile.TemporaryDirectory() as name:
        workload, run = Path(name, "aa.sb"), Path(name, "aa.jsonl")
        workload.write_text(MPI_WORKLOAD if engine else SIMULATED_WORKLOAD)
        noiseless_records = [] if engine else simulate(workload, run)
        for seed in range(1, seeds + 1):
            run.unlink(missing_ok=True)
            if engine:
                measure(engine, workload, run, seed)
            else:
                run.write_text("".join(json.dumps(record) + "\n" for record in with_noise(noiseless_records, seed)))
            impacts += impacts_of(run, seed)
            sys.stderr.write(f"seed {seed} of {seeds}: {impacts[-1].ratio:.4f}\n")
    rows = [
        [str(i.seed), i.job, f"{i.ratio:.4f}", f"{i.low:.4f} to {i.high:.4f}", "yes" if i.contains_one else "no"]
        for i in impacts
    ]
    sys.stdout.write(compare.table(["seed", "job", "impact", "95 % interval", "contains 1"], rows) + "\n")
    covering = sum(i.contains_one for i in impacts)
    least, most = (int(bound) for bound in stats.binom.interval(0.95, len(impacts), COVERAGE))
    sys.stdout.write(
        f"\n{covering} of {len(impacts)} intervals contain 1, {covering / len(impacts):.1%}; "
        f"expected {least} to {most}\n"
    )
    in_bounds = least <= covering <= most
    return 0 if in_bounds and (engine or 0.93 <= covering / len(impacts) <= 0.97) else 1


if __name__ == "__main__":
    sys.exit(main())
