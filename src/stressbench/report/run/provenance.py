"""Provenance of a run: versions, hosts, plan, and the command that repeats the run."""

import shlex

from stressbench.formats.excerpts import excerpt
from stressbench.formats.ranges import parse_ranges, spans
from stressbench.formats.run import Header, Run
from stressbench.report.document import Fact, Table, columns
from stressbench.report.names import printable
from stressbench.report.run.section import RunSection
from stressbench.report.units import MISSING, size, time


def facts_of(section: RunSection) -> tuple[Fact, ...]:
    """Versions, machine and plan of a run."""
    header, facts = section.run.header, section.summary.facts
    plan, clock = header.plan, header.clock
    rules = [
        f"{plan.isolated} isolated and {plan.contended} contended per job",
        f"warm-up {plan.warmup}",
        plan.finish.value,
    ]
    rules += [f"until intervals are within {plan.until_interval:.0%}"] if plan.until_interval is not None else []
    rules += [f"at most {plan.time_limit_s:g} s"] if plan.time_limit_s is not None else []
    rules += ["payloads verified"] if plan.verify else []
    pairs = (
        ("Started (UTC)", f"{header.started_at:%Y-%m-%d %H:%M:%S}" + _continuations(section.run)),
        ("Program", f"{header.program} {header.version}" + (f", commit {header.commit}" if header.commit else "")),
        ("Compiler", f"{header.compiler}, {header.build_type}"),
        ("MPI", f"{header.mpi.library} (standard {header.mpi.standard})"),
        ("Transports", header.mpi.transports or "unknown"),
        *((("Simulated", f"by {header.simulation}: all times are simulated times"),) if header.simulation else ()),
        (
            "Machine",
            f"{facts.ranks:,} ranks, {facts.nodes:,} nodes, {facts.hosts:,} hosts{_ranks_per_node_note(header)}",
        ),
        ("Rounds", "; ".join(rules)),
        ("Placement", f"{plan.placement}, seed {header.seed}"),
        ("Clock", f"{clock.source}, resolution {time(clock.resolution_s)}, {time(clock.overhead_s)} per reading"),
        ("Load at the start", _load(header)),
        *((("Memory of a rank", memory),) if (memory := _memory(section.run)) else ()),
        ("Workload", f"{header.workload.path}, {header.workload.hash}"),
    )
    return tuple(Fact(name=name, value=printable(value)) for name, value in pairs)


def _continuations(run: Run) -> str:
    return f", continued {len(run.launches) - 1}×" if len(run.launches) > 1 else ""


def _ranks_per_node_note(header: Header) -> str:
    if header.ranks_per_node is None:
        return ""
    sizes = excerpt(str(header.ranks_per_node))
    return f"; a node is {sizes} consecutive ranks (--ranks-per-node), not a physical machine"


def _memory(run: Run) -> str:
    """The largest resident memory of the ranks of the last launch; empty where it is unknown."""
    memory = run.end.memory if run.end else None
    if memory is None:
        return ""
    host = printable(memory.max_host)
    return f"at most {size(memory.max_bytes)} (rank {memory.max_rank} on {host}), rank 0 {size(memory.rank0_bytes)}"


def _load(header: Header) -> str:
    if header.load_average is None:
        return "unknown"
    return " / ".join(f"{load:.2f}" for load in header.load_average) + " (1, 5, 15 minutes, rank 0's host)"


def command_of(run: Run) -> str:
    """The command that repeats the run: the recorded arguments of the engine, with the seed.

    `--quiet` and the id of the run are left out.
    """
    header = run.header
    words = [
        word
        for word, before in zip(header.command, ("", *header.command), strict=False)
        if word not in ("--quiet", "--run-id") and before != "--run-id"
    ]
    if "--seed" not in words:
        words += ["--seed", str(header.seed)]
    return shlex.join(["mpirun", "-n", str(header.ranks), "stressbench-mpi", *map(printable, words)])


def hosts_table(section: RunSection) -> Table:
    """Hosts as recorded, with their cores, ranks and nodes."""
    hosts: dict[str, list[int]] = {}
    ranks: dict[str, int] = {}
    cores: dict[str, str] = {}
    for node in section.run.header.nodes:
        hosts.setdefault(node.host, []).append(node.node)
        ranks[node.host] = ranks.get(node.host, 0) + len(parse_ranges(node.ranks))
        cores[node.host] = MISSING if node.cores is None else f"{node.cores:,}"
    rows = tuple((printable(host), cores[host], f"{ranks[host]:,}", spans(nodes)) for host, nodes in hosts.items())
    return Table(
        key=f"{section.key}-hosts",
        caption="Hosts as the run recorded them.",
        columns=columns(texts=("host",), numbers=("cores", "ranks"), trailing_texts=("nodes",)),
        rows=rows,
    )
