"""The token bucket at an end of a link, as `tc` prints it: what it was set to, and what it let pass."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stressbench.lab.errors import LabFault
from stressbench.lab.units import Rate

QDISC_ARGUMENTS = ("-s", "-j", "qdisc")
"""Words for `tc`; the answer is JSON."""


@dataclass(frozen=True, kw_only=True)
class TokenBucket:
    """Totals since the link came up; `drops` found the queue full, `waiting_bytes` are in it now."""

    rate: Rate
    bytes: int
    frames: int
    drops: int
    waiting_bytes: int


def token_bucket(queues: Iterable[Any], *, node: str, device: str) -> TokenBucket:
    """That of a device, from all queues of its node. Raises LabFault where somebody took it away."""
    queue = next((one for one in queues if one["dev"] == device and one["kind"] == "tbf"), None)
    if queue is None:
        raise LabFault(f"{node} has no queue on {device}")
    return TokenBucket(
        rate=Rate(queue["options"]["rate"] * 8), bytes=queue["bytes"], frames=queue["packets"], drops=queue["drops"],
        waiting_bytes=queue["backlog"],
    )  # fmt: skip
