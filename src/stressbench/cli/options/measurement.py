"""Options of `impact` and `compress`: the program, the probes that run with it, and the profile that is written."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.common import (
    TargetName,
    ranks_option,
    ranks_per_node_option,
    seed_option,
    time_limit_option,
)
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.probes import ProbeOptions
from stressbench.cli.options.report_page import ReportPage
from stressbench.console import warning
from stressbench.experiments.interference.loaded_link import LoadedLink, loaded_link
from stressbench.experiments.interference.profile_files import (
    Incompatibility,
    ProfileDestination,
    profile_destination,
)
from stressbench.experiments.interference.spec import (
    DEFAULT_ROUNDS,
    MeasurementSpec,
    measurement_spec,
    require_real_hosts,
)
from stressbench.interference.probes import ProbeSchedule
from stressbench.interference.profile_assembly import probe_settings
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import optional_seconds, seconds
from stressbench.launch.targets import resolve_target


@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """Where the program runs, and on how many ranks."""

    ranks: Annotated[int | None, ranks_option("MPI ranks of CMD; default on labs: all of their cores.")] = None
    on: TargetName = "local"
    ranks_per_node: Annotated[
        int | None, ranks_per_node_option("Workloads: treat every K consecutive ranks as one node.")
    ] = None
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help=f"Workloads: contended rounds; default: {DEFAULT_ROUNDS}.")
    ] = None

    @property
    def target(self) -> LaunchTarget:
        """The launch target. Raises LaunchMistake if two launches cannot run on it at the same time."""
        return require_real_hosts(resolve_target(self.on, environment=os.environ), target_name=self.on)


@dataclass(frozen=True, kw_only=True)
class ProgramRunOptions:
    """How the program is run, and the properties of the loaded link."""

    time_limit: Annotated[str | None, time_limit_option("End each run of CMD after this time.")] = None
    link: Annotated[
        str | None, typer.Option(metavar="RATE", help="Rate of the link that is loaded, such as 10Gbit.")
    ] = None
    packet: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Size of the packets on this link, such as 1514B.")
    ] = None
    seed: Annotated[int, seed_option("Random seed of the order of runs, and of the workload.")] = 1

    @property
    def loaded_link(self) -> LoadedLink:
        """The rate and packet size of the loaded link. Raises LaunchMistake."""
        return loaded_link(self.link, self.packet)


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """Where the profile goes, and under which names."""

    output: Annotated[Path | None, output_option("FILE.json", "Write a profile with all samples.")] = None
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Add the profile to a store, as DIR/MACHINE/NAME.json, or update it there."),
    ] = None
    page: ReportPage = None
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the application; default: CMD's.")] = None
    machine: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the machine; default: the lab's, or the host's.")
    ] = None


def prepare(
    command: Sequence[str], program: ProgramOptions, probes: ProbeOptions, run: ProgramRunOptions,
    profile: ProfileOptions, figures: FigureFiles, *,
    target: LaunchTarget, schedule: ProbeSchedule, background_ranks: int, engine: Path | None,
    incompatibility: Incompatibility,
) -> tuple[MeasurementSpec, ProfileDestination]:  # fmt: skip
    """Check everything that needs no launch; return what to measure and where its profile is written.

    Raises UserError.
    """
    figures.check()
    spec = measurement_spec(
        command, target=target, target_name=program.on, schedule=schedule, background_ranks=background_ranks,
        ranks=program.ranks, ranks_per_node=program.ranks_per_node, rounds=program.rounds,
        probe_placement=probes.place, idle_s=seconds(probes.idle, option="--idle"), probe_after=probes.after,
        limit_s=optional_seconds(run.time_limit, option="--time-limit"), seed=run.seed,
        engine=engine, name=profile.name,
    )  # fmt: skip
    destination = profile_destination(
        spec, probes=probe_settings(schedule, run.loaded_link.packets), incompatibility=incompatibility,
        output=profile.output, store=profile.store, page=profile.page, figures=figures.figures,
        replace_figures=figures.force, name=profile.name, machine=profile.machine,
    )  # fmt: skip
    if spec.oversubscription is not None:
        warning(spec.oversubscription)
    return spec, destination
