"""What a batch script requests of its batch system."""

import math
import re
from dataclasses import dataclass

from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import seconds

_CLEANUP_TIME_S = 120.0
_IDENTIFIER = re.compile(r"[A-Za-z0-9][\w.:@+-]*")
_NAME_LETTERS = 15  # the limit of PBS


@dataclass(frozen=True, kw_only=True)
class BatchRequest:
    """`name` of the job, and the resources requested for it. None leaves a value to the system.

    `requeue`: the job may be put into the queue again, where it continues its run.
    """

    name: str
    nodes: int | None = None
    walltime_s: int | None = None
    queue: str | None = None
    account: str | None = None
    requeue: bool = False

    def ranks_per_node(self, ranks: int) -> int | None:
        """The largest number of ranks on a node, None where the system chooses the number of nodes."""
        return None if self.nodes is None else math.ceil(ranks / self.nodes)

    @property
    def walltime_text(self) -> str | None:
        """The wall time as `HH:MM:SS`."""
        if self.walltime_s is None:
            return None
        return f"{self.walltime_s // 3600:02}:{self.walltime_s // 60 % 60:02}:{self.walltime_s % 60:02}"

    def engine_limit(self, explicit: str | None) -> str | None:
        """`--time-limit` of the engine: as typed, or else early enough for a clean end within the wall time."""
        if explicit is not None or self.walltime_s is None:
            return explicit
        return f"{self.walltime_s - min(_CLEANUP_TIME_S, self.walltime_s / 4):.0f}s"


def batch_request(
    *, stem: str, nodes: int | None, walltime: str | None, queue: str | None, account: str | None, requeue: bool = False
) -> BatchRequest:
    """The checked request, with a job name made from `stem`. Raises LaunchMistake."""
    if nodes is not None and nodes < 1:
        raise LaunchMistake(f"--nodes: {nodes} is not at least 1")
    for option, value in (("--queue", queue), ("--account", account)):
        if value is not None and _IDENTIFIER.fullmatch(value) is None:
            raise LaunchMistake(f"{option}: '{value}' is not a valid name; expected letters, digits, and . _ : @ + -")
    return BatchRequest(
        name=_job_name(stem),
        nodes=nodes,
        walltime_s=None if walltime is None else _walltime_seconds(walltime),
        queue=queue,
        account=account,
        requeue=requeue,
    )


def _walltime_seconds(walltime: str) -> int:
    value = math.ceil(seconds(walltime, option="--walltime"))
    if value < 60:
        raise LaunchMistake(f"--walltime: {walltime} is too short; batch systems count minutes")
    return value


def _job_name(stem: str) -> str:
    """A job name with characters that every system accepts, starting with a letter."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", stem)
    return (plain if plain[:1].isalpha() else f"sb-{plain}")[:_NAME_LETTERS]
