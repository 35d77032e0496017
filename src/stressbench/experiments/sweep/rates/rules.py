"""Rules for the options of `degrade run`: which exclude or require each other, and what follows from several."""

from collections.abc import Collection, Sequence

from stressbench.experiments.sweep.option_values import time
from stressbench.experiments.sweep.rates.competing import CompetingSweep
from stressbench.experiments.sweep.rates.study import LAB, ROUNDS, RateSweep
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.experiments.sweep.workload_rules import require_rounds
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import parse_rate


def target_or_lab(on: str | None, *, rate_command: str | None) -> str:
    """The launch target, by default `LAB`. Raises StudyMistake if a rate command has no launch target."""
    if on is None and rate_command is not None:
        raise StudyMistake("--rate-command: needs --on, such as --on slurm")
    return on or LAB


def rounds_of(
    isolated: int | None, contended: int | None, *, repetitions: int | None, min_time: str | None, competing: bool
) -> SweepRounds:
    """The rounds of each run, by default `ROUNDS` isolated ones, or contended ones beside competing traffic.

    Raises StudyMistake if there are neither. Rounds that competing traffic excludes are found by `CompetingSweep`.
    """
    if competing:
        contended = ROUNDS if contended is None else contended
    else:
        require_rounds(isolated, contended)
        isolated, contended = ROUNDS if isolated is None else isolated, contended or 0
    return SweepRounds(
        isolated=isolated, contended=contended, repetitions=repetitions, min_time=time("--min-time", min_time)
    )


def require_node_counts(variable: str | None, *, variables: Collection[str], ranks: Sequence[int]) -> None:
    """Raise StudyMistake if the variable for the number of nodes already has values, or `ranks` is empty."""
    if variable is not None and variable in variables:
        raise StudyMistake(f"--nodes {variable}: has a value of --set; expected one of the two")
    if variable is not None and not ranks:
        raise StudyMistake(f"--nodes {variable}: needs the numbers of ranks, such as -n 2,4")


def require_competing(link: str | None, *, competing: bool) -> None:
    """Raise StudyMistake if the rate of a link is given without competing traffic."""
    if link is not None and not competing:
        raise StudyMistake(f"--link {link}: requires --compete")


def refuse_competing(program: Sequence[str], *, competing: bool) -> None:
    """Raise StudyMistake if traffic is to compete with a program instead of workloads."""
    if competing:
        raise StudyMistake(
            f"--compete: is for workloads, whose nodes it can share, and {program[0]} is a program; "
            "expected a lab (--on lab:NAME) or --rate-command"
        )


def competing_with(sweep: RateSweep, *, link: str | None) -> CompetingSweep:
    """The sweep beside competing traffic on links of the rate `link`. Raises StudyMistake."""
    if link is None:
        raise StudyMistake("--compete: needs --link, the injection bandwidth of a node, such as 10Gbit")
    try:
        rate = parse_rate(link)
    except ValueError as fault:
        raise StudyMistake(f"--link: '{link}': {fault}") from fault
    return CompetingSweep(sweep=sweep, link_bytes_per_s=rate.bytes_per_s)
