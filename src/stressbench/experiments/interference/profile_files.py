"""Writes the profile of a measurement to a file, a store of profiles, or an HTML page."""

import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from stressbench import __version__
from stressbench.experiments.interference.compression import CompressionMeasurement
from stressbench.experiments.interference.loaded_link import LoadedLink
from stressbench.experiments.interference.ring_plan import RingPlan
from stressbench.experiments.interference.spec import MeasurementSpec
from stressbench.experiments.page_figures import write_page_figures
from stressbench.experiments.progress import Progress
from stressbench.experiments.report_page import check_report_page, write_report_page
from stressbench.formats.errors import ProfileFileError, reason_of
from stressbench.formats.files import write_output
from stressbench.formats.profiles.profile import NAME_PATTERN, ProbeSettings, Profile, Provenance, to_json, valid_name
from stressbench.formats.profiles.store import Store
from stressbench.interference.compression_analysis import analyse_compression
from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.probes import ProbeSeries
from stressbench.interference.profile_assembly import compression_profile, idle_drift_since_impact, impact_profile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output
from stressbench.report.units import count

Incompatibility: TypeAlias = Callable[[Profile, ProbeSettings], str | None]
"""Why a stored profile cannot be combined with a measurement that uses these probes; None where it can."""
_Assembly: TypeAlias = Callable[[Provenance, Profile | None], Profile]
"""The profile of a measurement, from its provenance and the stored profile that it updates, if there is one."""


@dataclass(frozen=True, kw_only=True)
class ProfileDestination:
    """Names of application and machine, and where to write their profile. `stored`: the profile now in the store.

    `figures`: a directory for the figures of the page, in which earlier ones are replaced with `replace_figures`.
    """

    application: str
    machine: str
    output: Path | None
    store: Store | None
    page: Path | None
    stored: Profile | None
    began: datetime
    figures: Path | None = None
    replace_figures: bool = False

    @property
    def is_requested(self) -> bool:
        """Whether a profile, a page or its figures were requested."""
        return any(one is not None for one in (self.output, self.store, self.page, self.figures))


def profile_destination(
    spec: MeasurementSpec, *, probes: ProbeSettings, incompatibility: Incompatibility, output: Path | None = None,
    store: Path | None = None, page: Path | None = None, figures: Path | None = None, replace_figures: bool = False,
    name: str | None = None, machine: str | None = None,
) -> ProfileDestination:  # fmt: skip
    """Check names and files before anything is measured with `probes`; the directory `figures` is not checked.

    `name` defaults to that of the program, `machine` to that of the lab or of this host. Raises LaunchMistake, and
    ProfileFileError where the store's profile of the application cannot be read.
    """
    for option, value in (("--name", name), ("--machine", machine)):
        if value is not None and not re.fullmatch(NAME_PATTERN, value):
            raise LaunchMistake(f"{option}: '{value}' must be letters, digits and . _ + - only, 64 at most")
    program = Path(spec.command[0])
    application = name or valid_name(program.name if spec.workload is None else program.stem)
    kind, _, lab = spec.target_name.partition(":")
    host = machine or valid_name(f"{kind}-{lab}" if lab else platform.node())
    if output is not None:
        check_output(output, endings=(".json",), replace=True)
    check_report_page(page)
    profiles = None if store is None else _store(store)
    stored = None if profiles is None else _stored(profiles, application=application, machine=host)
    if stored is not None and (reason := incompatibility(stored, probes)) is not None:
        raise LaunchMistake(f"--store: {reason}; use the same, another --name, or another folder")
    return ProfileDestination(
        application=application, machine=host, output=output, store=profiles, page=page, stored=stored,
        began=datetime.now(UTC), figures=figures, replace_figures=replace_figures,
    )  # fmt: skip


def write_impact_profile(
    destination: ProfileDestination, spec: MeasurementSpec, data: ImpactData, *, cautions: tuple[str, ...],
    effect_runs: int, link: LoadedLink, progress: Progress,
) -> None:  # fmt: skip
    """Write the profile wherever it was requested; the page also has the `cautions` of the analysis.

    Raises ProfileFileError and UserError.
    """

    def assemble(provenance: Provenance, stored: Profile | None) -> Profile:
        return impact_profile(
            data, application=destination.application, machine=destination.machine, provenance=provenance,
            stored=stored, by_rounds=spec.workload is not None,
        )  # fmt: skip

    levels = 0 if destination.stored is None else len(destination.stored.levels)
    _write(
        destination, _provenance(
            destination, spec, data.beside, configuration={"effect": str(effect_runs), **link.provenance}
        ),
        assemble, cautions=cautions, progress=progress,
        retained=f", with the {count(levels, 'congestion level')} that it had" if levels else "",
    )  # fmt: skip


def write_compression_profile(
    destination: ProfileDestination, spec: MeasurementSpec, plan: RingPlan, measurement: CompressionMeasurement, *,
    link: LoadedLink, progress: Progress,
) -> None:  # fmt: skip
    """Write the profile wherever it was requested, if any congestion level has times of the program.

    Raises ProfileFileError and UserError.
    """
    data, by_rounds, stored = measurement.data, spec.workload is not None, destination.stored
    if not data.completed_levels:
        if destination.is_requested:
            progress(
                "the program reached --time-limit beside every congestion level: no profile and no page is written"
            )
        return

    def assemble(provenance: Provenance, base: Profile | None) -> Profile:
        return compression_profile(
            data, application=destination.application, machine=destination.machine, provenance=provenance, stored=base,
            by_rounds=by_rounds,
        )  # fmt: skip

    if stored is not None and (drift := idle_drift_since_impact(stored, data)) is not None:
        progress(f"CAUTION: {drift}")
    earlier_rings = " ".join(one.isoformat() for one in measurement.earlier_rings)
    configuration = {
        "compressions": f"{len(data.completed_levels)} of {len(plan.candidates)}", "ring": count(plan.nodes, "host"),
        "runs": str(plan.runs), "times": "rounds" if by_rounds else "launches",
        **({} if measurement.interrupted is None else {"interrupted": "yes"}),
        **({"rings of": earlier_rings} if earlier_rings else {}), **link.provenance,
    }  # fmt: skip
    _write(
        destination, _provenance(destination, spec, data.before, configuration=configuration), assemble,
        cautions=() if destination.page is None else analyse_compression(data).cautions, progress=progress,
        retained=", with the impact that it had" if stored is not None and stored.impact is not None else "",
    )  # fmt: skip


def _store(folder: Path) -> Store:
    if folder.exists() and not folder.is_dir():
        raise LaunchMistake(f"--store: {folder} is not a directory")
    return Store(folder=folder)


def _stored(store: Store, *, application: str, machine: str) -> Profile | None:
    if not store.path_of(application=application, machine=machine).exists():
        return None
    return store.load(application=application, machine=machine)


def _provenance(
    destination: ProfileDestination, spec: MeasurementSpec, pairs: Sequence[ProbeSeries], *,
    configuration: Mapping[str, str],
) -> Provenance:  # fmt: skip
    return Provenance(
        measured_at=destination.began, version=__version__, command=spec.command,
        nodes=len({host for one in pairs for host in one.hosts}) or 1, ranks=spec.shape.ranks,
        configuration={
            "on": spec.target_name, "pairs": " ".join("+".join(one.hosts) for one in pairs),
            "idle": f"{spec.idle_s:g} s", "seed": str(spec.seed), **configuration,
        },
    )  # fmt: skip


def _write(
    destination: ProfileDestination, provenance: Provenance, assemble: _Assembly, *, cautions: tuple[str, ...],
    retained: str, progress: Progress,
) -> None:  # fmt: skip
    written = []
    if destination.output is not None:
        try:
            write_output(destination.output, to_json(assemble(provenance, None)))
        except OSError as fault:
            raise ProfileFileError(reason_of(fault), path=destination.output) from fault
        written.append(destination.output)
        progress(f"wrote {destination.output}")
    if destination.store is not None:
        written.append(destination.store.save(assemble(provenance, destination.stored)))
        progress(f"wrote {written[-1]}{retained}")
    if destination.page is not None or destination.figures is not None:
        _write_page(
            destination, assemble(provenance, destination.stored), cautions=cautions, sources=written, progress=progress
        )


def _write_page(
    destination: ProfileDestination, profile: Profile, *, cautions: tuple[str, ...], sources: Sequence[Path],
    progress: Progress,
) -> None:  # fmt: skip
    """Write the page and its figures, as far as they were requested."""
    from stressbench.report.interference import page, profile_report
    from stressbench.report.renderers import render

    document = page([profile_report(profile, cautions=cautions)])
    if destination.page is not None:
        write_report_page(destination.page, render("html", document), progress=progress)
    if destination.figures is not None:
        write_page_figures(
            document, destination.figures, sources=sources, replace=destination.replace_figures, progress=progress
        )
