"""The file system of a lab's I/O nodes: its daemons and their volume files. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stressbench.formats.lab.paths import IO
from stressbench.labs.addresses import address_of
from stressbench.labs.gluster import brick_volume, host_volume
from stressbench.labs.topology import IoService, Lab

BRICK = f"{IO}/brick"
"""Storage of an I/O node: a tmpfs in its mount namespace."""


@dataclass(frozen=True, kw_only=True)
class Daemon:
    """A process that runs on a node while the lab is up, bound to `cores` if there are any."""

    node: str
    program: str
    arguments: tuple[str, ...]
    log: str
    cores: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StoragePlan:
    """Daemons of the file system: servers that store at most `capacity_bytes` each, and clients that mount `path`."""

    path: str
    capacity_bytes: int
    servers: tuple[Daemon, ...]
    clients: tuple[Daemon, ...]


def storage_plan(lab: Lab, io: IoService, *, cores: Mapping[str, tuple[int, ...]]) -> StoragePlan:
    """Plan the daemons on I/O nodes and hosts. The client of a host is bound to the host's cores."""
    return StoragePlan(
        path=io.path,
        capacity_bytes=io.capacity.count,
        servers=tuple(_daemon(node, "glusterfsd", _brick_file(node)) for node in io.nodes),
        clients=tuple(
            _daemon(host.name, "glusterfs", _HOST_FILE, *_mount_arguments(lab, io), cores=cores.get(host.name, ()))
            for host in lab.hosts
        ),
    )


def volume_files(lab: Lab, io: IoService) -> Iterator[tuple[str, str]]:
    """Paths and texts of all volume files."""
    for node in io.nodes:
        yield _brick_file(node), brick_volume(BRICK)
    yield _HOST_FILE, host_volume({node: address_of(lab.node(node), rail=0) for node in io.nodes}, stripe=io.stripe)


_HOST_FILE = f"{IO}/hosts.vol"


def _brick_file(node: str) -> str:
    return f"{IO}/{node}.vol"


def _daemon(node: str, program: str, volume_file: str, *more: str, cores: tuple[int, ...] = ()) -> Daemon:
    log = f"{IO}/{node}.log"
    arguments = ("--no-daemon", f"--volfile={volume_file}", f"--log-file={log}", "--log-level=WARNING", *more)
    return Daemon(node=node, program=program, arguments=arguments, log=log, cores=cores)


def _mount_arguments(lab: Lab, io: IoService) -> tuple[str, ...]:
    """Client arguments: no caching of attributes or directory entries, as other hosts write the same files."""
    fresh = ("--attribute-timeout=0", "--entry-timeout=0")
    return ("--process-name=fuse", f"--fs-display-name=lab:{lab.name}", *fresh, io.path)
