"""Bytes that each NIC has carried so far: summed over the hosts of a lab, elsewhere those of this host."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.launches.rails import NicBytes
from stressbench.launch.targets import NicTotals, nic_counter

_WORD_BYTES = 4  # unit of InfiniBand's data counters
_CLASSES = Path("/sys/class")


@dataclass(frozen=True, kw_only=True)
class NicReading:
    """Byte counters of a NIC since it came up."""

    sent: int
    received: int


NicReader = Callable[[], Mapping[str, NicReading] | None]
"""Reads the counters by name of NIC; returns None where they cannot be read."""


def nic_reader(on: str, nics: Sequence[str], *, classes: Path = _CLASSES) -> NicReader:
    """A reader of the NIC counters of the target, or else of this host's `nics`. Raises LaunchMistake."""
    counter = nic_counter(on)
    return (lambda: _of_this_host(nics, classes)) if counter is None else (lambda: _readings_of(counter()))


def between(
    before: Mapping[str, NicReading] | None, after: Mapping[str, NicReading] | None
) -> tuple[NicBytes, ...] | None:
    """Bytes carried between two readings; None where one of them failed, or a counter was reset."""
    if before is None or after is None or before.keys() != after.keys():
        return None
    carried = tuple(
        NicBytes(nic=nic, sent=reading.sent - before[nic].sent, received=reading.received - before[nic].received)
        for nic, reading in after.items()
    )
    return None if any(min(one.sent, one.received) < 0 for one in carried) else carried


def _readings_of(totals: NicTotals | None) -> Mapping[str, NicReading] | None:
    if totals is None:
        return None
    return {nic: NicReading(sent=sent, received=received) for nic, (sent, received) in totals.items()}


def _of_this_host(nics: Sequence[str], classes: Path) -> Mapping[str, NicReading] | None:
    try:
        return {nic: _reading(nic, classes) for nic in nics} or None
    except (OSError, ValueError):
        return None


def _reading(nic: str, classes: Path) -> NicReading:
    """Counters of a NIC: `mlx5_0:1` is a port of an InfiniBand device, any other name a network interface."""
    device, colon, port = nic.partition(":")
    if colon:
        counters = classes / "infiniband" / device / "ports" / port / "counters"
        return NicReading(
            sent=_WORD_BYTES * _number(counters / "port_xmit_data"),
            received=_WORD_BYTES * _number(counters / "port_rcv_data"),
        )
    statistics = classes / "net" / nic / "statistics"
    return NicReading(sent=_number(statistics / "tx_bytes"), received=_number(statistics / "rx_bytes"))


def _number(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))
