"""Results of a directory of `rails run`, or of a study with the factor `policy`."""

from collections.abc import Sequence
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.results import collected_runs
from stressbench.experiments.sweep.launches import require_no_rounds
from stressbench.experiments.sweep.rails.launch_results import rails_of_launches
from stressbench.experiments.sweep.rails.study_results import AnalysisOptions, rails_of_study
from stressbench.experiments.traces import read_profile
from stressbench.formats.launches.journal import FILE
from stressbench.formats.launches.rails import read_launches
from stressbench.formats.run import Kind
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.trace import read_trace
from stressbench.launch.targets import nic_numbers
from stressbench.results.rails import MpiProfile, RailsReport
from stressbench.tracing.profile import profile_of


def rail_results(
    folder: Path, *, time: Kind | None = None, motifs: bool = False, profiles: Sequence[Path] = ()
) -> RailsReport:  # fmt: skip
    """Times, bandwidths and bytes of each NIC under each policy.

    `time`: the kind of rounds to evaluate, None: isolated. `motifs`: also report each motif. `profiles`: files of
    `stressbench profile` (.json) or traces (.trace) to show beside the results. Raises StudyMistake.
    """
    mpi_profiles = tuple(_mpi_profile(path) for path in profiles)
    if (folder / FILE).is_file():
        require_no_rounds(folder, motifs=motifs, time=time)
        return rails_of_launches(read_launches(folder / FILE), mpi_profiles=mpi_profiles)
    collected = collected_runs(open_directory(folder))
    by_target = {cell.on: nic_numbers(cell.on) for cell in collected.study.cells}
    numbers = {on: found for on, found in by_target.items() if found}
    count = max((rail + 1 for each in numbers.values() for rail in each.values()), default=0)
    return rails_of_study(
        collected.study, collected.states, collected.runs,
        options=AnalysisOptions(kind=time or Kind.isolated, motifs=motifs),
        numbers=numbers, nics=tuple(f"eth{rail}" for rail in range(count)),
        mpi_profiles=mpi_profiles, notes=collected.notes,
    )  # fmt: skip


def _mpi_profile(path: Path) -> MpiProfile:
    try:
        profile = profile_of(read_trace(path)) if path.suffix == ".trace" else read_profile(path)
    except UserError as fault:
        raise StudyMistake(f"--profile: {fault}") from fault
    return MpiProfile(
        source=path.name, program=profile.facts.program, ranks=profile.facts.ranks, columns=profile.columns
    )  # fmt: skip
