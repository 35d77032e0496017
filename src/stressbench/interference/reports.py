"""What `impact` and `compress` report: the settings of a measurement with its result. Times are in seconds."""

from dataclasses import dataclass

from stressbench.interference.compression_analysis import CompressionResult
from stressbench.interference.impact_analysis import ImpactResult
from stressbench.interference.probes import ProbeSchedule


@dataclass(frozen=True, kw_only=True)
class MeasurementSettings:
    """Names of application and machine, and how they were measured. `on`: the launch target."""

    application: str
    machine: str
    command: tuple[str, ...]
    on: str
    ranks: int
    probing: ProbeSchedule


@dataclass(frozen=True, kw_only=True)
class RingSettings:
    """The congestor ring: `ring_nodes` hosts with one rank each, and the seed of the order of runs."""

    ring_nodes: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class LinkSettings:
    """Rate and packet size of the loaded link as given, null where they are unknown."""

    link: str | None
    packet: str | None


@dataclass(frozen=True, kw_only=True)
class ImpactReport(ImpactResult, LinkSettings, MeasurementSettings):
    """The impact of a program on the network: utilisations are 0 to 1, times in seconds, unknown values null."""


@dataclass(frozen=True, kw_only=True)
class CompressionReport(CompressionResult, LinkSettings, RingSettings, MeasurementSettings):
    """The slowdown of a program at each congestion level, by mean latency of probes; times in seconds."""
