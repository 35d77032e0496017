"""Inputs of a validation: a workload, the program that it models, and how they are compared."""

from dataclasses import dataclass, field
from pathlib import Path

from stressbench.experiments.validation.emission import require_own_captures
from stressbench.experiments.validation.workload import SUFFIX, ComparedWorkload, Computation
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output
from stressbench.tracing.iterations import Boundaries

LAUNCHES = 11
MOST_ITERATIONS = 1000


@dataclass(frozen=True, kw_only=True)
class ValidationSpec:
    """A workload, the program that it models, and how they are compared.

    `workload`: a motif with its options, or one workload file. `program`: an MPI program with its arguments,
    without its mpirun. `launches` of each side take turns. `boundaries`: which calls begin and end an iteration of
    the program; `begins_paused`: only what the program does between MPI_Pcontrol(1) and MPI_Pcontrol(0) counts.
    `whole`: the whole run is compared with its replay. `any_tag`: tags are not compared. At most `most_iterations`
    are measured in a launch. `tolerance`: the largest accepted deviation of the ratio of times from 1.
    `computation`: a `Computation`, that between the workload's calls; None: that of the workload if it is a replay
    of a capture, otherwise in sequence if an iteration has at most MAX_GAP_TIMES calls, and measured if it has
    more. `cpu_time`: whether that of the program is taken as processor time; None: where ranks share cores. `emit`:
    where to write the workload with the computation of the program. `output`: a directory for captures and
    launches, which is removed in the end if it is None.
    """

    workload: tuple[str, ...]
    program: tuple[str, ...]
    on: str = "local"
    ranks: int | None = None
    engine: Path | None = None
    launches: int = LAUNCHES
    computation: str | None = None
    cpu_time: bool | None = None
    boundaries: Boundaries = field(default_factory=Boundaries)
    begins_paused: bool = False
    whole: bool = False
    any_tag: bool = False
    most_iterations: int = MOST_ITERATIONS
    tolerance: float | None = None
    seed: int = 1
    emit: Path | None = None
    output: Path | None = None

    def require_valid_values(self) -> None:
        """Raise LaunchMistake for values that are out of range."""
        least = {"-n": (self.ranks, 1), "--launches": (self.launches, 1), "--iterations": (self.most_iterations, 1),
                 "--seed": (self.seed, 0)}  # fmt: skip
        for option, (value, lowest) in least.items():
            if value is not None and value < lowest:
                raise LaunchMistake(f"{option} {value}: expected {lowest} or more")
        if self.tolerance is not None and not 0 < self.tolerance < 1:
            raise LaunchMistake(f"--within {self.tolerance:g}: expected a share between 0 and 1, such as 0.05")
        if self.computation is not None and self.computation not in [*Computation]:
            raise LaunchMistake(f"--computation {self.computation}: expected one of {', '.join(Computation)}")

    def computation_of(self, workload: ComparedWorkload) -> Computation | None:
        """The computation of the workload's launches, None: what its iterations permit. Raises LaunchMistake.

        Options that are not possible with this workload, or with its computation, are refused.
        """
        if workload.is_replay:
            self._require_replay_options()
        elif self.whole:
            raise LaunchMistake(
                f"--whole: {workload.name} is compared iteration by iteration; leave one of the two out"
            )
        computation = workload.computation(None if self.computation is None else Computation(self.computation))
        if computation is Computation.own:
            self._require_own_options(workload.name)
        if self.emit is not None:
            check_output(self.emit, endings=(SUFFIX,), replace=True, option="--emit")
            require_own_captures(self.emit, motifs=1 if workload.is_replay else len(workload.motifs))
        return computation

    def _require_replay_options(self) -> None:
        if self.any_tag:
            raise LaunchMistake("--any-tag: a replay has the tags of the program; name a motif or a workload")
        for option, pattern in (("--from", self.boundaries.first), ("--to", self.boundaries.last)):
            if pattern is not None:
                raise LaunchMistake(
                    f"{option} {pattern}: a replay repeats the program's own loop; name a motif or a workload"
                )

    def _require_own_options(self, name: str) -> None:
        """Raise LaunchMistake for options that compare or write the program's computation; `name`: of the workload."""
        stated = self.computation is not None
        own = f"with --computation {Computation.own}" if stated else f"{name} computes as its own capture says, and"
        if self.tolerance is not None:
            raise LaunchMistake(f"--within: {own} only times in MPI are comparable")
        if self.cpu_time:
            raise LaunchMistake(f"--cpu-time: {own} the workload takes no times from the program")
        if self.emit is not None:
            raise LaunchMistake(f"--emit: {own} the workload has no computation of the program")
