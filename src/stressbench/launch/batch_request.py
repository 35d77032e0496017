"""What a batch script requests of its batch system."""

import math
import re
from dataclasses import dataclass

from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import seconds

_CLEANUP_TIME_S = 120.0
_IDENTIFIER = re.compile(r"[A-Za-z0-9][\w.:@+-]*")
_NAME_LETTERS = 15  # PBS takes no more


@dataclass(frozen=True, kw_only=True)
class BatchRequest:
    """`name` of the job, and what is requested for it; None leaves it to the system."""

    name: str
    nodes: int | None = None
    walltime_s: int | None = None
    queue: str | None = None
    account: str | None = None

    def ranks_per_node(self, ranks: int) -> int | None:
        """At most; None where the system chooses the nodes."""
        return None if self.nodes is None else math.ceil(ranks / self.nodes)

    @property
    def walltime_text(self) -> str | None:
        """The time as `HH:MM:SS`."""
        if self.walltime_s is None:
            return None
        return f"{self.walltime_s // 3600:02}:{self.walltime_s // 60 % 60:02}:{self.walltime_s % 60:02}"

    def engine_limit(self, explicit: str | None) -> str | None:
        """`--time-limit` of the engine: as typed, else so that it ends in good order before the system ends it."""
        if explicit is not None or self.walltime_s is None:
            return explicit
        return f"{self.walltime_s - min(_CLEANUP_TIME_S, self.walltime_s / 4):.0f}s"


def batch_request(
    *, stem: str, nodes: int | None, walltime: str | None, queue: str | None, account: str | None
) -> BatchRequest:
    """The request, checked; the job is named after `stem`. Raises LaunchMistake."""
    if nodes is not None and nodes < 1:
        raise LaunchMistake(f"--nodes: {nodes} is not at least 1")
    for option, value in (("--queue", queue), ("--account", account)):
        if value is not None and _IDENTIFIER.fullmatch(value) is None:
            raise LaunchMistake(f"{option}: '{value}' is no name; expected letters, digits, and . _ : @ + -")
    return BatchRequest(
        name=_job_name(stem),
        nodes=nodes,
        walltime_s=None if walltime is None else _walltime_seconds(walltime),
        queue=queue,
        account=account,
    )


def _walltime_seconds(walltime: str) -> int:
    value = math.ceil(seconds(walltime, option="--walltime"))
    if value < 60:
        raise LaunchMistake(f"--walltime: {walltime} is too short; batch systems count minutes")
    return value


def _job_name(stem: str) -> str:
    """Letters that every system takes, a letter first."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", stem)
    return (plain if plain[:1].isalpha() else f"sb-{plain}")[:_NAME_LETTERS]
