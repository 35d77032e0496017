"""Memory and processor time of a simulation by number of hosts, each with one rank.

    .venv/bin/python benchmarks/simulation.py [--hosts 16 64 256 1024] [--output simulation.json]
        [--figure simulation.svg] [--simulator build/simgrid/engine/stressbench-simgrid]

Every simulation has one round: ten exchanges of halo2d, then a file of one GB from each rank with posix. Hosts are in a
fat tree with 16 on each leaf and a taper of 2:1, and two I/O nodes serve files. Memory is the peak of the process in
which all ranks are simulated, processor time is that of the whole command. Both depend neither on the time that the
ranks take nor on the length of the file.

"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import compare
import mpi

LAB = """\
[hosts]
count = {hosts}
[[rail]]
rate = "1Gbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 16
taper = "2:1"
[io]
count = 2
attach = "root0"
rate = "1Gbit"
capacity = "2000GB"
stripe = "4MiB"
"""
WORKLOAD = """\
[JOB_NAME] simulated
[NODES] {hosts}
[MOTIF] halo2d -i 10
[MOTIF] posix -s 1GB -t 1GB -f ${{SCRATCH}}/out
"""
ONCE = ("--isolated", "1", "--contended", "0", "--repetitions", "1", "--warmup", "0")


@dataclass(frozen=True)
class Cost:
    """Of a simulation of so many hosts: processor time and duration of the command in seconds, memory in bytes."""

    hosts: int
    cpu_s: float
    wall_s: float
    memory_bytes: int
    simulated_s: float


def simulate(simulator: Path, hosts: int, folder: Path) -> Cost:
    """Simulate the run in `folder`. Raises RuntimeError if the command fails."""
    (folder / "lab.toml").write_text(LAB.format(hosts=hosts))
    (folder / "run.sb").write_text(WORKLOAD.format(hosts=hosts))
    run = ["run", "run.sb", "--on", "simgrid:lab.toml", "-o", "run.jsonl", *ONCE]
    command = [sys.executable, "-m", "stressbench", *run]
    environment = {**os.environ, "STRESSBENCH_SIMGRID": str(simulator), "XDG_CACHE_HOME": str(folder / "cache")}
    begin = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"the simulation of {hosts} hosts ended with status {process.returncode}")
    records = map(json.loads, (folder / "run.jsonl").read_text().splitlines())
    (simulated_s,) = (one["time_max_s"] for one in records if one["type"] == "sample" and one["step"] is None)
    return Cost(
        hosts=hosts, cpu_s=usage.ru_utime + usage.ru_stime, wall_s=time.monotonic() - begin,
        memory_bytes=usage.ru_maxrss * 1024, simulated_s=simulated_s,
    )  # fmt: skip


def draw(costs: Sequence[Cost], path: Path) -> None:
    """Memory and processor time over the number of hosts, with lines of proportional growth from the first point."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(7.6, 3.4), layout="constrained")
    hosts = [one.hosts for one in costs]
    panels = (("peak memory (GiB)", [one.memory_bytes / 2**30 for one in costs]),
              ("processor time (s)", [one.cpu_s for one in costs]))  # fmt: skip
    for axes, (label, values) in zip(fig.subplots(1, 2), panels, strict=True):
        axes.loglog(hosts, values, "o-", base=2, label="one simulation each")
        axes.loglog(hosts, [values[0] * one / hosts[0] for one in hosts], ":", base=2, color="grey",
                    label="in proportion to the hosts")  # fmt: skip
        axes.set(xlabel="simulated hosts, a rank each", ylabel=label)
        axes.set_xticks(hosts, [f"{one:,}" for one in hosts])
        axes.yaxis.set_major_formatter("{x:.3g}")
        axes.legend(fontsize=8)
    fig.suptitle("Simulation of ten halo exchanges and a file, by number of hosts", fontsize=10)
    fig.savefig(path)


def row_of(cost: Cost) -> list[str]:
    """Cells of the table."""
    of_host = cost.memory_bytes / 2**20 / cost.hosts
    return [f"{cost.hosts:,}", f"{cost.memory_bytes / 2**30:.2f} GiB", f"{of_host:.1f} MiB", f"{cost.cpu_s:.1f} s",
            f"{cost.simulated_s:,.1f} s"]  # fmt: skip


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, nargs="+", default=[16, 64, 256, 1024])
    parser.add_argument(
        "--simulator", type=Path, default=mpi.CHECKOUT / "build" / "simgrid" / "engine" / "stressbench-simgrid"
    )
    parser.add_argument("--output", type=Path, help="figures as JSON")
    parser.add_argument("--figure", type=Path, help="figure of memory and processor time")
    arguments = parser.parse_args()
    costs = []
    for hosts in sorted(arguments.hosts):
        with tempfile.TemporaryDirectory() as name:
            costs.append(simulate(arguments.simulator.absolute(), hosts, Path(name)))
        sys.stderr.write(f"{costs[-1]}\n")
    head = ["hosts", "peak memory", "a host", "processor time", "virtual time"]
    sys.stdout.write(compare.table(head, list(map(row_of, costs))) + "\n")
    if arguments.output is not None:
        arguments.output.write_text(json.dumps([asdict(one) for one in costs], indent=1) + "\n")
    if arguments.figure is not None:
        draw(costs, arguments.figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
