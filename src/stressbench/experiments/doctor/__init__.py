"""Checks of a launch target before anything is measured: what was found, what will go wrong, and what to type."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench import __version__
from stressbench.experiments.doctor.check import Check, EngineFacts, Setting
from stressbench.experiments.doctor.machine import MACHINE_CHECKS, clock
from stressbench.experiments.doctor.network import NETWORK_CHECKS
from stressbench.experiments.doctor.programs import PROGRAM_CHECKS, VERSION, is_of_this_package
from stressbench.experiments.doctor.ranks import RANK_CHECKS
from stressbench.experiments.doctor.storage import default_directories, shared_directories, storage
from stressbench.formats.errors import file_fault
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.launch import machine
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_engine, library_of, named_program, output_of
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.launched_ranks import observe_launch, ranks_arguments
from stressbench.launch.program import command_of
from stressbench.launch.targets import resolve_target
from stressbench.results.doctor import Diagnosis

CHECKS: tuple[Check, ...] = (
    *PROGRAM_CHECKS, *MACHINE_CHECKS, *NETWORK_CHECKS, storage, *RANK_CHECKS, shared_directories, clock
)  # fmt: skip
"""All checks, in the order of their findings."""
_LEAST_RANKS = 2
"""Messages need two ranks."""


@dataclass(frozen=True, kw_only=True)
class DoctorSpec:
    """What to examine: the launch target `on`, with `ranks` (None: one for each core, but two at least).

    `workload`: a workload to check, or None. `directories`: where files will be written, empty: the current directory,
    $TMPDIR and $SCRATCH. `limit_s`: time for the launch, in seconds. `launcher_arguments`: options for the launcher.
    """

    on: str = "local"
    ranks: int | None = None
    workload: Path | None = None
    directories: tuple[Path, ...] = ()
    limit_s: float = 60.0
    mpirun: Path | None = None
    engine: Path | None = None
    launcher_arguments: tuple[str, ...] = ()


def examine(spec: DoctorSpec, *, environment: Mapping[str, str]) -> Diagnosis:
    """Examine the machine and the programs, start a short launch on the target, and examine what it printed.

    Must be called from the main thread. Raises LaunchMistake if an option is wrong, Interrupted at a stop signal.
    """
    setting = _setting(spec, environment)
    setting = _launched(setting)
    findings = tuple(finding for one in CHECKS for finding in one.findings(setting))
    command = None if setting.launch is None else str(setting.launch.command)
    return Diagnosis(
        version=__version__, target=spec.on, ranks=setting.ranks, command=command, findings=findings
    )  # fmt: skip


def _setting(spec: DoctorSpec, environment: Mapping[str, str]) -> Setting:
    if spec.workload is not None and (wrong := file_fault(spec.workload)):
        raise LaunchMistake(wrong)
    if spec.ranks is not None and not 1 <= spec.ranks <= MAX_NUMBERS:
        raise LaunchMistake(f"-n: {spec.ranks}: expected 1 to {MAX_NUMBERS} ranks")
    target = resolve_target(spec.on, environment=environment)
    if target.simulated:
        raise LaunchMistake(f"--on {spec.on}: simulated hosts have no faults; expected local, lab:NAME, slurm, ...")
    return Setting(
        on=spec.on, target=target, ranks=spec.ranks or target.ranks or max(_LEAST_RANKS, machine.cores()),
        environment=environment, engine=_engine_facts(spec, target, environment), extra=spec.launcher_arguments,
        directories=spec.directories or default_directories(environment),
        workload=spec.workload, limit_s=spec.limit_s,
    )  # fmt: skip


def _engine_facts(spec: DoctorSpec, target: LaunchTarget, environment: Mapping[str, str]) -> EngineFacts:
    """The engine and its launcher. Raises LaunchMistake for options that name no program."""
    for option, named in (("--engine", spec.engine), ("--mpirun", spec.mpirun)):
        if named is not None:
            named_program(named, option=option)
    try:
        path = find_engine(explicit=spec.engine, environment=environment)
        library = library_of(path)
    except LaunchMistake as mistake:
        return EngineFacts(fault=str(mistake))
    version = VERSION.search(output_of(str(path), "--version") or "")
    facts = EngineFacts(path=path, version=None if version is None else version[1], library=library)
    try:
        return replace(facts, launcher=target.launcher(mpirun=spec.mpirun, library=library))
    except LaunchMistake as mistake:
        return replace(facts, launcher_fault=str(mistake))


def _launched(setting: Setting) -> Setting:
    """The setting with the launch, or with the reason for which there is none."""
    engine = setting.engine
    if engine.path is None or engine.launcher is None or not is_of_this_package(engine.version):
        return setting
    program = ranks_arguments(engine.path, [one.resolve() for one in setting.directories if one.is_dir()])
    try:
        command = command_of(
            program, folder=Path.cwd(), ranks=setting.ranks, target=setting.target, engine=engine.path,
            environment=setting.environment, launcher=engine.launcher, extra=setting.extra,
        )  # fmt: skip
        return replace(setting, launch=observe_launch(command, limit_s=setting.limit_s))
    except LaunchMistake as mistake:
        return replace(setting, launch_fault=str(mistake))
