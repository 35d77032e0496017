"""A study of workloads under several rail policies."""

import os
from dataclasses import dataclass, field
from functools import partial

from stressbench.experiments.study.catalog import shipped_folder
from stressbench.experiments.sweep.specification import Specification, SweepRounds, WorkloadSweep
from stressbench.formats.study.rail_policies import RailPolicy, Transport, parse_policy
from stressbench.formats.toml import KeyLabel, by_key

POLICIES = ("default", "nic0", "nic1", "round-robin")
DEFAULT_POLICIES = tuple(map(parse_policy, POLICIES))
LAB = "lab:dual-rail"
ROUNDS = 6
_SHIPPED = ("rails-bandwidth.sb", "rails-latency.sb")


def shipped_workloads() -> tuple[str, ...]:
    """Paths of the shipped workloads that measure bandwidth by message size and latency."""
    folder = shipped_folder("workloads")
    return tuple(os.path.relpath(folder / name) for name in _SHIPPED)


@dataclass(frozen=True, kw_only=True)
class RailSweep(WorkloadSweep):
    """Runs of workloads, by default the shipped ones, under each of `policies`.

    `nics`: the NICs of each host in the order of rails, empty: those of the target. `transport`: None leaves it to the
    MPI library.

    Of every sweep: `workloads` are paths relative to the current directory, `on` is the launch
    target; `ranks` (empty: that of the target), `variables` (values by name) and `placements` are factors of the study;
    `runs` is the number of runs of each combination, `rounds` that of rounds and repetitions of a run.
    """

    workloads: tuple[str, ...] = field(default_factory=shipped_workloads)
    on: str = LAB
    rounds: SweepRounds = field(default_factory=partial(SweepRounds, isolated=ROUNDS, contended=0))
    policies: tuple[RailPolicy, ...] = DEFAULT_POLICIES
    nics: tuple[str, ...] = ()
    transport: Transport | None = None
    runs: int = 4

    def specification(self, *, key_label: KeyLabel = by_key) -> Specification:
        """The study. Raises ValidationMistakes, whose messages name keys by `key_label`."""
        return self.study_of(
            "Rail policies", before_ranks={"policy": list(map(str, self.policies))}, key_label=key_label,
            nics=self.nics or None, transport=None if self.transport is None else self.transport.value,
        )  # fmt: skip
