"""Checks of a launch: one MPI job, hosts, binding, processors that ranks share, and what carries messages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stressbench.experiments.doctor.check import Setting, Verdict, check, error, note, ok, warning
from stressbench.formats.run.launched_ranks import Carrier, LaunchedRank, MessageCarrier
from stressbench.formats.units import minutes_text
from stressbench.launch.banners import BannerFilter
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.flavour import Flavour
from stressbench.launch.launch_target import LOCAL
from stressbench.launch.launched_ranks import ObservedLaunch
from stressbench.report.units import count

_RULE = re.compile(r"^[-=\s]*$")
_QUOTED_LINES = 2
_QUOTED_CHARACTERS = 300
_SHOWS_COMMAND = "`stressbench doctor --json | jq -r .command` shows, with the same options"
_CARRIERS = {
    Carrier.tcp: "TCP", Carrier.infiniband: "InfiniBand", Carrier.cxi: "Slingshot (CXI)",
    Carrier.shared_memory: "shared memory", Carrier.unknown: "unknown",
}  # fmt: skip
_VIRTUAL_INTERFACES = ("docker", "virbr", "br-", "cni", "veth", "lo")
_FAST_DEVICES = (("InfiniBand", "sys/class/infiniband"), ("Slingshot", "sys/class/cxi"))


@check("launch", "a short launch: whether the launcher starts all ranks as one MPI job, and whether they end in time")
def launch(setting: Setting) -> Iterator[Verdict]:
    """All ranks must be in one MPI job."""
    if setting.launch_fault is not None:
        yield error(
            setting.launch_fault,
            consequence="no rank can be started",
            remedy="correct it, or choose another launch target with --on",
        )
    if setting.launch is None:
        return
    observed = setting.launch
    if len(observed.jobs) > 1 or (observed.jobs and len(observed.jobs[0].ranks) != setting.ranks):
        yield _separate_jobs(setting, observed)
    elif observed.timed_out:
        yield _hanging(setting, observed)
    elif observed.outcome.status != 0 or not observed.jobs:
        yield _failed(observed)
    else:
        job = observed.jobs[0]
        seconds = observed.outcome.ended_s - observed.outcome.began_s
        hosts = len({one.host for one in job.ranks})
        yield ok(
            f"{count(len(job.ranks), 'rank')} on {count(hosts, 'host')} in one MPI job, "
            f"{_library_text(job.library)}; started and ended in {minutes_text(seconds)}"
        )


def _library_text(library: str) -> str:
    """The name and the version of a library, without the details that follow."""
    return " ".join(library.partition(",")[0].split())


def _separate_jobs(setting: Setting, observed: ObservedLaunch) -> Verdict:
    sizes = sorted({len(job.ranks) for job in observed.jobs})
    shapes = " or ".join(count(one, "rank") for one in sizes)
    return error(
        f"the launcher started {count(len(observed.jobs), 'MPI job')} of {shapes} instead of one of "
        f"{count(setting.ranks, 'rank')}",
        consequence="each job measures itself only, and all of them write the same files",
        remedy=f"use the launcher of {_library_text(observed.jobs[0].library)}: --mpirun PATH; with srun: -- "
        "--mpi=pmix or -- --mpi=pmi2 (`srun --mpi=list`)",
    )


def _hanging(setting: Setting, observed: ObservedLaunch) -> Verdict:
    limit = minutes_text(setting.limit_s)
    if not observed.jobs:
        found = f"no rank has passed MPI_Init within {limit}: the launcher or MPI_Init hangs"
        remedy = f"with more output (Open MPI: --mca plm_base_verbose 5), type what {_SHOWS_COMMAND}"
    elif not observed.messages:
        found = f"{count(setting.ranks, 'rank')} started, but their messages did not arrive within {limit}"
        remedy = f"choose the interfaces (Open MPI: -- --mca btl_tcp_if_include eth0), or type what {_SHOWS_COMMAND}"
    else:
        found = f"ranks do not end within {limit}"
        remedy = f"--time-limit 5min, or type what {_SHOWS_COMMAND}"
    return error(found, consequence="runs hang", remedy=remedy)


def _failed(observed: ObservedLaunch) -> Verdict:
    death = diagnose(observed.outcome)
    why = "" if death is None else f"; rank {death.rank} on {death.host} was ended by {death.signal_name}"
    words = quoted(observed.outcome.errors or observed.outcome.output)
    return error(
        f"the launcher ended with status {observed.outcome.status}{why}" + (f": {words}" if words else ""),
        consequence="runs fail in the same way",
        remedy=f"type what {_SHOWS_COMMAND}",
    )


def quoted(output: str) -> str:
    """The first lines of what a launcher printed, without rules and known noise, as one line."""
    banners = BannerFilter()
    text = (banners.feed(output.encode()) + banners.flush()).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if not _RULE.match(line)]
    excerpt = " ".join(lines[:_QUOTED_LINES])
    return excerpt if len(excerpt) <= _QUOTED_CHARACTERS else f"{excerpt[:_QUOTED_CHARACTERS]}..."


def _complete(setting: Setting) -> tuple[LaunchedRank, ...]:
    """The ranks of a launch of one MPI job; none where there was no such launch."""
    observed = setting.launch
    if observed is None or len(observed.jobs) != 1 or len(observed.jobs[0].ranks) != setting.ranks:
        return ()
    return observed.jobs[0].ranks


@check("hosts", "how ranks are distributed over hosts")
def hosts(setting: Setting) -> Iterator[Verdict]:
    """All hosts of an allocation should have ranks, each the same number."""
    ranks = _complete(setting)
    if not ranks:
        return
    numbers = Counter(one.host for one in ranks)
    found = ", ".join(f"{host}: {number}" for host, number in list(numbers.items())[:16])
    found = f"ranks of each host: {found}" + (", ..." if len(numbers) > 16 else "")
    available = setting.target.host_count
    if available is not None and not setting.target.on_this_machine and len(numbers) < min(available, len(ranks)):
        yield warning(
            f"{found}; {available - len(numbers)} of {available} hosts have none",
            consequence="messages do not use the network between all hosts",
            remedy="spread the ranks (Open MPI: -- --map-by node; srun: -- --distribution=cyclic)",
        )
    elif len(set(numbers.values())) > 1:
        yield note(
            found,
            consequence="jobs of whole nodes ([NODES]) need the same number on each: name --ranks-per-node",
            remedy=f"-n with a multiple of {len(numbers)}",
        )
    else:
        yield ok(found)


def _by_machine(setting: Setting) -> Mapping[str, list[LaunchedRank]]:
    """The ranks of each machine by its name: a host, or all hosts of a lab, which share this machine's processors."""
    is_lab = setting.target.on_this_machine and setting.target is not LOCAL
    machines: dict[str, list[LaunchedRank]] = defaultdict(list)
    for one in _complete(setting):
        machines["this machine" if is_lab else one.host].append(one)
    return machines


@check("binding", "whether ranks are bound to too few processors while others are idle")
def binding(setting: Setting) -> Iterator[Verdict]:
    """No processor may be shared while another one is idle."""
    ranks = _complete(setting)
    complaints = [verdict for name, found in _by_machine(setting).items() if (verdict := judge_binding(name, found))]
    if complaints:
        yield from complaints
    elif ranks:
        widths = sorted({len(one.processors) for one in ranks})
        bound = any(len(one.processors) < len(one.usable_processors) for one in ranks)
        processors = " or ".join(count(width, "processor") for width in widths)
        yield ok(f"each rank is bound to {processors}" if bound else f"ranks are not bound: each may use {processors}")


def judge_binding(machine: str, ranks: Sequence[LaunchedRank]) -> Verdict | None:
    """The verdict on ranks that share processors although the machine has others; None where there are none."""
    usable = {number for one in ranks for number in one.usable_processors}
    used = {number for one in ranks for number in one.processors}
    sharing = Counter(one.processors for one in ranks)
    crowded = {processors: number for processors, number in sharing.items() if number > len(processors) > 0}
    if not crowded or (len(used) == len(usable) and len(ranks) > len(usable)):
        return None
    processors, number = max(crowded.items(), key=lambda item: item[1] / len(item[0]))
    numbers = ", ".join(map(str, processors))
    return error(
        f"{number} of {count(len(ranks), 'rank')} on {machine} share {count(len(processors), 'processor')} "
        f"({numbers}), {len(usable - used)} of {len(usable)} processors are idle",
        consequence="ranks wait for each other's processor: times are those of a crowded processor, not of the network",
        remedy="bind each rank to a core of its own (Open MPI: -- --bind-to core; MPICH: -- -bind-to core; Flux: -- -o "
        "cpu-affinity=per-task), start without taskset, and take --cpu-set out of the options",
    )


@check("sharing", "whether ranks outnumber the processors, and whether they yield while they wait")
def sharing(setting: Setting) -> Iterator[Verdict]:
    """Ranks that share processors must yield."""
    library = setting.engine.library
    flavour = Flavour.unknown if library is None else library.flavour
    machines = _by_machine(setting)
    complaints = [verdict for name, found in machines.items() if (verdict := judge_sharing(name, found, flavour))]
    if complaints:
        yield from complaints
    elif machines:
        yield ok("there are enough processors for all ranks")


def judge_sharing(machine: str, ranks: Sequence[LaunchedRank], flavour: Flavour) -> Verdict | None:
    """The verdict on more ranks than processors; None where there are enough."""
    usable = {number for one in ranks for number in one.usable_processors}
    if not usable or len(ranks) <= len(usable):
        return None
    shared = f"{count(len(ranks), 'rank')} on {machine} share {count(len(usable), 'processor')}"
    fewer = f"-n {len(usable)}"
    if all(one.yields for one in ranks):
        return note(
            f"{shared}, and yield while they wait",
            consequence="times include waiting for a processor",
            remedy=f"{fewer} measures without it",
        )
    slice_text = "a waiting rank keeps its processor for a whole time slice: short messages take milliseconds"
    if any(one.yields is False for one in ranks):
        return error(
            f"{shared}, and do not yield while they wait",
            consequence=slice_text,
            remedy=f"-- --mca mpi_yield_when_idle 1 (and `unset OMPI_MCA_mpi_yield_when_idle`), or {fewer}",
        )
    waiting = "spins while it waits" if flavour.is_hydra else "may spin while it waits"
    return warning(
        f"{shared}, and {flavour.value} {waiting}",
        consequence=slice_text,
        remedy=f"{fewer}, or an engine with Open MPI, whose ranks yield",
    )


@check("messages inside a host", "what carries messages between ranks of a host")
def inside_host(setting: Setting) -> Iterator[Verdict]:
    """Ranks of a host should use shared memory."""
    found = _carriers(setting, "inside_host")
    if not found:
        return
    text = _carrier_text(found)
    if any(one.carrier is Carrier.tcp for one in found):
        yield warning(
            f"{text}, by the bytes that TCP connections received",
            consequence="messages inside a host are several times slower than through shared memory",
            remedy="take settings of transports back: unset OMPI_MCA_btl UCX_TLS FI_PROVIDER I_MPI_FABRICS; `df "
            "/dev/shm` shows whether there is shared memory",
        )
    elif any(one.carrier is Carrier.unknown for one in found):
        yield note(
            f"{text}: no TCP connection received the bytes, and no shared memory is mapped",
            consequence="it is not known what is measured inside a host",
        )
    else:
        yield ok(text)


@check("messages between hosts", "what carries messages between hosts: TCP, InfiniBand, Slingshot; by which NIC")
def between_hosts(setting: Setting) -> Iterator[Verdict]:
    """The fastest network should be used."""
    found = _carriers(setting, "between_hosts")
    if not found:
        return
    text = _carrier_text(found)
    over_tcp = [one for one in found if one.carrier is Carrier.tcp]
    fast = [name for name, folder in _FAST_DEVICES if any((setting.root / folder).glob("*"))]
    if over_tcp and fast:
        yield error(
            f"{text}, although this host has {' and '.join(fast)}",
            consequence="runs measure Ethernet or IP over the fast network, not the network that applications use",
            remedy="Open MPI: -- --mca pml ucx, and `ompi_info | grep ucx`; MPICH: `mpichversion` shows the device; "
            "ibstat",
        )
    elif any((one.device or "").startswith(_VIRTUAL_INTERFACES) for one in over_tcp):
        yield warning(
            text,
            consequence="this interface is a bridge or the loopback, and not the network between hosts",
            remedy="-- --mca btl_tcp_if_include eth0 (Open MPI), UCX_NET_DEVICES=eth0, FI_TCP_IFACE=eth0",
        )
    elif any(one.carrier is Carrier.unknown for one in found):
        yield note(
            f"{text}: neither TCP connections nor counters of InfiniBand or Slingshot ports received the bytes",
            consequence="it is not known which network is measured",
        )
    else:
        yield ok(f"{text}, by the bytes received")


def _carriers(setting: Setting, side: str) -> list[MessageCarrier]:
    """The carriers of all ranks that have a neighbour on this side."""
    if setting.launch is None or not _complete(setting):
        return []
    return [one for rank in setting.launch.messages if (one := getattr(rank, side)) is not None]


def _carrier_text(found: Sequence[MessageCarrier]) -> str:
    numbers = Counter((_CARRIERS[one.carrier], one.device) for one in found)
    texts = [name + (f" over {device}" if device else "") for (name, device), _ in numbers.most_common()]
    return " and ".join(texts)


RANK_CHECKS = (launch, hosts, binding, sharing, inside_host, between_hosts)
