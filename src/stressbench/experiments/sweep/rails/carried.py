"""The bytes that each NIC carried, from the link counters of run files. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stressbench.formats.run import Round, Run
from stressbench.formats.study.rail_policies import Kind, parse_policy
from stressbench.results.rails import Carried, Load

NicNumbers = Mapping[tuple[str, str], int]
"""NIC numbers by (name of the link, name of the host)."""


def nic_numbers_of(run: Run) -> NicNumbers:
    """NIC numbers from a run file, which lists the links of a host in the order of its NICs. Switches are ignored."""
    hosts = {node.host for launch in run.launches for node in launch.header.nodes}
    found: dict[tuple[str, str], int] = {}
    for link in next((one.links for one in run.rounds if one.links), ()):
        if link.source in hosts:
            number = sum(host == link.source for _, host in found)
            found.setdefault((link.link, link.source), number)
    return found


def carried_of(
    runs: Sequence[Run], *, policy: str, where: Mapping[str, str], nics: Sequence[str], numbers: NicNumbers
) -> Iterator[Carried]:
    """Bytes of each NIC for each job isolated, then for all jobs contended, summed over rounds with link counters."""
    names = {job.name: None for run in runs for job in run.jobs}
    for name in (*names, None):
        rounds = [(run, one) for run in runs for one in run.rounds if one.links and _is_of(run, one, name)]
        if not rounds:
            continue
        sent = _sent(rounds, numbers)
        shown = tuple(nics) or tuple(f"nic{number}" for number in range(max(sent, default=-1) + 1))
        asked = requested_nics(policy, tuple(names), job=name, count=len(shown))
        yield Carried(
            where=where, policy=policy, job=name, asked=requested_in_words(asked, shown),
            loads=tuple(
                Load(nic=nic, asked=None if asked is None else number in asked, sent_bytes=sent.get(number, 0))
                for number, nic in enumerate(shown)
            ),
        )  # fmt: skip


def requested_nics(policy: str, jobs: Sequence[str], *, job: str | None, count: int) -> frozenset[int] | None:
    """Which of `count` NICs a policy selects for a job (None: all jobs). None where MPI or each host chooses."""
    found = parse_policy(policy)
    match found.kind:
        case Kind.nic:
            return frozenset({found.highest_nic})
        case Kind.round_robin:
            return frozenset(range(count))
        case Kind.per_job | Kind.jobs:
            numbers = {name: number % max(1, count) for number, name in enumerate(jobs)}
            if found.kind is Kind.jobs:
                numbers = dict(found.jobs)
            wanted = jobs if job is None else (job,)
            return frozenset(numbers.get(name, 0) for name in wanted)
    return None


def requested_in_words(asked: frozenset[int] | None, nics: Sequence[str]) -> str:
    """The selected NICs as text, such as `eth0, eth1`."""
    return (
        "MPI's choice" if asked is None else ", ".join(nics[number] for number in sorted(asked) if number < len(nics))
    )


def _is_of(run: Run, one: Round, name: str | None) -> bool:
    return (one.job is None) if name is None else (one.job is not None and run.jobs[one.job].name == name)


def _sent(rounds: Iterable[tuple[Run, Round]], numbers: NicNumbers) -> Mapping[int, int]:
    """Bytes sent, by NIC number."""
    sent: dict[int, int] = {}
    told: dict[int, NicNumbers] = {}
    for run, one in rounds:
        mine = numbers or told.setdefault(id(run), nic_numbers_of(run))
        for link in one.links or ():
            if (number := mine.get((link.link, link.source))) is not None:
                sent[number] = sent.get(number, 0) + link.bytes
    return sent
