"""A study of workloads under several rail policies."""

from dataclasses import dataclass

from stressbench.experiments.sweep.specification import Specification, WorkloadSweep
from stressbench.formats.study.rail_policies import RailPolicy, Transport
from stressbench.formats.units import Stated


@dataclass(frozen=True, kw_only=True)
class RailSweep(WorkloadSweep):
    """Runs of workloads under each of `policies`.

    `nics`: the NICs of each host in the order of rails, empty: those of the target. `transport`: None leaves it to the
    MPI library.
    """

    policies: tuple[RailPolicy, ...]
    nics: tuple[str, ...] = ()
    transport: Transport | None = None
    runs: int = 4

    def specification(self) -> Specification:
        """The study. Raises ValidationMistakes."""
        return self.study_of(
            "Rail policies", before_ranks={"policy": list(map(Stated.of, self.policies))},
            nics=self.nics or None, transport=None if self.transport is None else self.transport.value,
        )  # fmt: skip
