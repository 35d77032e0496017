"""Assignment of the machine's cores to the hosts of a lab. Pure."""

from collections.abc import Iterable, Mapping

from stressbench.labs.topology import Lab


def cores_of_hosts(lab: Lab, available: Iterable[int]) -> Mapping[str, tuple[int, ...]]:
    """Cores of each host, as many as it has. Pinned hosts share none, for which `available` must suffice.

    Other hosts share the cores evenly. The kernel does not do this for ranks at real-time priority: ranks that poll are
    always runnable, and the kernel moves such processes only to a core that runs none.
    """
    cores = sorted(available)
    assigned, used = {}, 0
    for number, host in enumerate(lab.hosts):
        start = used if lab.pinned else _shared_start(number, size=host.cores, cores=len(cores))
        indices = (start + offset for offset in range(min(host.cores, len(cores))))
        assigned[host.name] = tuple(sorted(cores[index % len(cores)] for index in indices))
        used += host.cores
    return assigned


def _shared_start(number: int, *, size: int, cores: int) -> int:
    """First core of host `number` with `size` cores: multiples of `size`, in the order of the Thue-Morse sequence.

    Consecutive hosts are spread evenly, and so is every second, fourth, ... of them: where jobs are placed on
    alternate hosts, the hosts of one job do not all share one core.
    """
    side_by_side = cores // size
    if side_by_side < 2:
        return number * size
    digit_sum = 0
    while number:
        number, digit = divmod(number, side_by_side)
        digit_sum += digit
    return digit_sum * size
