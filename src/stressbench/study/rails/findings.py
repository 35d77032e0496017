"""Everything `stressbench rails report` says, as values. Seconds and bytes; unknown is None."""

from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.stats.pooled import PooledImpact
from stressbench.study.rails.carried import Carried
from stressbench.study.rails.spread import Subject
from stressbench.tracing.profile import Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth:
    """What a motif's messages of one size carried, by policy: of all its pairs, from the median over rounds."""

    where: Mapping[str, str]
    job: str
    step: int
    motif: str
    size_bytes: int
    bytes_per_s: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """How many times as long a job takes beside the others as alone, under one policy."""

    where: Mapping[str, str]
    job: str
    policy: str
    impact: PooledImpact


@dataclass(frozen=True, slots=True, kw_only=True)
class MpiProfile:
    """MPI profile of a program with the columns of mpiP, from the file `source`."""

    source: str
    program: str | None
    ranks: int
    columns: Columns


@dataclass(frozen=True, kw_only=True)
class RailsFound:
    """`time` says which: isolated or contended rounds, or launches of a program; `factors` vary beside the policy."""

    about: str
    time: str
    factors: tuple[str, ...]
    policies: tuple[str, ...]
    planned: int
    done: int
    subjects: tuple[Subject, ...]
    bandwidths: tuple[Bandwidth, ...]
    carried: tuple[Carried, ...]
    beside: tuple[Beside, ...]
    talk: tuple[MpiProfile, ...]
    notes: tuple[str, ...]
