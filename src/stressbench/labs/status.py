"""What commands show of labs: shipped and running labs, capabilities of this machine, traffic and checks of links."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ShippedLab:
    """A lab shipped with StressBench, and whether it is up."""

    name: str
    hosts: int
    shape: str
    is_up: bool
    about: str


@dataclass(frozen=True, kw_only=True)
class LabStatus:
    """A lab that is up. `since` is a time in UTC, `keeper` the process id of its supervisor."""

    name: str
    source: str
    since: str
    keeper: int
    shape: str
    hosts: tuple[str, ...]
    switches: tuple[str, ...]
    links: int


@dataclass(frozen=True, kw_only=True)
class LinkCheck:
    """Result for one direction of a link.

    `shares` are the payload rates of the streams divided by the highest possible one; `share` and `payload_bits_per_s`
    are medians (None without streams, if the link is down). `off` describes what is wrong, or is None.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    payload_bits_per_s: int | None
    share: float | None
    shares: tuple[float, ...]
    ping_s: float | None
    off: str | None


@dataclass(frozen=True, kw_only=True)
class Capability:
    """A capability of this machine.

    `there`: it is present, `needed`: every lab requires it, `why`: its purpose, `remedy`: how to obtain it.
    """

    name: str
    there: bool
    needed: bool
    why: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class LinkDirection:
    """One direction of a link: totals since it came up, and its utilisation.

    `use` is the share of the rate used between two readings (frames with headers), None for a single reading. Switches
    that route adaptively count `minimal_bytes` and `nonminimal_bytes` (of frames on such paths), `moves` (connections
    that had to stop so that they could take another path) and `late` (frames to a host that arrived after others of
    the connection that had been sent another way); None for all other ends of links.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    is_up: bool
    bytes: int
    frames: int
    drops: int
    waiting_bytes: int
    use: float | None
    minimal_bytes: int | None = None
    nonminimal_bytes: int | None = None
    moves: int | None = None
    late: int | None = None
