"""Models of the tables of a lab file."""

from typing import Annotated, Any, Literal

from pydantic import Field

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.formats.lab.fields import (
    ByteRateText,
    BytesText,
    Count,
    DurationText,
    HostCount,
    LimitText,
    MountPath,
    Name,
    Prefix,
    RateText,
    StripeText,
    Switches,
)
from stressbench.formats.lab.routing import Routing
from stressbench.formats.toml import Table

_DELAY = "Delay of every frame in each direction; needs a kernel with netem."


class HostsTable(Table):
    """Identical hosts: `h0`, `h1`, ..."""

    count: HostCount
    name: Annotated[Prefix, Field(description="Prefix of host names.")] = "h"
    cores: Annotated[Count, Field(description="Number of ranks for which a host is meant.")] = 1
    sockets: Annotated[
        Count,
        Field(
            description="Sockets of a host, each a NUMA node with an equal part of the cores; with several, ranks are "
            "bound to them in turns."
        ),
    ] = 1
    pinned: Annotated[
        bool,
        Field(
            strict=True, description="Each host has its own cores of the machine; otherwise hosts share cores evenly."
        ),
    ] = False


class RailTable(Table):
    """A NIC of every host: the first table is eth0, the second eth1."""

    rate: RateText
    delay: Annotated[DurationText | None, Field(description=_DELAY)] = None
    socket: Annotated[
        int | None,
        Field(strict=True, ge=0, description="The socket that the NIC belongs to; default: one after the other."),
    ] = None


class HostTable(Table):
    """Settings of one host that differ from the others."""

    name: Name
    cores: Count | None = None
    rates: Annotated[tuple[RateText, ...] | None, Field(description="One rate per rail.")] = None


class LinkTable(Table):
    """A link of `kind = "links"`."""

    between: Annotated[tuple[str, str], Field(description="Two nodes; a host's second NIC is `h0:eth1`.")]
    rate: RateText
    delay: Annotated[DurationText | None, Field(description=_DELAY)] = None
    name: Name | None = None


class IoTable(Table):
    """I/O nodes and the file system that they serve."""

    count: Count
    name: Annotated[Prefix, Field(description="Prefix of their names.")] = "io"
    attach: Annotated[
        Switches,
        Field(description="The switch to which they are attached, such as root0, or several, to each in turn."),
    ]
    rate: RateText
    uplink: Annotated[
        RateText | None,
        Field(description="If given, I/O nodes have a switch of their own, connected to `attach` at this rate."),
    ] = None
    file_system: Literal["glusterfs"] = "glusterfs"
    path: Annotated[
        MountPath, Field(pattern="^/run/lab/[A-Za-z0-9_-]+$", description="Mount point on hosts, below /run/lab.")
    ] = "/run/lab/scratch"
    capacity: Annotated[
        BytesText, Field(validate_default=True, description="Capacity of an I/O node, in the memory of the machine.")
    ] = "1GiB"  # type: ignore[assignment]  # validated like a value from the file
    stripe: Annotated[
        StripeText | None,
        Field(description="Stripe size of files over all I/O nodes; default: each file on one I/O node."),
    ] = None
    disk_write: Annotated[
        ByteRateText | None,
        Field(description="Rate at which the disk of an I/O node writes, in simulations only; default: the network's."),
    ] = None
    disk_read: Annotated[
        ByteRateText | None,
        Field(description="Rate at which the disk of an I/O node reads, in simulations only; default: the network's."),
    ] = None


class NoiseTable(Table):
    """Constant background traffic."""

    from_: Annotated[str, Field(alias="from", description="Sending host.")]
    to: Annotated[str, Field(description="Receiving host.")]
    rate: Annotated[RateText, Field(description="Rate, frame headers included.")]


class LabTable(Table):
    """A whole lab file."""

    about: Annotated[str, Field(description="One sentence, shown by `stressbench lab list`.")] = ""
    queue: Annotated[
        BytesText | None,
        Field(
            description="Size of the queue at each end of a link; further frames are dropped. With fair arbitration, "
            "that of each host's frames in a switch."
        ),
    ] = None
    arbitration: Annotated[
        Arbitration,
        Field(
            description="What a switch sends next over a link: the oldest frame (fifo), or frames of the hosts that "
            "sent them in turns, each as many bytes (fair)."
        ),
    ] = Arbitration.fifo
    routing: Annotated[
        Routing,
        Field(
            description="How switches choose among several paths: always the same one for a destination (static), one "
            "of the shortest by a hash of each connection (ecmp), or by the load of their own output ports, also "
            "longer ones (adaptive; needs root)."
        ),
    ] = Routing.static
    marking: Annotated[
        LimitText | None,
        Field(
            description="Frames that wait for longer in the queue of a switch get a congestion mark (ECN), and hosts "
            "send less; needs root."
        ),
    ] = None
    hosts: HostsTable
    rail: tuple[RailTable, ...] = ()
    host: tuple[HostTable, ...] = ()
    topology: dict[str, Any]
    link: tuple[LinkTable, ...] = ()
    io: IoTable | None = None
    noise: tuple[NoiseTable, ...] = ()
