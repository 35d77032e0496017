"""`--on ns3:LAB` against the same lab: long messages, an incast of four hosts, and a short message beside bulk traffic.

Ratios of the lab's times to the simulated one; the intervals are those of the lab, over its rounds.
"""

import sys
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from support.lab_bench import isolated, isolated_s, job
from support.packet_networks import simulator_program
from support.programs import finished

from stressbench.formats.run import Kind, read_run
from stressbench.stats import RunSummary, select, summarise

TRUNK = """
[hosts]
count = 8
[[rail]]
rate = "100Mbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 4
taper = "4:1"
"""
BULK = """[SET] size=2MiB
[JOB_NAME] ping
[NID_LIST] 0,4
[REPEAT] 100
[MOTIF] pingpong -s 8

[JOB_NAME] bulk
[ROLE] congestor
[NID_LIST] 1-3,5
[MOTIF] incast -s ${size} -r 3
"""


@pytest.fixture
def simulated(engine, tmp_path):
    """Simulates a workload on `tiny` or the lab of this text."""
    environment = {
        "STRESSBENCH_NS3": str(simulator_program()), "STRESSBENCH_MPI": str(engine.program),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip

    def simulate(workload: str, *options: str, lab: str | None = None, ranks: int = 4) -> RunSummary:
        (tmp_path / "other.toml").write_text(lab or "", encoding="utf-8")
        where = "ns3:tiny" if lab is None else "ns3:other.toml"
        (tmp_path / "w.sb").write_text(workload, encoding="utf-8")
        target = tmp_path / "simulated.jsonl"
        command = [sys.executable, "-m", "stressbench", "run", "w.sb", "--on", where, "-n", str(ranks), "-o"]
        ended = finished([*command, str(target), *options], cwd=tmp_path, environment=environment)
        assert ended.status == 0, ended.text
        return summarise(read_run(target))

    return simulate


@pytest.mark.parametrize(("motif", "nodes"), [("pingpong -s 1MiB", "0,1"), ("incast -s 512KiB", "0-3")])
def test_what_is_bound_by_bandwidth_takes_the_simulated_time(
    lab_up, simulated, measured, few_samples, motif, nodes
) -> None:
    """5 %: the tolerance of the lab against arithmetic, which the simulation keeps within 2 %."""
    workload = job("a", nodes, motif)

    found = lab_up("tiny").run(workload, *isolated(few_samples))

    (expected_s,) = isolated_s(simulated(workload, *isolated(1)))
    measured.median("lab / ns-3", [one / expected_s for one in isolated_s(found)], expected=1, within=0.05)


@pytest.mark.parametrize(("arbitration", "size"), [("fifo", "2MiB"), ("fair", "2MiB"), ("fair", "8KiB")])
def test_a_short_message_beside_bulk_traffic_waits_the_simulated_time(
    lab_up, simulated, measured, few_samples, tmp_path, arbitration, size
) -> None:
    """10 %, as accepted for medians, and 25 % for 99th percentiles.

    With `fifo`, the congestor's messages are long: its queue is seldom empty. Its tails do not agree, which the page
    about ns-3 says.
    """
    plan = ("--isolated", "1", "--contended", str(few_samples), "--repetitions", "2", "--set", f"size={size}")
    lab = f'arbitration = "{arbitration}"\n{TRUNK}'

    bench = lab_up(f"trunk8-{arbitration}", lab)
    found = bench.run(BULK, "-n", "8", *plan)

    expected_s = median(contended_s(simulated(BULK, *plan, lab=lab, ranks=8)))
    measured.median("medians, lab / ns-3", [one / expected_s for one in contended_s(found)], expected=1, within=0.1)
    if arbitration == "fair":
        expected_s = median(tails_s(tmp_path / "simulated.jsonl"))
        tails = [one / expected_s for one in tails_s(bench.folder / "w.jsonl")]
        measured.median("99th percentiles, lab / ns-3", tails, expected=1, within=0.25)


def contended_s(found: RunSummary) -> list[float]:
    """Median time of the first job in each contended round."""
    return [one.median_s for one in found.jobs[0].timing.rounds if one.kind is Kind.contended]


def tails_s(path: Path) -> list[float]:
    """The 99th percentile of the first job's hundred times in each contended round."""
    found = select(read_run(path), job=0)
    rounds = np.unique(found.contended_round)
    return [float(np.percentile(found.contended_s[found.contended_round == one], 99)) for one in rounds]
