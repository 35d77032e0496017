"""Assignment of the machine's cores to the hosts of a lab. Pure."""

from collections.abc import Iterable, Mapping, Sequence

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
    return (number if side_by_side < 2 else _digit_sum(number, base=side_by_side)) * size


def cores_of_sockets(number: int, cores: Sequence[int], *, sockets: int) -> tuple[tuple[int, ...], ...]:
    """The cores of each socket of host `number`, an equal part of `cores` each.

    Hosts that share cores have their first sockets on different ones: where each host runs one rank, on its first
    socket, ranks are spread evenly.
    """
    size = len(cores) // sockets
    parts = [tuple(cores[first : first + size]) for first in range(0, size * sockets, size)]
    turn = _digit_sum(number, base=sockets) % sockets if sockets > 1 else 0
    return (*parts[turn:], *parts[:turn])


def cores_of_part(cores: Sequence[int], part: int, *, of: int, available: Iterable[int]) -> tuple[int, ...]:
    """What a host with these `cores` may use in part number `part` of `of` equal parts of all `available` cores.

    A core is replaced by one of its part; hosts that share the cores evenly share those of a part evenly. Needs at
    least `of` available cores.
    """
    ordered = sorted(available)
    in_part = ordered[part::of][: len(ordered) // of]
    return tuple(sorted({in_part[ordered.index(core) // of % len(in_part)] for core in cores}))


def _digit_sum(number: int, *, base: int) -> int:
    total = 0
    while number:
        number, digit = divmod(number, base)
        total += digit
    return total
