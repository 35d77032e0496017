"""The loaded link, where it is known. Its packets then need not be assumed to resemble the probes."""

from dataclasses import dataclass

from stressbench.formats.units import parse_rate
from stressbench.interference.queueing import Service
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import size_bytes


@dataclass(frozen=True, kw_only=True)
class LoadedLink:
    """`rate` and `packet` as the user wrote them, for the record. `packets`: the service time of a packet on the link.

    All three are None where the link is unknown.
    """

    rate: str | None = None
    packet: str | None = None
    packets: Service | None = None

    @property
    def provenance(self) -> dict[str, str]:
        """Entries of a profile's configuration; empty where the link is unknown."""
        named = {"link": self.rate, "packet": self.packet}
        return {name: text for name, text in named.items() if text is not None}


def loaded_link(rate: str | None, packet: str | None) -> LoadedLink:
    """A link of this `rate`, such as 10Gbit, that carries packets of one size, such as 1514B.

    Raises LaunchMistake where only one of them is given, or one cannot be parsed.
    """
    if rate is None and packet is None:
        return LoadedLink()
    if rate is None or packet is None:
        stated_option, missing_option = ("--packet", "--link") if rate is None else ("--link", "--packet")
        raise LaunchMistake(
            f"{stated_option} {rate or packet}: requires {missing_option}; for example --link 10Mbit --packet 1514B"
        )
    try:
        bytes_per_s = parse_rate(rate).bytes_per_s
    except ValueError as fault:
        raise LaunchMistake(f"--link: '{rate}': {fault}") from fault
    mean_s = size_bytes(packet, option="--packet") / bytes_per_s
    return LoadedLink(rate=rate, packet=packet, packets=Service(mean_s=mean_s, variance_s2=0.0))
