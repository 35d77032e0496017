"""Runs on networks, with counters of their links: what each job sends over each link is stated by the test."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from stressbench.formats.topology import Network
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, Record, build_run

Loads = Mapping[tuple[str, str], Sequence[float]]
"""Share of the rate that each job uses of a link, by the ends of the link in the direction of the traffic."""
DURATION_S = 0.9
RATE = 100_000_000


def run_on(
    network: Network, jobs: Sequence[MadeJob], loads: Loads, *, plan: MadePlan = MadePlan(blocks=8), **options: object
) -> MadeRun:
    """A run on the hosts of `network`; in contended rounds a link carries the sum of the jobs' loads, at most 1."""
    machine = MadeMachine(hosts=network.hosts)
    made = build_run(jobs=jobs, plan=plan, machine=machine, **options)  # type: ignore[arg-type]
    for record in made.of("round"):
        record["links"] = list(_links(network, loads, record["job"]))
    return made


def _links(network: Network, loads: Loads, job: int | None) -> list[Record]:
    found = []
    for link in network.links:
        for source, target in ((link.a, link.b), (link.b, link.a)):
            shares = loads.get((source, target), ())
            use = min(1.0, sum(shares)) if job is None else shares[job] if job < len(shares) else 0.0
            found.append({
                "link": f"{link.a}-{link.b}", "source": source, "target": target, "rate_bits_per_s": RATE,
                "bytes": round(use * RATE / 8 * DURATION_S), "frames": 1, "drops": 0,
            })  # fmt: skip
    return found


def simulated(made: MadeRun, lab_text: str, *, name: str) -> MadeRun:
    """The run as that of a simulation of the lab whose file has this text."""
    made.header["simulation"] = {
        "simulator": "SimGrid 3.32", "platform": {"name": name, "text": lab_text}, "settings": None,
    }  # fmt: skip
    return made


def write_json_lines(path: Path, records: Sequence[Record]) -> Path:
    """The file with these records."""
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path
