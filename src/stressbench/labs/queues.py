"""Token buckets at the ends of links as printed by `tc`: rate and counters."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stressbench.formats.units import Rate
from stressbench.labs.errors import LabFault

QDISC_ARGUMENTS = ("-s", "-j", "qdisc")
"""Arguments of `tc` for a JSON list of queues with statistics."""


@dataclass(frozen=True, kw_only=True)
class TokenBucket:
    """Rate of a link end and its totals since the link came up.

    `drops` are frames dropped at a full queue; `waiting_bytes` is the present length of the queue.
    """

    rate: Rate
    bytes: int
    frames: int
    drops: int
    waiting_bytes: int


def token_bucket(queues: Iterable[Any], *, node: str, device: str) -> TokenBucket:
    """The token bucket of a device among the queues of its node. Raises LabFault if it was removed."""
    queue = next((one for one in queues if one["dev"] == device and one["kind"] == "tbf"), None)
    if queue is None:
        raise LabFault(f"{node} has no queue on {device}")
    return TokenBucket(
        rate=Rate(queue["options"]["rate"] * 8), bytes=queue["bytes"], frames=queue["packets"], drops=queue["drops"],
        waiting_bytes=queue["backlog"],
    )  # fmt: skip
