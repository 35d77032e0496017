"""The link that is loaded, where somebody knows it: then packets on it need not be taken to be like the probes."""

from dataclasses import dataclass

from stressbench.formats.units import UnitError, parse_rate
from stressbench.interference.queueing import Service
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import size_bytes


@dataclass(frozen=True, kw_only=True)
class Link:
    """`rate` and `packet` as they were typed, None where they were not; `traffic`: how long a packet takes there."""

    rate: str | None = None
    packet: str | None = None
    traffic: Service | None = None

    def provenance(self) -> tuple[tuple[str, str], ...]:
        """What was typed, with its name."""
        named = (("link", self.rate), ("packet", self.packet))
        return tuple((name, word) for name, word in named if word is not None)


def link_of(rate: str | None, packet: str | None) -> Link:
    """All packets are of one size, so that their service does not vary. Raises LaunchMistake."""
    if rate is None and packet is None:
        return Link()
    if rate is None or packet is None:
        given, other = ("--packet", "--link") if rate is None else ("--link", "--packet")
        raise LaunchMistake(f"{given} {rate or packet}: goes with {other}; for example --link 10Mbit --packet 1514B")
    try:
        bytes_per_s = parse_rate(rate).bytes_per_s
    except UnitError as fault:
        raise LaunchMistake(f"--link: '{rate}': {fault}") from fault
    mean_s = size_bytes(packet, option="--packet") / bytes_per_s
    return Link(rate=rate, packet=packet, traffic=Service(mean_s=mean_s, variance_s2=0.0))
