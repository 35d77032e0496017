"""Assignment of the machine's cores to pinned hosts. Pure."""

from collections.abc import Iterable, Mapping

from stressbench.labs.topology import Lab


def cores_of_hosts(lab: Lab, available: Iterable[int]) -> Mapping[str, tuple[int, ...]]:
    """Cores of each host, assigned in order; empty if the lab is not pinned. There must be enough `available` cores."""
    if not lab.pinned:
        return {}
    free_cores = iter(sorted(available))
    return {host.name: tuple(next(free_cores) for _ in range(host.cores)) for host in lab.hosts}
