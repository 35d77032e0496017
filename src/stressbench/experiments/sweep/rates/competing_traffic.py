"""Traffic that competes with jobs for injection bandwidth, for machines whose links cannot be slowed.

A background job with one rank per node sends in a ring over all nodes, at the rate that leaves the requested share of
each node's link to the jobs. They meet traffic of another job rather than a slower link. Pure.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import parse_digits
from stressbench.formats.workload_text import in_quotes

JOB = "competing_traffic"
RATE, NODES = "compete_rate", "compete_nodes"
"""Workload variables of the cells: the share of the link left to jobs, such as `1/2`, and the number of nodes."""
FACTORS = (f"set.{RATE}", f"set.{NODES}")
_BURST_S = 0.005
_LARGEST_MESSAGE = 65_536
_REQUIRED_KEYS = "[NID_LIST], [SHARED] yes and [RANKS_PER_NODE]"


def texts_of(
    workloads: Mapping[str, str], *, rates: Iterable[Fraction], nodes: Iterable[int], link_bytes_per_s: float
) -> Mapping[str, str]:
    """Generated files by relative path: one per workload, and one competing job per number of nodes and rate.

    `workloads`: paths by file name, relative to the folder of the generated files. The variables of a cell select the
    competing job that its workload includes.
    """
    found = {
        name: (
            f"# {name}, and beside it traffic that competes for injection bandwidth\n"
            f"[INCLUDE] {in_quotes(path)}\n"
            f"[INCLUDE] compete/${{{NODES}}}/${{{RATE}}}.sb\n"
        )
        for name, path in workloads.items()
    }
    shares = tuple(rates)
    for count in nodes:
        for rate in shares:
            text = _job(rate, nodes=count, link_bytes_per_s=link_bytes_per_s)
            found[f"compete/{count}/{rate}.sb"] = text
    return found


def _job(rate: Fraction, *, nodes: int, link_bytes_per_s: float) -> str:
    if rate == 1:
        return "# No competing traffic at the full rate.\n"
    bytes_per_s = max(1, round(float(1 - rate) * link_bytes_per_s))
    burst = max(1, round(_BURST_S * bytes_per_s))
    messages = math.ceil(burst / _LARGEST_MESSAGE)
    return (
        f"# Takes {1 - rate} of a link of {link_bytes_per_s:.0f} B/s out of each node, in bursts of "
        f"{_BURST_S * 1e3:g} ms.\n"
        f"[JOB_NAME] {JOB}\n[NID_LIST] 0-{nodes - 1}\n[SHARED] yes\n[RANKS_PER_NODE] 1\n[ROLE] background\n[REPEAT] 1\n"
        f"[RATE] {bytes_per_s}B\n"
        f"[MOTIF] compression --partners 1 --messages {messages} --size {math.ceil(burst / messages)}B --pause 1us\n"
    )


def require_shareable(statements: Iterable[tuple[str, str | None]], *, workload: str, most_ranks: int) -> None:
    """Raise StudyMistake unless each job shares its nodes and has at most `most_ranks` ranks per node."""
    jobs = list(_jobs(statements))
    if not jobs:
        raise StudyMistake(f"--compete: {workload}: no [JOB_NAME]; expected jobs that share nodes by {_REQUIRED_KEYS}")
    for name, job in jobs:
        prefix = f"--compete: {workload}: job {name}"
        if name == JOB:
            raise StudyMistake(f"{prefix}: is the name of the competing job; expected another name")
        if "NODES" in job:
            raise StudyMistake(f"{prefix}: [NODES] {job['NODES']} asks for nodes of its own; expected {_REQUIRED_KEYS}")
        missing = [key for key in ("NID_LIST", "SHARED", "RANKS_PER_NODE") if key not in job]
        if missing or (job["SHARED"] or "").lower() != "yes":
            raise StudyMistake(f"{prefix}: does not share its nodes; expected {_REQUIRED_KEYS}")
        each = job["RANKS_PER_NODE"] or ""
        if (parse_digits(each) or 0) > most_ranks:
            raise StudyMistake(
                f"{prefix}: [RANKS_PER_NODE] {each}: expected {most_ranks} at most: of --ranks-per-node "
                f"{most_ranks + 1} one is the competing job's"
            )


def _jobs(statements: Iterable[tuple[str, str | None]]) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    """Name and keys of each job."""
    name, keys = "", dict[str, str | None]()
    for key, words in statements:
        if key == "JOB_NAME":
            if name:
                yield name, keys
            name, keys = words or "?", {}
        else:
            keys[key] = words
    if name:
        yield name, keys
