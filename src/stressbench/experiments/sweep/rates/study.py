"""Workloads at one injection bandwidth after the other, as a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stressbench.experiments.sweep.specification import Specification, WorkloadSweep
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.toml import Called, by_key


@dataclass(frozen=True, kw_only=True)
class RateSweep(WorkloadSweep):
    """Runs of workloads at each of `rates`, shares of the full rate such as `1/2`.

    `nodes_variable`: a variable of the workloads that is set to the number of nodes of each number of ranks.
    `rate_command`: a program of the site that sets the rate; None: the links of a lab are ours.
    """

    rates: tuple[str, ...]
    nodes_variable: str | None = None
    rate_command: str | None = None

    def specification(self, *, called: Called = by_key) -> Specification:
        """The study. Raises StudyMistake and Mistakes, whose messages call keys as `called` does."""
        return self.study_with_factors(about="Injection bandwidth", factors={"rate": self.rates}, called=called)

    def study_with_factors(
        self, *, about: str, factors: Mapping[str, Any], called: Called, variables: Mapping[str, Any] | None = None,
        by_ranks: Mapping[str, Mapping[int, str]] | None = None,
    ) -> Specification:  # fmt: skip
        """The study with these factors, these more variables, and variables whose value depends on the ranks."""
        rank_dependent = {**(by_ranks or {}), **self._nodes()}
        counted = {name: list(values.values()) for name, values in rank_dependent.items()}
        return self.study_of(
            about, factors=factors, called=called, sets={**(variables or {}), **counted},
            rate_command=self.rate_command, exclude=_exclusions(rank_dependent) or None,
        )  # fmt: skip

    def _nodes(self) -> Mapping[str, Mapping[int, str]]:
        """The value of `nodes_variable` by number of ranks."""
        if self.nodes_variable is None:
            return {}
        counts = node_counts(self.ranks, self.ranks_per_node or 1)
        return {self.nodes_variable: {ranks: str(nodes) for ranks, nodes in counts.items()}}


def node_counts(ranks: Sequence[int], each: int) -> Mapping[int, int]:
    """Nodes by number of ranks. Raises StudyMistake where the last node would not be full."""
    wrong = next((count for count in ranks if count % each), None)
    if wrong is not None:
        raise StudyMistake(f"-n: {wrong} ranks are not a whole number of nodes of {each} (--ranks-per-node)")
    return {count: count // each for count in ranks}


def _exclusions(rank_dependent: Mapping[str, Mapping[int, str]]) -> list[dict[str, Any]]:
    """Leaves out, for each number of ranks, the values that other numbers of ranks have."""
    return [
        {"ranks": ranks, "set": {name: others}}
        for name, values in rank_dependent.items()
        for ranks, wanted in values.items()
        if (others := [other for other in values.values() if other != wanted])
    ]
