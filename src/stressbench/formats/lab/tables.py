"""Models of the tables of a lab file."""

from typing import Annotated, Any, Literal

from pydantic import Field

from stressbench.formats.lab.fields import BytesText, Count, DurationText, MountPath, Name, Prefix, RateText, StripeText
from stressbench.formats.toml import Table

_DELAY = "Added to every frame, each way; needs a kernel with netem."


class HostsTable(Table):
    """Hosts that are alike: `h0`, `h1`, ..."""

    count: Count
    name: Annotated[Prefix, Field(description="What host names begin with.")] = "h"
    cores: Annotated[Count, Field(description="Ranks that a host is meant to hold.")] = 1
    pinned: Annotated[
        bool, Field(strict=True, description="Each host has cores of the machine for itself, in place of sharing all.")
    ] = False


class RailTable(Table):
    """A NIC of every host: the first table is eth0, the second eth1."""

    rate: RateText
    delay: Annotated[DurationText | None, Field(description=_DELAY)] = None


class HostTable(Table):
    """What is different about one host."""

    name: Name
    cores: Count | None = None
    rates: Annotated[tuple[RateText, ...] | None, Field(description="One a rail.")] = None


class LinkTable(Table):
    """A link of `kind = "links"`."""

    between: Annotated[tuple[str, str], Field(description="Two nodes; a host's second NIC is `h0:eth1`.")]
    rate: RateText
    delay: Annotated[DurationText | None, Field(description=_DELAY)] = None
    name: Name | None = None


class IoTable(Table):
    """I/O nodes and the file system that they serve."""

    count: Count
    name: Annotated[Prefix, Field(description="What their names begin with.")] = "io"
    attach: Annotated[str, Field(description="The switch that they hang from, such as root0.")]
    rate: RateText
    uplink: Annotated[
        RateText | None,
        Field(description="With it, I/O nodes have a switch of their own, joined to `attach` at this rate."),
    ] = None
    file_system: Literal["glusterfs"] = "glusterfs"
    path: Annotated[
        MountPath, Field(pattern="^/run/lab/[A-Za-z0-9_-]+$", description="Where hosts find it, below /run/lab.")
    ] = "/run/lab/scratch"
    capacity: Annotated[
        BytesText, Field(validate_default=True, description="What an I/O node holds at most, in the machine's memory.")
    ] = "1GiB"  # type: ignore[assignment]  # validated like a value from the file
    stripe: Annotated[
        StripeText | None,
        Field(description="Files are cut into pieces of this size that lie on all I/O nodes; default: whole files."),
    ] = None


class NoiseTable(Table):
    """Traffic that is always there."""

    from_: Annotated[str, Field(alias="from", description="The host that sends.")]
    to: Annotated[str, Field(description="The host that receives.")]
    rate: Annotated[RateText, Field(description="Of frames.")]


class LabTable(Table):
    """A whole lab file."""

    about: Annotated[str, Field(description="One sentence, shown by `stressbench lab list`.")] = ""
    queue: Annotated[
        BytesText | None, Field(description="What waits at each end of a link before frames are dropped.")
    ] = None
    hosts: HostsTable
    rail: tuple[RailTable, ...] = ()
    host: tuple[HostTable, ...] = ()
    topology: dict[str, Any]
    link: tuple[LinkTable, ...] = ()
    io: IoTable | None = None
    noise: tuple[NoiseTable, ...] = ()
