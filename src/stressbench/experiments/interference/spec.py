"""Inputs of `impact` and `compress`: a program or a workload on a launch target, and the load beside it."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.errors import file_fault
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.formats.units import MAX_SECONDS
from stressbench.interference.congestor_ring import RANKS_PER_NODE, CongestorRing, ProbePairing, ring_workload
from stressbench.interference.probe_statistics import probing_time_s
from stressbench.interference.probes import ROUND_S, ProbeSchedule
from stressbench.interference.utilisation import LEAST_SAMPLES
from stressbench.launch import machine as this_machine
from stressbench.launch.engine import RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget, ranks_share_cores
from stressbench.launch.shape import Shape, shape_of
from stressbench.report.units import count

WORKLOAD_SUFFIX = ".sb"
DEFAULT_ROUNDS = 10
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class MeasurementSpec:
    """A program, or all jobs of a workload, on a launch target, and the probes that run beside it.

    `name` is used in messages. `workload` is None for a program, and `rounds` applies only to a workload. `shape`:
    ranks of the program. `background_ranks`: the most ranks that run beside it. `target_name`: `target` as given to
    `--on`. `probe_placement`: the engine's `--place` for the probes. `idle_s`: how long probes run on the idle
    machine, before and, with `probe_after`, after the program. `limit_s` ends each run of the program, None: no limit.
    """

    name: str
    command: tuple[str, ...]
    workload: Path | None
    rounds: int
    shape: Shape
    schedule: ProbeSchedule
    background_ranks: int
    target: LaunchTarget
    target_name: str
    probe_placement: str | None
    engine: Path | None
    seed: int
    idle_s: float
    probe_after: bool
    limit_s: float | None

    @property
    def program_target(self) -> LaunchTarget:
        """The target of the program, with cores of its own where the target can give it some."""
        return self.target.on_own_cores(0, of=2)

    @property
    def load_target(self) -> LaunchTarget:
        """The target of probes and rings, with the other cores."""
        return self.target.on_own_cores(1, of=2)

    @property
    def oversubscription(self) -> str | None:
        """A warning where all ranks run on this machine and exceed its cores, else None."""
        cores, ranks = this_machine.cores(), self.shape.ranks + self.background_ranks
        if not ranks_share_cores(self.target, ranks):
            return None
        if self.program_target is not self.target:
            program, probes = count(self.shape.ranks, "rank"), count(self.background_ranks, "rank")
            return (
                f"{program} of {self.name} share {count(cores // 2, 'core')} of this machine, and {probes} of the "
                f"probes {count(cores // 2, 'other core')}: probes of one host wait for those of others"
            )
        return (
            f"{count(self.shape.ranks, 'rank')} of {self.name} and {self.background_ranks} of the probes share "
            f"{count(cores, 'core')}: probes wait for cores as well as for the network"
        )


def measurement_spec(
    command: Sequence[str], *, target: LaunchTarget, target_name: str, schedule: ProbeSchedule, background_ranks: int,
    ranks: int | None = None, ranks_per_node: int | None = None, rounds: int | None = None,
    probe_placement: str | None = None, idle_s: float = 20.0, probe_after: bool = True, limit_s: float | None = None,
    seed: int = 1, engine: Path | None = None, name: str | None = None,
) -> MeasurementSpec:  # fmt: skip
    """Check everything that can be checked before the first launch. Raises LaunchMistake.

    `command` is a program with its arguments, or one workload file. `ranks` defaults to those of the launch target.
    """
    workload = Path(command[0]) if is_workload(command) else None
    _require_command(command[0], workload)
    for option, value in (("--rounds", rounds), ("--ranks-per-node", ranks_per_node)):
        if workload is None and value is not None:
            raise LaunchMistake(
                f"{option} {value}: is for workloads, W{WORKLOAD_SUFFIX}; {command[0]} is a program"
            )  # fmt: skip
    require_positive("--rounds", rounds)
    require_time("--every", schedule.interval_s)
    require_positive("--size", schedule.message_bytes)
    require_time("--idle", idle_s)
    require_time("--time-limit", limit_s)
    least_s = probing_time_s(LEAST_SAMPLES, schedule)
    if idle_s < least_s * (1 - _ROUNDING):
        raise LaunchMistake(
            f"--idle: {idle_s:g}s is too short: at least {LEAST_SAMPLES} probes are needed, which takes {least_s:g} s"
        )
    shape = shape_of(
        ranks=ranks, ranks_per_node=ranks_per_node, run_file=RunFile(path=Path("run.jsonl")), default=target.ranks
    )  # fmt: skip
    return MeasurementSpec(
        name=name or (command[0] if workload is not None else Path(command[0]).name), command=tuple(command),
        workload=workload, rounds=rounds or DEFAULT_ROUNDS, shape=shape, schedule=schedule,
        background_ranks=background_ranks, target=target, target_name=target_name, probe_placement=probe_placement,
        engine=engine, seed=seed, idle_s=idle_s, probe_after=probe_after, limit_s=limit_s,
    )  # fmt: skip


def is_workload(command: Sequence[str]) -> bool:
    """Whether `command` is one workload file rather than a program with its arguments."""
    return len(command) == 1 and command[0].endswith(WORKLOAD_SUFFIX)


def require_positive(option: str, value: int | None) -> None:
    """Raise LaunchMistake for a value below 1; None passes."""
    if value is not None and value < 1:
        raise LaunchMistake(f"{option}: {value} is not at least 1")


def require_time(option: str, seconds: float | None, *, least_s: float = 0.0) -> None:
    """Raise LaunchMistake for a time of 0 or less, below `least_s` or above `MAX_SECONDS`; None passes."""
    if seconds is not None and not (0 < seconds <= MAX_SECONDS and seconds >= least_s):
        least = f"at least {least_s:g} s" if least_s else "more than 0 s"
        raise LaunchMistake(f"{option}: {seconds:g} s: expected {least}, and 100 years at most")


def require_real_hosts(target: LaunchTarget, *, target_name: str) -> LaunchTarget:
    """The target, if it can run two launches at once. Raises LaunchMistake for a simulation."""
    if target.simulated:
        raise LaunchMistake(
            f"--on {target_name}: two programs cannot run side by side in a simulation; use a lab or a cluster"
        )
    return target


def probe_pairs(target: LaunchTarget, requested: int | None, *, target_name: str) -> int:
    """The number of host pairs that probe: as requested, or all hosts of the target in pairs. Raises LaunchMistake."""
    hosts = target.host_count
    require_positive("--pairs", requested)
    if requested is not None and 2 * requested > MAX_NUMBERS:
        raise LaunchMistake(f"--pairs: {requested} is not at most {MAX_NUMBERS // 2}: each pair has 2 ranks")
    if hosts is None:
        if requested is None:
            raise LaunchMistake(f"--pairs is missing: the number of hosts of --on {target_name} is unknown")
        return requested
    if requested is not None and requested > max(1, hosts // 2):
        raise LaunchMistake(
            f"--pairs: {requested} pairs need {2 * requested} hosts; --on {target_name} has {count(hosts, 'host')}"
        )
    return requested or max(1, hosts // 2)


@dataclass(frozen=True, kw_only=True)
class BackgroundLoad:
    """A workload that runs beside the program, on `ranks` ranks, `ranks_per_node` of them on each host.

    `file_stem` names its files, `label` is used in messages. `placement`: the engine's `--place`. `is_steady`: it is
    one long round, in which the program starts and which ends with the program; its samples are not read. `pause_s`:
    how long a rank sleeps at most before it sends again.
    """

    file_stem: str
    label: str
    workload: str
    ranks: int
    ranks_per_node: int
    placement: str | None
    pause_s: float
    is_steady: bool = False


def probe_load(spec: MeasurementSpec, *, round_s: float = ROUND_S) -> BackgroundLoad:
    """Probes only, one rank on each host of a pair, in rounds of `round_s`."""
    return BackgroundLoad(
        file_stem="probes", label="probes", workload=spec.schedule.workload(seconds=round_s),
        ranks=2 * spec.schedule.pairs, ranks_per_node=1, placement=spec.probe_placement,
        pause_s=spec.schedule.longest_pause_s,
    )  # fmt: skip


def ring_load(
    spec: MeasurementSpec, ring: CongestorRing, *, pairing: ProbePairing, is_steady: bool
) -> BackgroundLoad:  # fmt: skip
    """Probes and a congestor ring on all hosts."""
    workload = ring_workload(spec.schedule, ring, pairing=pairing, is_steady=is_steady)
    return BackgroundLoad(
        file_stem="ring", label="probes and ring", workload=workload, ranks=spec.background_ranks,
        ranks_per_node=RANKS_PER_NODE, placement=None, is_steady=is_steady,
        pause_s=max(spec.schedule.longest_pause_s, ring.loops * ring.configuration.round_pause_s),
    )  # fmt: skip


def _require_command(program: str, workload: Path | None) -> None:
    if workload is not None:
        if wrong := file_fault(workload):
            raise LaunchMistake(wrong)
    elif shutil.which(program) is None:
        raise LaunchMistake(f"{program}: there is no such executable program")
