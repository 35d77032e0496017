"""Which hosts each program of a group gets."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.experiments.corun.programs import Program
from stressbench.formats.launches.coruns import NodeUse
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget


@dataclass(frozen=True, kw_only=True)
class Member:
    """A program on its hosts. `number` is that of the program, `hosts` None where all programs share all hosts.

    `concurrent_ranks`: ranks of the other programs that run at the same time. `part`: its place in the group, so that
    copies of a program write to files of their own; with `own_cores`, also which of the equal parts of the cores it
    has. Isolated, any of them.
    """

    number: int
    program: Program
    target: LaunchTarget
    hosts: range | None
    ranks: int
    part: int
    own_cores: bool = False
    concurrent_ranks: int = 0

    @property
    def place(self) -> tuple[int, range | None]:
        """What an isolated execution has in common with those beside others: the program and its hosts."""
        return self.number, self.hosts

    @property
    def hosts_text(self) -> str | None:
        """The numbers of its hosts, as `0-3` or `0-7:2`."""
        if self.hosts is None:
            return None
        step = "" if self.hosts.step == 1 else f":{self.hosts.step}"
        return f"{self.hosts[0]}-{self.hosts[-1]}{step}"


def default_node_use(target: LaunchTarget) -> NodeUse:
    """Hosts of their own where there are several hosts."""
    hosts = target.host_count
    return NodeUse.shared if hosts is None or hosts < 2 else NodeUse.disjoint


def members_of(
    group: Sequence[int], programs: Sequence[Program], target: LaunchTarget, *, nodes: NodeUse, on: str, parts: int
) -> tuple[Member, ...]:
    """The programs of a group on their hosts, each on one of `parts` parts of the cores, where the target can do that.

    Raises LaunchMistake for too few hosts, and where ranks are missing.
    """
    members = []
    for part, (number, hosts) in enumerate(zip(group, _parts(len(group), target, nodes=nodes, on=on), strict=True)):
        program = programs[number]
        given = target if hosts is None else target.on_hosts(hosts)
        own = given.on_own_cores(part, of=parts)
        ranks = program.ranks or own.ranks
        if ranks is None:
            raise LaunchMistake("-n is missing, for example -n 4, or -n 4,8 for one number of each program")
        members.append(
            Member(
                number=number, program=program, target=own, hosts=hosts, ranks=ranks, part=part,
                own_cores=own is not given,
            )
        )  # fmt: skip
    return tuple(members)


def shared_cores(members: Sequence[Member]) -> int:
    """The cores of programs that run on the same ones; 0 if none do, or where launchers choose cores."""
    used = [one.target.cores_of_ranks or frozenset() for one in members]
    all_cores = frozenset[int]().union(*used)
    return len(all_cores) if sum(map(len, used)) > len(all_cores) else 0


def _parts(count: int, target: LaunchTarget, *, nodes: NodeUse, on: str) -> tuple[range | None, ...]:
    """The hosts of each of `count` programs, equally many."""
    if nodes is NodeUse.shared:
        return (None,) * count
    hosts = target.host_count
    if hosts is None:
        raise LaunchMistake(f"--nodes {nodes}: the number of hosts of --on {on} is unknown; expected --nodes shared")
    each = hosts // count
    if each == 0:
        raise LaunchMistake(
            f"--nodes {nodes}: {count} programs at a time need as many hosts; --on {on} has {hosts}; --nodes shared "
            "gives all hosts to each program"
        )
    if nodes is NodeUse.interleaved:
        return tuple(range(place, each * count, count) for place in range(count))
    return tuple(range(place * each, (place + 1) * each) for place in range(count))
