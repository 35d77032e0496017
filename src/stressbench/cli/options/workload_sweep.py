"""Options of `degrade` and `rails` that apply to workloads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stressbench.cli.options.study_creation import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets
from stressbench.experiments.sweep.launches import refuse_workload_options


@dataclass(frozen=True, kw_only=True)
class WorkloadSweepOptions:
    """The numbers of ranks of a sweep and its seed, and what is measured of workloads."""

    ranks: Ranks = None
    ranks_per_node: RanksPerNode = None
    sets: Sets = None
    placements: Placements = None
    repetitions: Repetitions = None
    min_time: MinTime = None
    seed: Seed = 1

    def refuse_for_program(self, words: Sequence[str], given: Iterable[tuple[str, bool]] = ()) -> None:
        """Raise StudyMistake if an option is given that applies to workloads only; `given`: further such options."""
        refuse_workload_options(words, (
            ("--set", bool(self.sets)), ("--place", bool(self.placements)),
            ("--ranks-per-node", self.ranks_per_node is not None), *given,
            ("--repetitions", self.repetitions is not None), ("--min-time", self.min_time is not None),
        ))  # fmt: skip
