"""What a rank of the engine reports on standard error when a stop signal arrives (engine/scheduler/interrupt.cpp)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from stressbench.formats.bounds import Name
from stressbench.formats.run.records import Count, Index

RANK_STATUS_START = b'{"kind":"rank_status",'
RANK_STATUS_LINE = re.compile(re.escape(RANK_STATUS_START) + rb"[^\n]*\}\r?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStatus:
    """The job and the motif that a rank of the whole launch was running. None: none at that moment."""

    kind: Literal["rank_status"]
    rank: Index
    job: Name | None
    motif: Name | None
    round: Count

    def __str__(self) -> str:
        motif = f", motif {self.motif}" if self.motif is not None else ""
        activity = f" (job {self.job}{motif})" if self.job is not None else ""
        return f"stop signal received: rank {self.rank}{activity}, round {self.round}"


_ADAPTER = TypeAdapter(RankStatus)


def rank_status_of(line: bytes) -> RankStatus | None:
    """The status on this line of output, None where the line is anything else."""
    try:
        return _ADAPTER.validate_json(line, strict=True)
    except ValidationError:
        return None


def rank_statuses_in(output: str) -> Iterator[RankStatus]:
    """All statuses in the output of a launch, in their order."""
    for match in RANK_STATUS_LINE.finditer(output.encode(errors="replace")):
        if (status := rank_status_of(match[0])) is not None:
            yield status
