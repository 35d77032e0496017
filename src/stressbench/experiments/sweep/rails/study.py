"""Workloads under one rail policy after the other, as a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.experiments.sweep.specification import Specification, SweepRounds, specification_of
from stressbench.formats.study.rail_policies import RailPolicy, Transport
from stressbench.formats.toml import Called, by_key


@dataclass(frozen=True, kw_only=True)
class RailSweep:
    """Runs of `workloads` on the launch target `on` under each of `policies`.

    `nics`: the NICs of each host in the order of rails; none: the target knows its own. `transport`: None leaves it to
    the MPI library.
    """

    workloads: tuple[str, ...]
    on: str
    policies: tuple[RailPolicy, ...]
    nics: tuple[str, ...] = ()
    transport: Transport | None = None
    ranks: tuple[int, ...] = ()
    ranks_per_node: int | None = None
    variables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    placements: tuple[str, ...] = ()
    runs: int = 4
    seed: int = 1
    rounds: SweepRounds

    def specification(self, *, called: Called = by_key) -> Specification:
        """The study. Raises Mistakes, whose messages call keys as `called` does."""
        tables = {
            "about": f"Rail policies: {', '.join(Path(path).stem for path in self.workloads)}",
            "seed": self.seed,
            "repetitions": self.runs,
            "nics": self.nics or None,
            "transport": None if self.transport is None else self.transport.value,
            "factors": {
                "workload": self.workloads,
                "on": self.on,
                "policy": list(map(str, self.policies)),
                "ranks": self.ranks or None,
                "ranks_per_node": self.ranks_per_node,
                "placement": self.placements or None,
            },
            "set": {name: list(values) for name, values in self.variables.items()},
            "run": self.rounds.table(),
        }
        return specification_of(tables, called=called)
