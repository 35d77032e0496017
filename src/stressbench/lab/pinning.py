"""Which of the machine's cores each pinned host has for itself. Pure."""

from collections.abc import Iterable, Mapping

from stressbench.lab.topology import Lab


def cores_of_hosts(lab: Lab, available: Iterable[int]) -> Mapping[str, tuple[int, ...]]:
    """Cores in order, host after host; nothing for a lab whose hosts share all. The cores must suffice."""
    if not lab.pinned:
        return {}
    left = iter(sorted(available))
    return {host.name: tuple(next(left) for _ in range(host.cores)) for host in lab.hosts}
