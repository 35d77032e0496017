"""Bytes that went through each card so far: of all hosts of a lab, elsewhere of this host."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.launches.rails import NicBytes
from stressbench.lab.counters import bytes_by_nic, read_counters
from stressbench.lab.errors import LabFault
from stressbench.lab.lifecycle import running_lab
from stressbench.launch.targets import CardTotals, target_of

_WORD_BYTES = 4  # InfiniBand counts data in words
_CLASSES = Path("/sys/class")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Totals of a card since it came up."""

    sent: int
    received: int


Look = Callable[[], Mapping[str, Seen] | None]
"""Totals by card; None where nobody counts."""


def look_at(on: str, nics: Sequence[str], *, classes: Path = _CLASSES) -> Look:
    """Who counts there. LabMistake where the lab is not up."""
    if (target := target_of(on)) is not None:
        return lambda: _seen_by(target.cards(on))
    kind, _, name = on.partition(":")
    return (lambda: _of_lab(name)) if kind == "lab" else (lambda: _of_this_host(nics, classes))


def between(before: Mapping[str, Seen] | None, after: Mapping[str, Seen] | None) -> tuple[NicBytes, ...] | None:
    """What went through meanwhile; None where one look failed, or a counter went back."""
    if before is None or after is None or before.keys() != after.keys():
        return None
    found = tuple(
        NicBytes(nic=nic, sent=seen.sent - before[nic].sent, received=seen.received - before[nic].received)
        for nic, seen in after.items()
    )
    return None if any(min(one.sent, one.received) < 0 for one in found) else found


def _of_lab(name: str) -> Mapping[str, Seen] | None:
    """All hosts' cards of a rail together."""
    try:
        up = running_lab(name)
        return _seen_by(bytes_by_nic(up.lab, read_counters(up)))
    except (LabMistake, LabFault):
        return None


def _seen_by(totals: CardTotals | None) -> Mapping[str, Seen] | None:
    if totals is None:
        return None
    return {card: Seen(sent=sent, received=received) for card, (sent, received) in totals.items()}


def _of_this_host(nics: Sequence[str], classes: Path) -> Mapping[str, Seen] | None:
    try:
        return {nic: _seen(nic, classes) for nic in nics} or None
    except (OSError, ValueError):
        return None


def _seen(nic: str, classes: Path) -> Seen:
    """`mlx5_0:1` is a port of an InfiniBand device; what else there is, the network's own."""
    device, colon, port = nic.partition(":")
    if colon:
        counters = classes / "infiniband" / device / "ports" / port / "counters"
        return Seen(
            sent=_WORD_BYTES * _number(counters / "port_xmit_data"),
            received=_WORD_BYTES * _number(counters / "port_rcv_data"),
        )
    statistics = classes / "net" / nic / "statistics"
    return Seen(sent=_number(statistics / "tx_bytes"), received=_number(statistics / "rx_bytes"))


def _number(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))
