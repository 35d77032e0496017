"""The bytes that each NIC carried, from the link counters of run files. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stressbench.formats.run import Round, Run
from stressbench.formats.study.rail_policies import Kind, parse_policy
from stressbench.launch.launch_target import NicNumbers
from stressbench.results.rails import NicLoad, NicTraffic


def nic_numbers_of(run: Run) -> NicNumbers:
    """NIC numbers from a run file, which lists the links of a host in the order of its NICs. Switches are ignored."""
    hosts = {node.host for launch in run.launches for node in launch.header.nodes}
    numbers: dict[tuple[str, str], int] = {}
    for link in next((one.links for one in run.rounds if one.links), ()):
        if link.source in hosts:
            number = sum(host == link.source for _, host in numbers)
            numbers.setdefault((link.link, link.source), number)
    return numbers


def nic_traffic_of(
    runs: Sequence[Run], *, policy: str, where: Mapping[str, str], nics: Sequence[str], numbers: NicNumbers
) -> Iterator[NicTraffic]:
    """Bytes of each NIC for each job isolated, then for all jobs contended, summed over rounds with link counters."""
    names = {job.name: None for run in runs for job in run.jobs}
    for name in (*names, None):
        rounds = [(run, one) for run in runs for one in run.rounds if one.links and _is_of(run, one, name)]
        if not rounds:
            continue
        sent = _sent(rounds, numbers)
        shown = tuple(nics) or tuple(f"nic{number}" for number in range(max(sent, default=-1) + 1))
        requested = requested_nics(policy, tuple(names), job=name, count=len(shown))
        yield NicTraffic(
            where=where, policy=policy, job=name, asked=requested_in_words(requested, shown),
            loads=tuple(
                NicLoad(
                    nic=nic, asked=None if requested is None else number in requested, sent_bytes=sent.get(number, 0)
                )
                for number, nic in enumerate(shown)
            ),
        )  # fmt: skip


def requested_nics(policy: str, jobs: Sequence[str], *, job: str | None, count: int) -> frozenset[int] | None:
    """Which of `count` NICs a policy selects for a job (None: all jobs). None where MPI or each host chooses."""
    parsed = parse_policy(policy)
    match parsed.kind:
        case Kind.nic:
            return frozenset({parsed.highest_nic})
        case Kind.round_robin:
            return frozenset(range(count))
        case Kind.per_job | Kind.jobs:
            numbers = {name: number % max(1, count) for number, name in enumerate(jobs)}
            if parsed.kind is Kind.jobs:
                numbers = dict(parsed.jobs)
            selected_jobs = jobs if job is None else (job,)
            return frozenset(numbers.get(name, 0) for name in selected_jobs)
    return None


def requested_in_words(requested: frozenset[int] | None, nics: Sequence[str]) -> str:
    """The selected NICs as text, such as `eth0, eth1`."""
    return (
        "MPI's choice"
        if requested is None
        else ", ".join(nics[number] for number in sorted(requested) if number < len(nics))
    )


def _is_of(run: Run, one: Round, name: str | None) -> bool:
    return (one.job is None) if name is None else (one.job is not None and run.jobs[one.job].name == name)


def _sent(rounds: Iterable[tuple[Run, Round]], numbers: NicNumbers) -> Mapping[int, int]:
    """Bytes sent, by NIC number."""
    sent: dict[int, int] = {}
    numbers_by_run: dict[int, NicNumbers] = {}
    for run, one in rounds:
        run_numbers = numbers or numbers_by_run.setdefault(id(run), nic_numbers_of(run))
        for link in one.links or ():
            if (number := run_numbers.get((link.link, link.source))) is not None:
                sent[number] = sent.get(number, 0) + link.bytes
    return sent
