"""Slowdown of programs that ran at the same time, from isolated and contended periods. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from stressbench.formats.launches.coruns import CorunPlan, Execution, Period
from stressbench.formats.profiles.coruns import CoRun
from stressbench.results.validation import Ratio, ratio_of

TIME = "time"
"""The measure that is the time of an execution."""
ITERATION = "iteration"
"""The measure that is the time of an execution over its number of iterations."""
OWN_MEASURES = (TIME, ITERATION)
"""Measures in seconds, which no figure of merit can have the names of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorunSlowdown:
    """How much `program` is slowed beside `others`, by a measure: its time, that of an iteration, or a figure of merit.

    `isolated` and `contended`: medians over blocks. `slowdown`: how many times worse the measure is beside the others,
    with its 95 % interval; None without a block that has both. `blocks` have both. `executions`: those beside others
    that count; `overlap`: the median of their overlaps. `reason`: why there is no slowdown, None if there is one.
    """

    program: str
    others: tuple[str, ...]
    hosts: str | None
    ranks: int
    measure: str
    isolated: float | None
    contended: float | None
    slowdown: Ratio | None
    blocks: int
    executions: int
    overlap: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorunLink:
    """Use of one direction of a link: medians over blocks, as shares of its rate.

    `isolated`: of the program of the group that used it most while isolated. `contended`: beside each other.
    """

    group: tuple[str, ...]
    link: str
    source: str
    target: str
    isolated: float | None
    contended: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorunExecution:
    """An execution as a flat record. `beside`: the other programs of the period, none if it was isolated.

    `value_s` is the time that the slowdown compares; others, and `iterations`, are those of launches.jsonl.
    """

    block: int
    program: str
    beside: str
    began_s: float
    ended_s: float
    value_s: float | None
    time_s: float | None
    mpi_s: float | None
    overlap: float | None
    counts: bool
    iterations: int | None = None


@dataclass(frozen=True, kw_only=True)
class Corun:
    """Programs that ran at the same time. `blocks`: those planned; `complete`: all of them were measured.

    `groups`: names of the programs that ran together. `own_cores`: each had an equal part of a lab's cores.
    `shared_cores`: as in CorunPlan. `notes`: what was not as expected, as sentences.
    """

    programs: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    on: str
    nodes: str
    own_cores: bool
    shared_cores: int | None
    machine: str
    seed: int
    blocks: int
    complete: bool
    min_overlap: float
    slowdowns: tuple[CorunSlowdown, ...]
    links: tuple[CorunLink, ...]
    executions: tuple[CorunExecution, ...]
    notes: tuple[str, ...] = ()

    def slowdown(self, program: str, others: Sequence[str], *, measure: str = TIME) -> CorunSlowdown | None:
        """The slowdown of a program beside these others, None if they did not run together."""
        return next(
            (
                one
                for one in self.slowdowns
                if (one.program, one.others, one.measure) == (program, tuple(others), measure)
            ),
            None,
        )


def corun_of(plan: CorunPlan, periods: Sequence[Period], *, notes: Iterable[str] = ()) -> Corun:
    """The results of these periods. Where some executions of a program have no `time_s`, wall times are compared."""
    names = [one.name for one in plan.programs]
    walled = _without_times(periods)
    groups = tuple(tuple(names[number] for number in group) for group in plan.groups)
    known = _places_of(plan)
    slowdowns = [one for places in known for one in _slowdowns_of(places, plan, periods, walled=walled)]
    planned = plan.runs * (len(known) + len({place for places in known for place in places}))
    return Corun(
        programs=tuple(names), commands=tuple(one.command for one in plan.programs), groups=groups, on=plan.on,
        nodes=plan.nodes, own_cores=plan.own_cores, shared_cores=plan.shared_cores, machine=plan.machine,
        seed=plan.seed, blocks=plan.runs, complete=len(periods) >= planned, min_overlap=plan.min_overlap,
        slowdowns=tuple(slowdowns), links=tuple(_links(plan, periods)),
        executions=tuple(_flat(plan, periods, walled)),
        notes=(*notes, *_notes(plan, periods, walled)),
    )  # fmt: skip


def observations_of(result: Corun, *, source: str) -> Iterator[CoRun]:
    """Slowdowns of times as observations for `predict evaluate`. `source` says where they come from.

    They refer to the median overlap of the executions, which predictions have to take into account.
    """
    for one in result.slowdowns:
        ratio = one.slowdown
        if one.measure == TIME and ratio is not None:
            interval = None if ratio.low is None or ratio.high is None else (ratio.low, ratio.high)
            yield CoRun(
                victim=one.program, aggressors=one.others, slowdown=ratio.value, interval=interval,
                overlap=one.overlap or None, machine=result.machine, source=source,
            )  # fmt: skip


_Assignment = tuple[int, str | None]
"""Number of a program, and its hosts."""


_Assignments = tuple[_Assignment, ...]
"""The programs of a group."""


def _places_of(plan: CorunPlan) -> tuple[_Assignments, ...]:
    return tuple(tuple(zip(group, hosts, strict=True)) for group, hosts in zip(plan.groups, plan.hosts, strict=True))


def _places_in(period: Period) -> _Assignments:
    return tuple(zip(period.programs, period.hosts, strict=True))


def _without_times(periods: Sequence[Period]) -> frozenset[int]:
    """Programs of which at least one complete execution has no time between MPI_Init and MPI_Finalize."""
    return frozenset(
        period.programs[one.place]
        for period in periods
        for one in period.executions
        if one.status is not None and one.time_s is None
    )


def _slowdowns_of(
    group: _Assignments, plan: CorunPlan, periods: Sequence[Period], *, walled: frozenset[int]
) -> Iterator[CorunSlowdown]:
    """The slowdown of each program of a group, copies of a program taken together, by each measure."""
    numbers = [number for number, _ in group]
    for first, number in enumerate(numbers):
        if number in numbers[:first]:
            continue
        others = tuple(plan.programs[other].name for place, other in enumerate(numbers) if place != first)
        own = OWN_MEASURES if plan.programs[number].name in plan.iterations else (TIME,)
        for measure in (*own, *plan.figures):
            yield _slowdown(group, number, others, plan, periods, measure=measure, walled=walled)


def _slowdown(
    group: _Assignments, number: int, others: tuple[str, ...], plan: CorunPlan, periods: Sequence[Period], *,
    measure: str, walled: frozenset[int],
) -> CorunSlowdown:  # fmt: skip
    places = [place for place, (one, _) in enumerate(group) if one == number]
    own = {group[place] for place in places}
    contended: dict[int, list[float]] = defaultdict(list)
    isolated: dict[int, list[float]] = defaultdict(list)
    overlaps = []
    for period in periods:
        members = _places_in(period)
        if members == group:
            for one in period.executions:
                if one.place in places and _counts(one, plan):
                    contended[period.repetition] += _values(one, measure, walled=number in walled)
                    overlaps.append(one.overlap or 0.0)
        elif len(members) == 1 and members[0] in own:
            for one in period.executions:
                if _counts(one, plan):
                    isolated[period.repetition] += _values(one, measure, walled=number in walled)
    blocks = sorted(block for block in contended if contended[block] and isolated[block])
    worse = 1 if measure in OWN_MEASURES or measure in plan.lower else -1
    ratio = ratio_of([(median(contended[one]) / median(isolated[one])) ** worse for one in blocks])
    return CorunSlowdown(
        program=plan.programs[number].name, others=others, hosts=group[places[0]][1],
        ranks=plan.programs[number].ranks, measure=measure,
        isolated=_median(isolated, blocks), contended=_median(contended, blocks), slowdown=ratio,
        blocks=len(blocks), executions=len(overlaps), overlap=median(overlaps) if overlaps else None,
        reason=None if ratio is not None else _reason(measure, overlaps, plan, plan.programs[number].name),
    )  # fmt: skip


def _reason(measure: str, overlaps: Sequence[float], plan: CorunPlan, program: str) -> str:
    if not overlaps:
        return f"no execution overlapped those of the others for {100 * plan.min_overlap:g} % of its time"
    if measure == ITERATION:
        return f"its rank 0 did not call {plan.iterations[program]} in both"
    return "no block is complete" if measure == TIME else f"the program prints no {measure}"


def _counts(execution: Execution, plan: CorunPlan) -> bool:
    """Whether an execution ended by itself and had the others beside it."""
    if execution.status is None:
        return False
    return execution.overlap is None or execution.overlap >= plan.min_overlap


def _values(execution: Execution, measure: str, *, walled: bool) -> list[float]:
    """The value of an execution, none if it is unknown or not positive."""
    value = _value(execution, measure, walled=walled)
    return [value] if value is not None and value > 0 else []


def _value(execution: Execution, measure: str, *, walled: bool) -> float | None:
    if measure == TIME:
        return _time(execution, walled=walled)
    if measure == ITERATION:
        if execution.time_s is None or not execution.iterations:
            return None
        return execution.time_s / execution.iterations
    return execution.figures.get(measure)


def _time(execution: Execution, *, walled: bool) -> float | None:
    return execution.ended_s - execution.began_s if walled else execution.time_s


def _median(values: Mapping[int, Sequence[float]], blocks: Sequence[int]) -> float | None:
    """The median over blocks of the median of each."""
    return median(median(values[block]) for block in blocks) if blocks else None


def _links(plan: CorunPlan, periods: Sequence[Period]) -> Iterator[CorunLink]:
    for group in _places_of(plan):
        contended = _uses(period for period in periods if _places_in(period) == group)
        isolated = [_uses(one for one in periods if _places_in(one) == (place,)) for place in dict.fromkeys(group)]
        names = tuple(plan.programs[number].name for number, _ in group)
        for key, uses in contended.items():
            medians = [median(one[key]) for one in isolated if key in one]
            yield CorunLink(
                group=names, link=key[0], source=key[1], target=key[2], isolated=max(medians, default=None),
                contended=median(uses),
            )  # fmt: skip


def _uses(periods: Iterable[Period]) -> dict[tuple[str, str, str], list[float]]:
    uses: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for period in periods:
        for one in period.links or ():
            uses[one.link, one.source, one.target].append(one.use)
    return uses


def _flat(plan: CorunPlan, periods: Sequence[Period], walled: frozenset[int]) -> Iterator[CorunExecution]:
    for period in periods:
        names = [plan.programs[number].name for number in period.programs]
        for one in period.executions:
            number = period.programs[one.place]
            yield CorunExecution(
                block=period.repetition, program=names[one.place],
                beside="+".join(name for place, name in enumerate(names) if place != one.place),
                began_s=one.began_s, ended_s=one.ended_s,
                value_s=None if one.status is None else _time(one, walled=number in walled), time_s=one.time_s,
                mpi_s=one.mpi_s, overlap=one.overlap, counts=_counts(one, plan), iterations=one.iterations,
            )  # fmt: skip


def sharing_of_cores(plan: CorunPlan) -> str | None:
    """A sentence about programs that share cores of this machine; None if they do not."""
    if plan.shared_cores is None:
        return None
    cores = "a core" if plan.shared_cores == 1 else f"{plan.shared_cores} cores"
    return (
        f"up to {max(map(len, plan.groups))} programs at a time share {cores} of this machine, so that all slowdowns "
        "include waits for cores; with as many cores as programs, each has its own"
    )


def _notes(plan: CorunPlan, periods: Sequence[Period], walled: frozenset[int]) -> Iterator[str]:
    if (sharing := sharing_of_cores(plan)) is not None:
        yield sharing
    if left_out := sum(one.left_out for one in periods):
        yield f"{left_out:,} executions of short programs are left out, evenly spaced; longer inputs need fewer"
    if names := [plan.programs[number].name for number in sorted(walled)]:
        yield (
            f"{', '.join(names)}: not every execution called MPI_Init and MPI_Finalize, so that wall times are "
            "compared, which include the start of ranks"
        )
