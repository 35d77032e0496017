"""Measurements of `impact` and `compress` that are checked and can start, and what they found."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from stressbench.experiments.interference.compression import CompressionMeasurement, measure_compression
from stressbench.experiments.interference.impact import measure_impact
from stressbench.experiments.interference.kept_rings import rings_of_machine
from stressbench.experiments.interference.loaded_link import LoadedLink
from stressbench.experiments.interference.profile_files import (
    ProfileDestination,
    write_compression_profile,
    write_impact_profile,
)
from stressbench.experiments.interference.ring_plan import RingPlan
from stressbench.experiments.interference.spec import MeasurementSpec
from stressbench.experiments.progress import Progress, silent
from stressbench.interference.compression_analysis import analyse_compression
from stressbench.interference.impact_analysis import ImpactData, analyse_impact
from stressbench.interference.reports import CompressionReport, ImpactReport


@dataclass(frozen=True, kw_only=True)
class PreparedImpact:
    """An impact measurement. `effect_runs`: runs with and without probes to measure their effect, 0: none."""

    spec: MeasurementSpec
    destination: ProfileDestination
    link: LoadedLink
    effect_runs: int = 0

    def run(self, *, progress: Progress = silent) -> "MeasuredImpact":
        """Measure and analyse. Raises LaunchMistake and MeasurementAborted."""
        data = measure_impact(
            self.spec, effect_runs=self.effect_runs, packets=self.link.packets, progress=progress
        )  # fmt: skip
        settings = _settings(self.spec, self.destination, self.link)
        return MeasuredImpact(
            prepared=self, data=data, report=ImpactReport(**settings, **_values(analyse_impact(data)))
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredImpact:
    """The data of an impact measurement, and the report on them."""

    prepared: PreparedImpact
    data: ImpactData
    report: ImpactReport

    def write_profile(self, *, progress: Progress = silent) -> None:
        """Write profile, page and figures wherever they were requested. Raises ProfileFileError and UserError."""
        prepared = self.prepared
        write_impact_profile(
            prepared.destination, prepared.spec, self.data, cautions=self.report.cautions,
            effect_runs=prepared.effect_runs, link=prepared.link, progress=progress,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PreparedCompression:
    """A measurement of slowdowns at several congestion levels. `rings`: a directory of rings of several machines."""

    spec: MeasurementSpec
    destination: ProfileDestination
    link: LoadedLink
    plan: RingPlan
    rings: Path | None = None

    def run(self, *, progress: Progress = silent) -> "MeasuredCompression":
        """Measure and analyse. Raises LaunchMistake and MeasurementAborted."""
        rings = rings_of_machine(self.rings, self.destination.machine)
        measurement = measure_compression(self.spec, self.plan, rings=rings, progress=progress)
        report = None
        if measurement.interrupted is None:
            report = CompressionReport(
                **_settings(self.spec, self.destination, self.link), ring_nodes=self.plan.nodes, seed=self.spec.seed,
                **_values(analyse_compression(measurement.data)),
            )  # fmt: skip
        return MeasuredCompression(prepared=self, measurement=measurement, report=report)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredCompression:
    """The data of a measurement, and the report on them, None for an interrupted measurement."""

    prepared: PreparedCompression
    measurement: CompressionMeasurement
    report: CompressionReport | None

    @property
    def interruption(self) -> str | None:
        """Why the measurement ended early and what of it was saved, None if it is complete."""
        if self.measurement.interrupted is None:
            return None
        saved = self.measurement.saved_extent(is_requested=self.prepared.destination.is_requested)
        return f"{self.measurement.interrupted}; {saved}"

    def write_profile(self, *, progress: Progress = silent) -> None:
        """Write profile, page and figures wherever they were requested. Raises ProfileFileError and UserError."""
        prepared = self.prepared
        write_compression_profile(
            prepared.destination, prepared.spec, prepared.plan, self.measurement, link=prepared.link, progress=progress
        )


def _settings(spec: MeasurementSpec, destination: ProfileDestination, link: LoadedLink) -> dict[str, Any]:
    return {
        "application": destination.application, "machine": destination.machine, "command": spec.command,
        "on": spec.target_name, "ranks": spec.shape.ranks, "probing": spec.schedule, "link": link.rate,
        "packet": link.packet,
    }  # fmt: skip


def _values(result: Any) -> dict[str, Any]:
    """The fields of a dataclass, by name."""
    return {field.name: getattr(result, field.name) for field in fields(result)}
