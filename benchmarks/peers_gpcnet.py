"""Congestion impact by GPCNeT's network_load_test next to that by the workload `gpcnet` on the same lab and hosts.

GPCNeT draws its placement from the time: a fifth of the hosts, two or more, run its tests, the others one of four
congestors each. It leaves the order of the hosts in a file, from which this program finds the seed and with it each
host's congestor; then the engine's jobs get the same hosts, in the same order. Launches therefore go in pairs, GPCNeT
first. GPCNeT's impact is the mean of a test next to the congestors / the mean of the isolated test; the engine's is its
Hodges-Lehmann estimate over blocks of rounds. The goal is a ratio of the two impacts within 5 %, as the median over
pairs of launches, with an interval within 10 %.

What each sends:

- latency: in GPCNeT every rank exchanges 8 bytes with both neighbours in a random ring at once (4 requests, one
  MPI_Waitall), and half of that time counts. The workload's ranks send 8 bytes back and forth in random pairs, which is
  the row `pingpong`. The row `exchange` is the motif that does what GPCNeT does, in a ring that is not random.
- bandwidth: in GPCNeT 8 messages of 128 KiB to and from each neighbour, then a barrier; in the workload windows of 8
  messages of 128 KiB, one way, in pairs.
- allreduce of one double on both sides.
- congestors: pairwise all-to-all, incast by messages, incast by MPI_Put, broadcast by MPI_Get, of 4 KiB on both sides.

The tests of the engine run one after another in one job, as in GPCNeT; workloads/gpcnet.sb has a job for each, on hosts
of its own.

"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import compare
import sources
from peer import Setting
from sweep import Goal, Table

from stressbench.console.escaping import escaped
from stressbench.formats.run.reading import read_run
from stressbench.stats.summary import summarise

GOAL = Goal(0.05, interval=0.1)
CONGESTOR_SHARE = 0.8
CONGESTORS = ("alltoall", "incast", "put_incast", "get_broadcast")
MOTIFS = (
    "alltoall -s 4KiB --call pairwise",
    "incast -s 4KiB",
    "put -s 4KiB --pattern all_to_one --flush",
    "get -s 4KiB --pattern all_to_one --flush",
)
TESTS = {
    "pingpong": "pingpong -s 8 --pairs random:1 -i 200",
    "exchange": "exchange -s 8 -i 200",
    "bandwidth": "bandwidth -s 128KiB --window 8 --pairs random:1 -i 8",
    "allreduce": "allreduce -c 1 -i 200",
}
GPCNET_TESTS = {
    "pingpong": "RR Two-sided Lat",
    "exchange": "RR Two-sided Lat",
    "bandwidth": "RR Two-sided BW+Sync",
    "allreduce": "Multiple Allreduce",
}
"""The test of GPCNeT that each test of this work is compared with."""
ROUNDS = 10  # isolated and contended, of a launch of the engine
REPETITIONS = 20
ORDER_FILE = "allnodes_congestion.dat"


def gpcnet_impacts(output: str) -> dict[str, float]:
    """Impact by the name of GPCNeT's test, from the averages of its tables of isolated and congested tests."""
    row = re.compile(r"^\| +([^|]+?) \([^|]*\) \| +([0-9.]+) \| +([0-9.]+) \| +(\S+) \|$", re.MULTILINE)
    isolated, _, congested = output.partition("Network Tests running with Congestion Tests")
    averages = [
        {name: (float(mean), unit) for name, mean, _, unit in row.findall(part)} for part in (isolated, congested)
    ]
    impacts = {}
    for name in dict.fromkeys(GPCNET_TESTS.values()):
        if any(name not in found for found in averages):
            raise ValueError(f"GPCNeT printed no {name}:\n{escaped(output)}")
        (isolated_mean, unit), (congested_mean, _) = averages[0][name], averages[1][name]
        impacts[name] = congested_mean / isolated_mean if unit == "usec" else isolated_mean / congested_mean
    return impacts


class CRandom:
    """rand() of the C library, which GPCNeT uses: glibc's additive generator of degree 31."""

    def __init__(self, seed: int) -> None:
        """As srand(seed)."""
        state = [seed or 1]
        for _ in range(30):
            state.append(16807 * state[-1] % 2147483647)
        self._state = [*state[3:], *state[:3]]
        for _ in range(310):
            self._next()

    def _next(self) -> int:
        value = (self._state[0] + self._state[28]) & 0xFFFFFFFF
        self._state = [*self._state[1:], value]
        return value

    def rand(self) -> int:
        """The next number."""
        return self._next() >> 1

    def shuffled(self, count: int) -> list[int]:
        """0 to count - 1 in the order of GPCNeT's shuffle()."""
        numbers = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.rand() % i
            numbers[i], numbers[j] = numbers[j], numbers[i]
        return numbers


@dataclass(frozen=True)
class Placement:
    """Hosts of the tests and of each congestor, in the order of their ranks."""

    tests: tuple[str, ...]
    congestors: Mapping[str, tuple[str, ...]]

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts, in the order of the jobs of the workload."""
        return self.tests + tuple(host for name in CONGESTORS for host in self.congestors[name])


def placement(order: Sequence[str], *, earliest: int, latest: int) -> Placement:
    """GPCNeT's placement, from the order of hosts that it wrote and the seconds between which it started.

    The seed is the second whose shuffle gives this order. Raises ValueError if there is none.
    """
    names = sorted(order)
    congested = int(CONGESTOR_SHARE * len(order))
    for seed in range(earliest, latest + 1):
        random = CRandom(seed)
        if [names[index] for index in random.shuffled(len(order))] != list(order):
            continue
        kinds = [number % len(CONGESTORS) for number in random.shuffled(congested)]
        by_kind = {
            name: tuple(host for host, its_kind in zip(order, kinds, strict=False) if its_kind == kind)
            for kind, name in enumerate(CONGESTORS)
        }
        return Placement(tuple(order[congested:]), by_kind)
    raise ValueError(f"no second from {earliest} to {latest} gives the order of hosts {' '.join(order)}")


def workload(placed: Placement) -> str:
    """The workload: tests one after another, congestors in the background."""
    lines = ["[JOB_NAME] tests", f"[NODES] {len(placed.tests)}", f"[REPEAT] {REPETITIONS}"]
    lines += [f"[MOTIF] {motif}" for motif in TESTS.values()]
    for name, motif in zip(CONGESTORS, MOTIFS, strict=True):
        hosts = placed.congestors[name]
        lines += ["", f"[JOB_NAME] congestor_{name}", f"[NODES] {len(hosts)}", "[ROLE] background", f"[MOTIF] {motif}"]
    return "\n".join([*lines, ""])


def own_impacts(run: Path) -> dict[str, float]:
    """Impact of each test from a run file. Raises ValueError where a test has none."""
    job = summarise(read_run(run)).jobs[0]
    impacts = {}
    for name, step in zip(TESTS, job.steps, strict=True):
        if step.timing.impact.ratio is None:
            raise ValueError(f"{name}: {step.timing.impact.reason}")
        impacts[name] = step.timing.impact.ratio
    return impacts


def launch(setting: Setting, ranks: int) -> tuple[dict[str, float], dict[str, float]]:
    """Impacts by the engine and by GPCNeT, on the same hosts."""
    earliest = int(time.time())
    output = setting.place.run(ranks, [setting.programs.path("network_load_test")], folder=setting.folder)
    order = (setting.folder / ORDER_FILE).read_text().split()
    placed = placement(order, earliest=earliest, latest=int(time.time()))
    text, run = setting.folder / "gpcnet.sb", setting.folder / "run.jsonl"
    text.write_text(workload(placed))
    rounds = str(setting.scaled(ROUNDS))
    words = [
        str(setting.engine), "run", str(text), "--ranks-per-node", "1", "--isolated", rounds, "--contended", rounds,
        "--output", str(run), "--overwrite", "-q",
    ]  # fmt: skip
    setting.place.run(ranks, words, folder=setting.folder, hosts=placed.hosts)
    return own_impacts(run), gpcnet_impacts(output)


def table(launches: Sequence[tuple[dict[str, float], dict[str, float]]], seed: int) -> Table:
    """A row for each test: both impacts with their intervals over launches, and their ratio in pairs of launches."""
    rows = []
    raw = {}
    missed = 0
    for name, theirs in GPCNET_TESTS.items():
        raw[name] = [ours[name] for ours, _ in launches], [found[theirs] for _, found in launches]
        impacts = [compare.median(values, seed=seed) for values in raw[name]]
        ratio = compare.ratio(*raw[name], seed=seed).within_blocks
        verdict = GOAL.verdict(ratio)
        missed += verdict != "yes"
        rows.append((name, theirs, *map(str, impacts), str(ratio), str(len(launches)), verdict))
    header = ("test", "of GPCNeT", "engine's impact", "GPCNeT's impact", "ratio", "launches", str(GOAL))
    return Table("Congestion impact", header, tuple(rows), missed, launches=raw)


def tables(setting: Setting) -> Iterator[Table]:
    """One table. Raises SourceMistake without a lab, since GPCNeT needs ten hosts."""
    hosts = setting.place.host_count
    if hosts is None or hosts < 2 + 2 * len(CONGESTORS):
        raise sources.SourceMistake(
            f"GPCNeT: --on {setting.place.on}: {hosts or 'an unknown number of'} hosts; expected a lab with at least "
            f"{2 + 2 * len(CONGESTORS)}, such as --on lab:tinis"
        )
    launches = compare.repeat(
        partial(launch, setting, hosts), blocks=setting.launches, interruption=setting.interruption
    )
    yield table(launches, setting.seed)
