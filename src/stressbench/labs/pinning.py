"""Assignment of the machine's cores to the hosts of a lab. Pure."""

from collections.abc import Iterable, Mapping
from itertools import cycle

from stressbench.labs.topology import Lab


def cores_of_hosts(lab: Lab, available: Iterable[int]) -> Mapping[str, tuple[int, ...]]:
    """Cores of each host, assigned in turn, so that hosts share cores evenly where there are more hosts than cores.

    The kernel does not do this for ranks at real-time priority: ranks that poll are always runnable, and the kernel
    moves such processes only to a core that runs none. The cores of pinned hosts are distinct if `available` suffices.
    """
    cores_in_turn = cycle(sorted(available))
    return {host.name: tuple(sorted(next(cores_in_turn) for _ in range(host.cores))) for host in lab.hosts}
