"""Runs on networks, with counters of their links: what each job sends over each link is stated by the test."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from stressbench.formats.run import Run, read_run
from stressbench.formats.topology import Network, NetworkLink
from stressbench.labs.file import parse_lab
from stressbench.labs.networks import network_of_lab
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


_TORUS = """\
[hosts]
count = {hosts}
[[rail]]
rate = "1Gbit"
[topology]
kind = "torus"
columns = {columns}
rows = {rows}
rate = "1Gbit"
hosts_per_switch = {per_switch}
"""


def torus(columns: int, rows: int, *, per_switch: int = 1) -> Network:
    """The network of a lab."""
    text = _TORUS.format(hosts=columns * rows * per_switch, columns=columns, rows=rows, per_switch=per_switch)
    return network_of_lab(parse_lab(text, name="torus", source="torus.toml"))


def large_torus() -> Network:
    """1,024 hosts on 16 x 16 switches with 512 links."""
    small = torus(16, 16)
    trunks = tuple(link for link in small.links if {link.a, link.b} <= set(small.switches))
    hosts = tuple(f"h{number}" for number in range(1024))
    attached = (NetworkLink(a=host, b=small.switches[number // 4]) for number, host in enumerate(hosts))
    return Network(name="large", hosts=hosts, switches=small.switches, links=(*attached, *trunks))


def large_run(folder: Path) -> Run:
    """200 jobs on the large torus, two of whose links are busy."""
    network = large_torus()
    nodes = list(range(1024))
    random.Random(1).shuffle(nodes)
    jobs = [
        MadeJob(
            name=f"job{number}", ranks=1, congestion=1.5 if number == 0 else 1.0,
            nodes=",".join(map(str, sorted(nodes[5 * number : 5 * number + 5]))),
        )
        for number in range(200)
    ]  # fmt: skip
    loads: Loads = {("x3y3", "x4y3"): [0.5, 0.3, *[0.0] * 198], ("x9y9", "x9y10"): [0.0, 0.0, 0.9, *[0.0] * 197]}
    plan = MadePlan(blocks=6, isolated=1, repetitions=1, warmup=0, extra=0)
    made = run_on(network, jobs, loads, plan=plan, histograms=False)
    for record in made.of("round"):  # isolated rounds list the busy links only, so that the file stays small
        contended = record["job"] is None
        record["links"] = [one for one in record["links"] if contended or (one["source"], one["target"]) in loads]
    return read_run(made.write(folder))
