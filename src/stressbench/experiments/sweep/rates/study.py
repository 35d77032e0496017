"""A study of workloads at several injection bandwidths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from stressbench.experiments.sweep.option_values import distinct_rates
from stressbench.experiments.sweep.specification import Specification, SweepRounds, WorkloadSweep
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import stated_rate

RATES = (Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
RATES_TEXT = ",".join(map(str, RATES))
LAB = "lab:fast"
ROUNDS = 10


@dataclass(frozen=True, kw_only=True)
class RateSweep(WorkloadSweep):
    """Runs of workloads at each of `rates`, shares of the full rate: 1 and smaller ones, as exact fractions.

    `nodes_variable`: a variable of the workloads that is set to the number of nodes. `rate_command`: a command of the
    site that sets the rate, None: StressBench sets the links itself.

    Of every sweep: `workloads` are paths relative to the current directory, `on` is the launch target; `ranks` (empty:
    that of the target), `variables` (values by name) and `placements` are factors of the study; `runs` is the number of
    runs of each combination, `rounds` that of rounds and repetitions of a run, by default 10 isolated rounds, or
    contended ones where traffic competes. Raises StudyMistake for other rates.
    """

    default_rounds: ClassVar[SweepRounds] = SweepRounds(isolated=ROUNDS, contended=0)
    on: str = LAB
    rates: tuple[Fraction, ...] = RATES
    nodes_variable: str | None = None
    rate_command: str | None = None

    def __post_init__(self) -> None:
        """Check the rates."""
        object.__setattr__(self, "rates", distinct_rates(self.rates, example=RATES_TEXT))

    def specification(self) -> Specification:
        """The study. Raises StudyMistake and ValidationMistakes."""
        rates = tuple(map(stated_rate, self.rates))
        return self.study_with_factors(about="Injection bandwidth", factors={"rate": rates})

    def study_with_factors(
        self, *, about: str, factors: Mapping[str, Any],
        variables: Mapping[str, Any] | None = None, by_ranks: Mapping[str, Mapping[int, str]] | None = None,
    ) -> Specification:  # fmt: skip
        """The study with these factors, these additional variables, and variables by number of ranks (`by_ranks`)."""
        rank_dependent = {**(by_ranks or {}), **self._nodes()}
        counted = {name: list(values.values()) for name, values in rank_dependent.items()}
        return self.study_of(
            about, factors=factors, sets={**(variables or {}), **counted},
            rate_command=self.rate_command, exclude=_exclusions(rank_dependent) or None,
        )  # fmt: skip

    def _nodes(self) -> Mapping[str, Mapping[int, str]]:
        """The value of `nodes_variable` by number of ranks."""
        if self.nodes_variable is None:
            return {}
        counts = node_counts(self.ranks, self.ranks_per_node or 1)
        return {self.nodes_variable: {ranks: str(nodes) for ranks, nodes in counts.items()}}


def node_counts(ranks: Sequence[int], each: int) -> Mapping[int, int]:
    """Number of nodes by number of ranks, `each` per node. Raises StudyMistake where the last node is not full."""
    wrong = next((count for count in ranks if count % each), None)
    if wrong is not None:
        raise StudyMistake(f"-n: {wrong} ranks are not a whole number of nodes of {each} (--ranks-per-node)")
    return {count: count // each for count in ranks}


def _exclusions(rank_dependent: Mapping[str, Mapping[int, str]]) -> list[dict[str, Any]]:
    """Exclusions that leave each number of ranks only its own values of the variables in `depending`."""
    return [
        {"ranks": ranks, "set": {name: others}}
        for name, values in rank_dependent.items()
        for ranks, wanted in values.items()
        if (others := [other for other in values.values() if other != wanted])
    ]
