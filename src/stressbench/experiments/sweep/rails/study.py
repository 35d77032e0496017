"""A study of workloads under several rail policies."""

from dataclasses import dataclass, field
from typing import ClassVar

from stressbench.experiments.sweep.option_values import distinct_policies
from stressbench.experiments.sweep.rails.shipped_workloads import shipped_workloads
from stressbench.experiments.sweep.specification import Specification, SweepRounds, WorkloadSweep
from stressbench.formats.study.rail_policies import RailPolicy, Transport, parse_policy
from stressbench.formats.units import Stated

POLICIES = tuple(map(parse_policy, ("default", "nic0", "nic1", "round-robin")))
POLICIES_TEXT = ",".join(map(str, POLICIES))
LAB = "lab:dual-rail"
ROUNDS = 6


@dataclass(frozen=True, kw_only=True)
class RailSweep(WorkloadSweep):
    """Runs of workloads, by default the shipped ones, under each of `policies`, two or more.

    `nics`: the NICs of each host in the order of rails, empty: those of the target. `transport`: None leaves it to the
    MPI library.

    Of every sweep: `workloads` are paths relative to the current directory, `on` is the launch target; `ranks` (empty:
    that of the target), `variables` (values by name) and `placements` are factors of the study; `runs` is the number of
    runs of each combination, `rounds` that of rounds and repetitions of a run, by default 6 isolated rounds. Raises
    StudyMistake where policies are missing or equal.
    """

    default_rounds: ClassVar[SweepRounds] = SweepRounds(isolated=ROUNDS, contended=0)
    workloads: tuple[str, ...] = field(default_factory=shipped_workloads)
    on: str = LAB
    policies: tuple[RailPolicy, ...] = POLICIES
    nics: tuple[str, ...] = ()
    transport: Transport | None = None
    runs: int = 4

    def __post_init__(self) -> None:
        """Check the policies."""
        object.__setattr__(self, "policies", distinct_policies(self.policies, example=POLICIES_TEXT))

    def specification(self) -> Specification:
        """The study. Raises ValidationMistakes."""
        return self.study_of(
            "Rail policies", before_ranks={"policy": list(map(Stated.of, self.policies))},
            nics=self.nics or None, transport=None if self.transport is None else self.transport.value,
        )  # fmt: skip
