"""NUMA nodes of a lab's hosts: for each host, a tree of files like that in /sys, and the cores of its sockets. Pure."""

from collections.abc import Iterator, Mapping

from stressbench.formats.lab.paths import NUMA
from stressbench.labs.pinning import cores_of_sockets
from stressbench.labs.topology import Lab

_NEAR, _FAR = 10, 21  # as the firmware of machines with two processors states them


def numa_files(lab: Lab, cores: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, str]]:
    """Paths and texts, none for hosts with one socket. `cores`: those of each host, numbered as on the machine."""
    if lab.sockets == 1:
        return
    for host in lab.hosts:
        folder = f"{NUMA}/{host.name}"
        for rail, socket in enumerate(lab.nic_sockets):
            yield f"{folder}/class/net/eth{rail}/device/numa_node", f"{socket}\n"
        by_socket = cores_of_sockets(host.number, cores[host.name], sockets=lab.sockets)
        for socket, numbers in enumerate(by_socket):
            listed = ",".join(map(str, numbers)) + "\n"
            distances = (_NEAR if other == socket else _FAR for other in range(lab.sockets))
            yield f"{folder}/sockets/{socket}", listed
            yield f"{folder}/devices/system/node/node{socket}/distance", " ".join(map(str, distances)) + "\n"
            for core in numbers:
                yield f"{folder}/devices/system/cpu/cpu{core}/node{socket}/cpulist", listed
